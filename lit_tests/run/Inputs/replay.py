"""replay.py DATABASE FOLDER OPTION...: replays all records of the first task in the database by tune-run
--record, in the folder and with its temporary files there, and says whether the code of each is the same."""

import json
import os
import subprocess
import sys

database, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
show = ["tune-db", "show", "matmul", "--db=" + database, "--format=json", "--limit=100"]
records = json.loads(subprocess.check_output(show))["records"]
for record in records:
    command = ["tune-run", "--record=" + record["record"], "--db=" + database, "--format=json"]
    replay = subprocess.run(
        command + options, cwd=folder, env=dict(os.environ, TMPDIR=folder), capture_output=True
    )
    report = json.loads(replay.stdout) if replay.stdout else {}
    same = report.get("same_code") and report.get("same_verdict") and report.get("same_device")
    if replay.returncode != 0 or not same:
        sys.exit("%s: %s%s" % (command, replay.stdout.decode(), replay.stderr.decode()))
print("%d records, the code of each is the same" % len(records))
