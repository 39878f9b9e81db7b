"""foreign_data.py schedules|records FOLDER MODULE EXPORT: data that name files and libraries.

FOLDER is made anew, with a folder `bait` in it whose files the data name, by absolute paths and by ones
that would lead there from the current folder and from those for temporary files and the cache. Each tool
that takes the data is run, and inotify tells whether anything was opened, read, made or changed there.

- schedules: a schedule runs a pass that takes names of files. It is refused by every tool, for that pass;
  where `allow-pass=` lets it pass, the library is opened, so that the watch is known to see that.
- records: the export with paths for its members. It is not imported, for the reason that is given, or what it
  names is text to all that read it."""

import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys

mode, folder, module = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
bait, work = os.path.join(folder, "bait"), os.path.join(folder, "work")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(bait)
for name in ("cache", "tmp"):
    os.makedirs(os.path.join(work, name))
with open(os.path.join(bait, "library.mlir"), "w") as file:
    file.write("module attributes {transform.with_named_sequence} {}\n")
shutil.copy("/usr/lib/llvm-22/lib/libmlir_c_runner_utils.so", os.path.join(bait, "library.so"))
environment = dict(os.environ, TMPDIR=os.path.join(work, "tmp"), XDG_CACHE_HOME=os.path.join(work, "cache"))

libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_NONBLOCK)
ALL_EVENTS = 0xFFF
if watch < 0 or libc.inotify_add_watch(watch, bait.encode(), ALL_EVENTS) < 0:
    sys.exit("foreign_data.py: no inotify: %s" % os.strerror(ctypes.get_errno()))
runs = 0


# The names in `bait` at which something was done since the last call.
def touched():
    try:
        events, names, at = os.read(watch, 1 << 16), set(), 0
    except BlockingIOError:
        return set()
    while at < len(events):
        length = struct.unpack_from("iIII", events, at)[3]
        names.add(events[at + 16 : at + 16 + length].rstrip(b"\0").decode())
        at += 16 + length
    return names


# Runs `tool`; whether it ended with 0, and all that it says. Nothing has been done in `bait`.
def run(tool):
    global runs
    runs += 1
    done = subprocess.run(tool, cwd=work, env=environment, capture_output=True, text=True, timeout=120)
    if touched():
        sys.exit("foreign_data.py: %s\nhas opened what it names:\n%s" % (tool, done.stderr))
    if done.returncode not in (0, 1, 2):  # it has crashed
        sys.exit("foreign_data.py: %s\nended with %d:\n%s" % (tool, done.returncode, done.stderr))
    return done.returncode == 0, done.stdout + done.stderr


def expect(tool, is_well, text):
    was_well, said = run(tool)
    if was_well != is_well or text not in said:
        sys.exit("foreign_data.py: %s\nwas not to %s with '%s':\n%s" % (tool, "end" if is_well else "fail", text, said))


