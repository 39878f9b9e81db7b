"""killed.py SIGNALS COUNT SEED FOLDER COMMAND...: a search that is ended at COUNT random moments.

The command is a search, in whose words DB is the database and OUT the module that is written. It runs once
undisturbed; then again and again in new databases, ended by one of the SIGNALS (KILL,TERM,…) after a
random time and started again, a few times, then to its end. Each time it is checked that

- no record that was there before is lost or changed, and no config is measured twice,
- no process is left, and no file in the folder for temporary ones, soon after each end,
- nothing lies beside the database and the module but what SQLite keeps there,
- a signal other than KILL leaves a search that ends with 0 and has written its module, or one that had
  not begun, or was over, and is ended by it,
- in the end there are as many trials as in the undisturbed search; on the target null they are the
  same, and the module is the same."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import left_behind

names, count, seed, folder = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
command = sys.argv[5:]
is_exact = any("target=null" in word for word in command)
database, module = os.path.join(folder, "tune.db"), os.path.join(folder, "out.mlir")
scratch = os.path.join(folder, "scratch")
command = [word.replace("DB", database).replace("OUT", module) for word in command]
random.seed(seed)
for name in names:
    if name != "KILL":  # a shell may have started all this with it ignored
        signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)
left_behind.adopt()


def fail(message):
    sys.exit("killed.py: " + message)


def start():
    log = open(os.path.join(folder, "log"), "w")
    return subprocess.Popen(command, stderr=log, env=dict(os.environ, TMPDIR=scratch))


def log():
    with open(os.path.join(folder, "log")) as file:
        return file.read()


def expect_no_file():
    known_names = {"scratch", "log", "out.mlir", "tune.db", "tune.db-wal", "tune.db-shm", "tune.db-journal"}
    if set(os.listdir(folder)) - known_names:
        fail("left beside the module: %s" % os.listdir(folder))
    if os.listdir(scratch):
        fail("left in the folder for temporary files: %s" % os.listdir(scratch))


# By identity; what of them may be compared with another search on the null target is first.
def records():
    if not os.path.exists(database):
        return []
    connection = sqlite3.connect(database)
    try:
        return connection.execute(
            "SELECT kind, config, verdict, median, digest, strategy FROM trials ORDER BY id"
        ).fetchall()
    except sqlite3.OperationalError:  # killed before the tables were made
        return []
    finally:
        connection.close()


def expect_sound(before):
    now = records()
    if now[: len(before)] != before:
        fail("records were lost or changed: %d before, %d now" % (len(before), len(now)))
    configs = [json.dumps(json.loads(r[1]), sort_keys=True) for r in now if r[0] == "trial"]
    if len(set(configs)) != len(configs):
        fail("a config was measured twice")
    return now


def expect_done():
    if status != 0:
        fail("ended with %d: %s" % (status, log()))
    if not os.path.exists(module) or not os.path.getsize(module):
        fail("no module was written")


def begin_anew():
    for name in ("tune.db", "tune.db-wal", "tune.db-shm", "out.mlir"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(scratch)
began = time.monotonic()
status = start().wait()
seconds = time.monotonic() - began
expect_done()
undisturbed = expect_sound([])
with open(module) as file:
    undisturbed_module = file.read()

done = {name: 0 for name in names}
in_the_middle = 0
while sum(done.values()) < count:
    begin_anew()
    known = []
    for attempt in range(5):
        search = start()
        time.sleep(random.uniform(0, seconds))
        name = random.choice(names)
        number = getattr(signal, "SIG" + name)
        if search.poll() is None and sum(done.values()) < count:
            search.send_signal(number)
            done[name] += 1
        status = search.wait()
        is_searching = "records in" in log() and "of them new" not in log()
        if status == -number and name != "KILL" and is_searching:
            fail("SIG%s has ended the search, which was to end by itself" % name)
        if status != -number:
            expect_done()
        if left_behind.is_process_left():
            fail("a process is left")
        expect_no_file()
        before, known = len(known), expect_sound(known)
        in_the_middle += before < len(known) < len(undisturbed)
        if len(known) == len(undisturbed):
            break
    status = start().wait()
    expect_done()
    if left_behind.is_process_left():
        fail("a process is left")
    expect_no_file()
    known = expect_sound(known)
    trials = [[r for r in some if r[0] == "trial"] for some in (undisturbed, known)]
    if len(trials[0]) != len(trials[1]):
        fail("%d trials, undisturbed %d" % (len(trials[1]), len(trials[0])))
    if is_exact and sorted(r[:4] for r in trials[0]) != sorted(r[:4] for r in trials[1]):
        fail("other trials than undisturbed")
    if is_exact and [r[:4] for r in undisturbed if r[0] == "winner"][-1] != [
        r[:4] for r in known if r[0] == "winner"
    ][-1]:
        fail("another winner than undisturbed")
    with open(module) as file:
        if is_exact and file.read() != undisturbed_module:
            fail("another module than undisturbed")
print("ended", ", ".join("%d times by SIG%s" % (done[name], name) for name in names))
if in_the_middle:
    print("of these in the middle of the trials: some")
