"""killed.py SIGNALS COUNT SEED FOLDER COMMAND...: a search that is ended at COUNT random moments.

The command is a search, in whose words DB is the database and OUT the module that is written. It runs once
undisturbed; then again and again in new databases, ended by one of the SIGNALS (KILL,TERM,…) at a
random moment and started again, a few times, then to its end. The trials are a small part of a search's
time: a moment is one of all its time, or, where too few fell amid the trials, a bit after the database has
some random number of them. At least a third of COUNT has to be amid the trials, with new ones before and some
still to come: where chance has it otherwise it goes on, to four times COUNT. Each time it is checked that

- no record that was there before is lost or changed, and no config is measured twice; but for one whose
  time, on a machine that has changed its pace, does not hold, which the second record then says,
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
            "SELECT kind, config, verdict, seconds, digest, error FROM trials ORDER BY id"
        ).fetchall()
    except sqlite3.OperationalError:  # killed before the tables were made
        return []
    finally:
        connection.close()


# But for those that say again what an earlier one did.
def trials_of(some):
    return [r for r in some if r[0] == "trial" and (is_exact or "does not hold" not in (r[5] or ""))]


# Returns when the database has `count` trials, or the search is over. What reads makes no file and waits for
# nobody.
def wait_for_trials(search, count):
    connection = None
    while search.poll() is None:
        try:
            if not connection:
                connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True, timeout=0)
            if connection.execute("SELECT count(*) FROM trials WHERE kind = 'trial'").fetchone()[0] >= count:
                break
        except sqlite3.OperationalError:  # there is no file yet, or no table
            time.sleep(0.001)
    if connection:
        connection.close()


def expect_sound(before):
    now = records()
    if now[: len(before)] != before:
        fail("records were lost or changed: %d before, %d now" % (len(before), len(now)))
    configs = [json.dumps(json.loads(r[1]), sort_keys=True) for r in trials_of(now)]
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

# From one trial to the next.
connection = sqlite3.connect(database)
first, last = connection.execute("SELECT min(created_ms), max(created_ms) FROM trials").fetchone()
connection.close()
all_trials = len(trials_of(undisturbed))
step = (last - first) / 1e3 / all_trials

done = {name: 0 for name in names}
amid = 0


def is_enough():
    ended = sum(done.values())
    return ended >= count and (3 * amid >= count or ended >= 4 * count)


while not is_enough():
    begin_anew()
    known = []
    for attempt in range(5):
        search = start()
        if amid < 0.4 * (sum(done.values()) + 1):
            wait_for_trials(search, random.randint(len(trials_of(known)) + 1, all_trials))
            time.sleep(random.uniform(0, step))
        else:
            time.sleep(random.uniform(0, seconds))
        name = random.choice(names)
        number = getattr(signal, "SIG" + name)
        if search.poll() is None and not is_enough():
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
        before, known = len(trials_of(known)), expect_sound(known)
        amid += before < len(trials_of(known)) < all_trials
        if len(trials_of(known)) == all_trials:
            break
    status = start().wait()
    expect_done()
    if left_behind.is_process_left():
        fail("a process is left")
    expect_no_file()
    known = expect_sound(known)
    trials = [trials_of(some) for some in (undisturbed, known)]
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
print("of these amid the trials:", amid)
if 3 * amid < count:
    fail("fewer than a third were amid the trials")