SCHEDULE = """module attributes {transform.with_named_sequence, tune.for = ["contraction"]} {
  transform.named_sequence @__transform_main(%%root: !transform.any_op {transform.consumed}) {
    %%matmul = transform.structured.match interface{LinalgOp} attributes {tune.anchor} in %%root : (!transform.any_op) -> !transform.any_op
    %%tile = transform.tune.knob<"tile"> options = #tune.tile<[4, 8]> -> !transform.param<i64>
    %%tiled, %%loop = transform.structured.tile_using_for %%matmul tile_sizes [%%tile] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %%0 = transform.apply_registered_pass "%s" with options = {%s} to %%root : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""
PASSES = [
    ("transform-preload-library", ["transform-library-paths"], "library.mlir"),
    ("snapshot-op-locations", ["filename"], "snapshot.mlir"),
    ("gpu-module-to-binary", ["toolkit", "l"], "library.so"),
    ("nvvm-attach-target", ["l"], "library.so"),
]


def write_schedule(name, members, file_name):
    path = os.path.join(work, name + ".mlir")
    file_name = os.path.join(bait, file_name)
    with open(path, "w") as file:
        file.write(SCHEDULE % (name, ", ".join('"%s" = "%s"' % (member, file_name) for member in members)))
    return path


def try_schedules():
    database = os.path.join(work, "tune.db")
    subprocess.run(["tune-db", "import", "--db=" + database, sys.argv[4]], check=True, stdout=subprocess.DEVNULL)
    for name, members, file_name in PASSES:
        schedule = write_schedule(name, members, file_name)
        for tool in (
            ["tune-run", module, "--schedule=" + schedule, "--db="],
            ["tune-opt", module, "--tune-search=target=null trials=1 schedule=%s db=%s" % (schedule, database)],
            ["tune-opt", module, "--tune-apply=target=null schedule=%s db=%s" % (schedule, database)],
        ):
            expect(tool, False, 'error: a schedule may not run the pass "%s"' % name)
    print("refused: %d schedules by %d tools" % (len(PASSES), runs // len(PASSES)))

    schedule = write_schedule(*PASSES[0])
    subprocess.run(
        ["tune-run", module, "--schedule=" + schedule, "--allow-pass=" + PASSES[0][0], "--db=", "--time=0.01"],
        cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    print("allowed, it opens:", ", ".join(sorted(touched())))


# What members, given one of the paths, lead to: the reason why the export is not imported, or "" where it is.
MEMBERS = {
    "task.key trial.task": "the task needs a key of 1 to 128 characters of",
    "task.class": "needs a kind of 1 to 128 characters of",
    "task.type": "needs a type of at most 128 characters of",
    "fingerprint.digest": "needs a digest of 1 to 128 characters of",
    "fingerprint.target": "needs a target of 1 to 128 characters of",
    "fingerprint.description": "needs a description that is a JSON object",
    "trial.verdict": "is no verdict",
    "trial.created_ms": 'record whose "created_ms" is not an integer',
    "trial.config": 'record whose "config" is not an object from knobs to integers',
    "trial.config.mc": 'record whose config has no integer for knob "mc"',
    "task.name trial.strategy fingerprint.description.model fingerprint.description.new winner.script": "",
    "trial.config.new winner.config.new": "",
    "trial.schedule winner.schedule": "",
    "winner.script.new task.payload": "",
    "task.payload.new": "",
}


# The lines of the export with `path` in some members, as "winner.script"; "new" is one of that name in an
# object, and in text that is MLIR a library that it is to load.
def altered(lines, members, path):
    gpu = 'gpu.module @g [#nvvm.target<link = ["%s"]>] {}\n}\n' % path
    for line in map(json.loads, lines):
        for kind, outer, *inner in (member.split(".") for member in members.split()):
            if line["kind"] != kind:
                continue
            if not inner:
                line[outer] = path
            elif outer == "script":
                line[outer] = SCHEDULE % (PASSES[0][0], '"%s" = "%s"' % (PASSES[0][1][0], path))
            elif outer == "payload":
                line[outer] = line[outer].rstrip().rstrip("}") + gpu
            elif inner == ["new"]:
                line[outer][path] = 1
            else:
                line[outer][inner[0]] = path
        yield json.dumps(line) + "\n"


def try_records():
    with open(sys.argv[4]) as file:
        lines = file.readlines()
    key = next(line["key"] for line in map(json.loads, lines) if line["kind"] == "task")
    text, database = os.path.join(work, "foreign.jsonl"), os.path.join(work, "tune.db")
    for number, (members, reason) in enumerate(MEMBERS.items()):
        path = (bait + "/library.so", "../bait/library.mlir", "../../../bait/new.so")[number % 3]
        with open(text, "w") as file:
            file.writelines(altered(lines, members, path))
        expect(["tune-db", "import", "--db=" + database, text], not reason, reason or "new are 1 task")
        if reason:
            continue
        shown = run(["tune-db", "show", "--db=" + database, "--format=json", key])[1]
        for record in json.loads(shown)["records"][-1:]:
            run(["tune-run", "--db=" + database, "--record=" + record["record"]])
        for tool in (
            ["tune-db", "best", "--db=" + database, "--print=script"],
            ["tune-opt", module, "--tune-apply=db=" + database],
        ):
            run(tool)
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(database + suffix):
                os.remove(database + suffix)
    print("refused: %d of %d exports" % (sum(map(bool, MEMBERS.values())), len(MEMBERS)))
    if os.listdir(os.path.join(work, "tmp")):
        sys.exit("foreign_data.py: left in the folder for temporary files")


{"schedules": try_schedules, "records": try_records}[mode]()
print("%d runs, which opened nothing" % runs)
if sorted(os.listdir(bait)) != ["library.mlir", "library.so"]:
    sys.exit("foreign_data.py: there are now %s" % os.listdir(bait))
