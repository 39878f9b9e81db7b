"""stopped.py SIGNAL TRIALS DATABASE COMMAND...: runs the command, a search, and sends the signal to it
and its servers, as Ctrl-C does, once the database has that many trials. Prints how it ended."""

import os
import signal
import sqlite3
import subprocess
import sys
import time


def count_trials(database):
    """What was tried, as proposals.py counts it: that an earlier time did not hold is no trial."""
    try:
        connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
        return connection.execute("SELECT count(*) FROM trials WHERE kind = 'trial' AND "
                                  "coalesce(error, '') NOT LIKE '%does not hold%'").fetchone()[0]
    except sqlite3.OperationalError:  # not there yet
        return 0


number = getattr(signal, sys.argv[1])
if number != signal.SIGKILL:
    signal.signal(number, signal.SIG_DFL)  # a shell may have started all this with it ignored
trials, database, command = int(sys.argv[2]), sys.argv[3], sys.argv[4:]
search = subprocess.Popen(command, start_new_session=True)
while search.poll() is None and count_trials(database) < trials:
    time.sleep(0.005)
if search.poll() is not None:
    sys.exit("the search ended by itself with %d" % search.returncode)
if number == signal.SIGKILL:
    search.kill()
else:
    os.killpg(search.pid, number)
status = search.wait()
print("ended with %d" % status if status >= 0 else "killed by %s" % signal.Signals(-status).name)
