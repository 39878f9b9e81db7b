"""Drives tune-worker: drive.py WORKER < requests

Each line of stdin is a request in JSON, sent as it is ("@file" as a string's value reads that file),
or a word of its own:

  wait N     reads N replies and prints each on a line
  sleep S    sleeps for S seconds
  close      closes the worker's stdin
  children   prints how many processes the worker has below it

At the end the worker's input is closed and its exit status printed.
"""

import json
import os
import struct
import subprocess
import sys
import time


def send(worker, message):
    data = json.dumps(message).encode()
    worker.stdin.write(struct.pack("<I", len(data)) + data)
    worker.stdin.flush()


def receive(worker):
    head = worker.stdout.read(4)
    if len(head) < 4:
        return None
    return json.loads(worker.stdout.read(struct.unpack("<I", head)[0]))


def with_files(value):
    if isinstance(value, dict):
        return {key: with_files(item) for key, item in value.items()}
    if isinstance(value, str) and value.startswith("@"):
        with open(value[1:]) as file:
            return file.read()
    return value


def count_below(pid):
    count = 0
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            for child in file.read().split():
                count += 1 + count_below(int(child))
    except OSError:
        pass
    return count


def show(reply):
    # Times differ from run to run; that they are there is what counts.
    if reply and "seconds" in reply:
        reply["seconds"] = sorted(reply["seconds"])
    print(json.dumps(reply), flush=True)


worker = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
send(worker, {"hello": "drive", "protocol": 1})
show(receive(worker))
for line in sys.stdin:
    words = line.split()
    if not words or words[0].startswith("//"):
        continue
    if words[0] == "wait":
        for _ in range(int(words[1])):
            show(receive(worker))
    elif words[0] == "sleep":
        time.sleep(float(words[1]))
    elif words[0] == "close":
        worker.stdin.close()
    elif words[0] == "children":
        print("children", count_below(worker.pid), flush=True)
    else:
        send(worker, with_files(json.loads(line)))
if not worker.stdin.closed:
    worker.stdin.close()
print("exit", worker.wait(timeout=30))
