"""killed_servers.py SEARCHES TRIALS SEED FOLDER COMMAND...: searches whose servers are killed.

The command is a search of one task on a target that is built for and timed, in whose words DB is the
database and OUT the module that is written. In each of the SEARCHES, in a new database, at random moments,
each of KINDS is killed with -9 once; in one more a child of tune-worker is killed twice in a row, and one
of tune-measure. Each time it is checked that

- the search ends with 0, with TRIALS trials of different configs and a winner on the ops,
- what was killed once is no failure, what was killed twice is one that says so,
- the report says what was started again,
- no process is left, no file in the folder for temporary ones, and none of LLVM's OpenMP runtime.

The module of the last search is left in FOLDER."""

import ctypes
import glob
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
# Who is killed, by name and first option, and whether it is what lives beneath that (its children and
# theirs, such as the linker). The last one keeps the folder for temporary files.
KINDS = {
    "tune-worker": (["tune-worker", "--serve"], False),
    "a child of tune-worker": (["tune-worker", "--serve"], True),
    "tune-measure": (["tune-measure", "--serve"], False),
    "a child of tune-measure": (["tune-measure", "--serve"], True),
    "the keeper": (["tune-measure", "--keep-scratch"], False),
}

searches, trials, seed, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
database, module = os.path.join(folder, "tune.db"), os.path.join(folder, "out.mlir")
scratch, log = os.path.join(folder, "scratch"), os.path.join(folder, "log")
command = [word.replace("DB", database).replace("OUT", module) for word in sys.argv[5:]]
random.seed(seed)
# What a search leaves behind becomes a child of this process.
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def text():
    with open(log) as file:
        return file.read()


def fail(message):
    sys.exit("killed_servers.py: %s\n%s" % (message, text()))


def openmp_files():
    return set(glob.glob("/dev/shm/__KMP_REGISTERED_LIB_*"))


# Numbers of processes to those of their parents; zombies are left out.
def parents():
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % number) as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
        if state != "Z":
            found[int(number)] = int(parent)
    return found


def words(number):
    try:
        with open("/proc/%d/cmdline" % number) as file:
            program, *options = file.read().split("\0")
            return [os.path.basename(program)] + options[:1]
    except (FileNotFoundError, ProcessLookupError):
        return []


def beneath(found, numbers):
    below = [n for n, parent in found.items() if parent in numbers]
    return below + beneath(found, below) if below else []


def find(search, kind):
    wanted, is_child = KINDS[kind]
    found = parents()
    tops = [n for n in beneath(found, [search.pid]) if words(n) == wanted and found[n] == search.pid]
    return beneath(found, tops) if is_child else tops


# Kills one of the kind as soon as there is one; false where the search ends before.
def kill(search, kind):
    while search.poll() is None:
        numbers = find(search, kind)
        if numbers:
            try:
                os.kill(random.choice(numbers), signal.SIGKILL)
                return True
            except ProcessLookupError:
                pass
        time.sleep(0.001)
    return False


def start():
    for path in glob.glob(database + "*") + glob.glob(module):
        os.remove(path)
    return subprocess.Popen(command, stderr=open(log, "w"), env=dict(os.environ, TMPDIR=scratch))


# All children that are left end at once, or are left; among them is who removes the files.
def expect_no_process():
    end = time.monotonic() + 10
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if time.monotonic() > end:
                    fail("a process is left")
                time.sleep(0.005)
        except ChildProcessError:
            return


def records():
    try:
        connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
        return connection.execute("SELECT kind, config, verdict, error FROM trials").fetchall()
    except sqlite3.OperationalError:  # not there yet
        return []


def failures():
    return [r for r in records() if r[2] not in ("ok", "cut", "duplicate")]


def expect_whole(search):
    if search.wait() != 0:
        fail("ended with %d" % search.returncode)
    expect_no_process()
    if os.listdir(scratch):
        fail("left in the folder for temporary files: %s" % os.listdir(scratch))
    if openmp_files() - known_openmp_files:
        fail("left in /dev/shm: %s" % (openmp_files() - known_openmp_files))
    now = records()
    configs = {json.dumps(json.loads(r[1]), sort_keys=True) for r in now if r[0] == "trial"}
    if len(configs) != trials or sum(r[0] == "trial" for r in now) != trials:
        fail("%d trials of %d configs" % (len(now), len(configs)))
    if not any(r[0] == "winner" for r in now):
        fail("there is no winner")
    with open(module) as file:
        if "tune.choices" not in file.read():
            fail("the module has no choices")


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(scratch)
known_openmp_files = openmp_files()
began = time.monotonic()
expect_whole(start())
seconds = time.monotonic() - began

kills = 0
for i in range(searches):
    search = start()
    began = time.monotonic()
    kinds = random.sample(list(KINDS), len(KINDS))
    for kind, moment in zip(kinds, sorted(random.uniform(0, seconds) for kind in kinds)):
        time.sleep(max(0, began + moment - time.monotonic()))
        killed = kill(search, kind)
        kills += killed
    expect_whole(search)
    print(text())
    if failures():
        fail("failed: %s" % failures())
print("killed %d times" % kills)

for kind, verdict in ("a child of tune-worker", "build-crashed"), ("a child of tune-measure", "run-crashed"):
    search = start()
    while search.poll() is None and len(records()) < 3:  # not the default, nor the reference
        time.sleep(0.001)
    while search.poll() is None and not failures():
        kill(search, kind)
    expect_whole(search)
    for failure in failures():
        if failure[2] != verdict or "twice" not in failure[3]:
            fail("an unexpected failure: %s" % (failure,))
    print("%s, killed again and again: %s" % (kind, failures()[0][3]))
