"""killed_servers.py SEARCHES TRIALS SEED FOLDER COMMAND...: searches whose servers are killed.

The command is a search of one task on the target cpu, in whose words DB is the database and OUT the module
that is written. In each of the SEARCHES, in a new database, each of KINDS is killed with -9 at a random
moment; in two more builds, or runs, are until records tell of it, and then both servers. Each time it is
checked that

- the search ends with 0, with records of TRIALS configs, a winner, and choices in the module,
- what was killed once is no failure, and what was killed twice is one that says so,
- the report tells of a server that was killed,
- no process is left, and no file in the folder for temporary ones.

The last module is left in FOLDER."""

import glob
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import left_behind

# Who is killed: a program by its name and first option, or what lives so far beneath it. The keeper is
# who keeps the folder for temporary files.
WORKER, MEASURER = ["tune-worker", "--serve"], ["tune-measure", "--serve"]
KINDS = {
    "tune-worker": (WORKER, 0),
    "a build": (WORKER, 1),
    "a linker": (WORKER, 2),
    "tune-measure": (MEASURER, 0),
    "a run": (MEASURER, 1),
    "the keeper": (["tune-measure", "--keep-scratch"], 0),
}

searches, trials, seed, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
database, module = os.path.join(folder, "tune.db"), os.path.join(folder, "out.mlir")
scratch, log = os.path.join(folder, "scratch"), os.path.join(folder, "log")
command = [word.replace("DB", database).replace("OUT", module) for word in sys.argv[5:]]
random.seed(seed)
left_behind.adopt()


def text():
    with open(log) as file:
        return file.read()


def fail(message):
    sys.exit("killed_servers.py: %s\n%s" % (message, text()))


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


def find(search, kind):
    wanted, depth = KINDS[kind]
    found = parents()
    numbers = [n for n, parent in found.items() if parent == search.pid and words(n) == wanted]
    for level in range(depth):
        numbers = [n for n, parent in found.items() if parent in numbers]
    return numbers


# Kills one of the kind as soon as there is one, and returns its number; 0 where the search ends before.
def kill(search, kind):
    while search.poll() is None:
        numbers = find(search, kind)
        if numbers:
            number = random.choice(numbers)
            try:
                os.kill(number, signal.SIGKILL)
                return number
            except ProcessLookupError:
                pass
        time.sleep(0.002)
    return 0


def start():
    for path in glob.glob(database + "*") + glob.glob(module):
        os.remove(path)
    return subprocess.Popen(command, stderr=open(log, "w"), env=dict(os.environ, TMPDIR=scratch))


def records():
    try:
        connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
        return connection.execute("SELECT kind, config, verdict, error FROM trials").fetchall()
    except sqlite3.OperationalError:  # not there yet
        return []


# Until then no servers are there but those of the task: the module as a whole has its own.
def is_before_last_trial():
    return len({r[1] for r in records() if r[0] == "trial"}) < trials


# Those of the servers that were killed, by name and number, in whose place there is another one by the end.
def started_again(search, killed):
    names = set()
    while search.poll() is None:
        for name in killed:
            if killed[name] and set(find(search, name)) - {killed[name]} and is_before_last_trial():
                names.add(name)
        time.sleep(0.005)
    expect_whole(search)
    return names


def wait_for_records(search, count):
    while search.poll() is None and len(records()) < count:
        time.sleep(0.005)


def failures():
    return [r for r in records() if r[2] not in ("ok", "cut", "duplicate")]


def expect_whole(search):
    if search.wait() != 0:
        fail("ended with %d" % search.returncode)
    if left_behind.is_process_left():
        fail("a process is left")
    if os.listdir(scratch):
        fail("left in the folder for temporary files: %s" % os.listdir(scratch))
    now = records()
    tried = [json.dumps(json.loads(r[1]), sort_keys=True) for r in now if r[0] == "trial"]
    # A finalist that is killed twice while it is compared has one more record, of that.
    if len(set(tried)) != trials or len(tried) > trials + len(failures()):
        fail("%d records of %d configs" % (len(tried), len(set(tried))))
    if not any(r[0] == "winner" for r in now):
        fail("there is no winner")
    with open(module) as file:
        if "tune.choices" not in file.read():
            fail("the module has no choices")


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(scratch)

# Kills each of the kinds in one search. The kinds of which there was none any more when their turn came.
def kill_each(kinds):
    search = start()
    # Nothing is built any more once all trials are made, but what was is compared.
    moments = [(random.randrange(trials // 2 if kind in ("a build", "a linker") else trials + 1), kind) for kind in kinds]
    missed = []
    for count, kind in sorted(moments):
        wait_for_records(search, count)
        time.sleep(random.uniform(0, 0.1 if count else 1))
        if not kill(search, kind):
            missed.append(kind)
    expect_whole(search)
    if failures():
        fail("failed: %s" % failures())
    return missed


# On a busy machine a search may be over before all of its turns have come: those have another one's.
kills = 0
for i in range(searches):
    kinds = list(KINDS)
    for attempt in range(3):
        missed = kill_each(kinds)
        kills += len(kinds) - len(missed)
        kinds = missed
        if not kinds:
            break
print("killed %d times" % kills)

# A search in which one of the kind was killed twice, as its records say. It may be over before: then there is
# another one.
def start_and_kill_twice(kind, verdict):
    for attempt in range(5):
        search = start()
        wait_for_records(search, 3)  # neither the reference nor the default is killed twice
        while search.poll() is None and verdict not in [failure[2] for failure in failures()]:
            kill(search, kind)
        if verdict in [failure[2] for failure in failures()]:
            break
        expect_whole(search)
    return search


# Each in a search of its own: until a record tells of a build, all others of its search may be killed, too.
for kind, server, verdict in ("a build", "tune-worker", "build-crashed"), ("a run", "tune-measure", "run-crashed"):
    search = start_and_kill_twice(kind, verdict)
    is_early = is_before_last_trial()
    killed = {name: kill(search, name) for name in ("tune-worker", "tune-measure")}
    # One that was killed after its last job is not started again.
    for name in started_again(search, killed):
        if "%s was started again 1 time: it was killed by SIGKILL" % name not in text():
            fail("it does not tell that %s was killed" % name)
    if is_early and not re.search(server + r" started \d+ of its children again: killed by SIGKILL", text()):
        fail("it does not tell that children of %s were killed" % server)
    for failure in failures():
        print("killed twice: %s: %s" % failure[2:])
