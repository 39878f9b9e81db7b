"""Drives tune-worker: drive.py WORKER < requests

Each line of stdin is a request in JSON, sent as it is ("@file" as a string's value reads that file),
or a word of its own:

  wait N     reads N replies and prints each on a line
  sleep S    sleeps for S seconds
  close      closes the worker's stdin
  children N waits until the worker has N processes below it, and says so
  peak N     says whether the worker never had more than N MB of memory
  behead     kills the worker's own child as kill -9 does, and waits until another one is there, or none
  kill       kills the worker as kill -9 does, and says what is left of its children

At the end the worker's input is closed and its exit status printed.
"""

import json
import os
import signal
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


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def below(pid):
    found = []
    for child in children_of(pid):
        found += [child] + below(child)
    return found


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


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
        wanted = int(words[1])
        wait_until(lambda: len(below(worker.pid)) == wanted)
        print("children", len(below(worker.pid)), flush=True)
    elif words[0] == "peak":
        with open("/proc/%d/status" % worker.pid) as file:
            peak = int(file.read().split("VmHWM:")[1].split()[0]) / 1000
        print("peak is below" if peak < int(words[1]) else "peak is %d MB" % peak, flush=True)
    elif words[0] == "behead":
        (child,) = children_of(worker.pid)
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: child not in children_of(worker.pid))
        # Between the two there is none, for a moment.
        another = False
        for _ in range(300):
            another = another or bool(children_of(worker.pid))
            if another or worker.poll() is not None:
                break
            time.sleep(0.01)
        print("another one" if another else "none", flush=True)
    elif words[0] == "kill":
        children = below(worker.pid)
        worker.kill()
        worker.wait()
        gone = wait_until(lambda: not any(is_alive(pid) for pid in children))
        print("killed, with", len(children), "children,", "all gone" if gone else "some left")
    else:
        send(worker, with_files(json.loads(line)))
children = below(worker.pid)
if not worker.stdin.closed:
    worker.stdin.close()
print("exit", worker.wait(timeout=300))
if any(is_alive(pid) for pid in children):
    print("some children are left")
