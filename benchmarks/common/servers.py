"""Talks to tune-worker and tune-measure: docs/protocol.md has their messages."""

import json
import struct
import subprocess

PROTOCOL = 1


class ServerError(Exception):
    """A server said no, or is gone; the text says why."""


class Server:
    """One of the two, started; a context manager that ends it."""

    def __init__(self, program, log):
        self.name = program.name
        with open(log, "ab") as stderr:
            self.process = subprocess.Popen([program, "--serve"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=stderr)
        self.send({"hello": "benchmarks", "protocol": PROTOCOL})
        if self.receive().get("protocol") != PROTOCOL:
            raise ServerError("%s speaks another protocol" % self.name)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def send(self, message):
        data = json.dumps(message).encode()
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()

    def receive(self):
        length = self.process.stdout.read(4)
        if len(length) < 4:
            raise ServerError("%s has ended" % self.name)
        message = json.loads(self.process.stdout.read(struct.unpack("<I", length)[0]))
        if "error" in message and "verdict" not in message:
            raise ServerError(message["error"]["message"])
        return message

    def ask(self, **request):
        self.send(request)
        while "waiting" in (reply := self.receive()):
            pass
        return reply


def open_task(worker, workload, folder):
    """Builds the plainest lowering for the CPU, to check against. Returns what tune-measure's request
    has to say of the task."""
    opened = worker.ask(do="open", task=workload.name, payload=workload.module, payload_source=workload.name,
                        describe=True, module={}, target={"name": "cpu"}, threads=1)
    reference = folder / (workload.name + ".reference.so")
    built = worker.ask(do="build", ticket=1, task=workload.name, config=None, output=str(reference),
                       emit="so", limits={"seconds": 60, "bytes": 4e9})
    if built["verdict"] != "built":
        raise ServerError("the reference: %s" % built["error"])
    reductions = [task["reduction"] for task in opened["tasks"]]
    about = {"signature": opened["signature"], "reference": str(reference), "sensitivity": True,
             "reduction": max(reductions, default=1), "seed": 0}
    return {**about, "accumulator": opened["accumulator"]} if opened["accumulator"] else about
