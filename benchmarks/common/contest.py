"""Contestants side by side: processes that take turns on the same cores (contestant.h has the protocol).

A round is one sample of each contestant in order, then one of each in the opposite order (A B B A), so
that what drifts - the clock rate, a neighbour - is the same for all. While one runs the others are
stopped: idle threads of their libraries do not spin beside it.
"""

import contextlib
import ctypes
import fcntl
import math
import os
import select
import signal
import statistics
import subprocess
import time
from pathlib import Path

START_SECONDS = 600  # for a line from a contestant: an IREE or torch contestant compiles first

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class ContestError(Exception):
    """A contestant cannot do the workload, or died; the text says why."""


def core_of(cpu):
    """CPUs of the same core have the same number here."""
    try:
        siblings = Path("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu).read_text()
    except OSError:
        return cpu
    return int(siblings.replace("-", ",").split(",")[0])


@contextlib.contextmanager
def turn(cpus):
    """Holds the cores of `cpus` against whoever of this user measures on them with our tools:
    tools/tune-measure/cpu_lock.h has the rules. Goes on without where the file cannot be made."""
    folder = Path("/tmp/mlir-tune-%d" % os.geteuid())
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        file = open(folder / "cpus.lock", "r+b" if (folder / "cpus.lock").exists() else "w+b")
    except OSError:
        yield
        return
    with file:
        for core in sorted({core_of(cpu) for cpu in cpus}):
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * core + 1)
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * core)
            fcntl.lockf(file, fcntl.LOCK_UN, 1, 2 * core + 1)
        yield


def enter_child(cpus):
    """In a contestant before it begins: its cores, and its end when this program ends, however."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.sched_setaffinity(0, cpus)


class Contestant:
    """One program of contestant.h, started, ready and stopped. Close it."""

    def __init__(self, name, command, environment, cpus, log):
        self.name, self.form = name, ""
        with open(log, "ab") as stderr:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                env={**os.environ, **environment}, start_new_session=True,
                preexec_fn=lambda: enter_child(cpus))
        self.buffer = b""
        try:
            word, _, self.form = self.line().partition(" ")
            if word != "ready":
                raise ContestError(self.form or word)
        except ContestError:
            self.close()
            raise
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)  # its session is its own, made at the start
        except ProcessLookupError:
            pass

    def line(self):
        deadline = time.monotonic() + START_SECONDS
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise ContestError("no answer in %d s" % START_SECONDS)
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise ContestError("ended with status %d" % self.process.wait())
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode(errors="replace").strip()

    def ask(self, request):
        self.signal(signal.SIGCONT)
        try:
            self.process.stdin.write(request.encode() + b"\n")
            self.process.stdin.flush()
            answer = self.line()
        except BrokenPipeError:
            raise ContestError("ended with status %d" % self.process.wait()) from None
        if answer.startswith("error"):
            raise ContestError(answer[len("error "):])
        self.signal(signal.SIGSTOP)
        return answer

    def run(self, repeats):
        """Seconds of one call, the mean of `repeats` in a row."""
        return float(self.ask("run %d" % repeats)) / repeats

    def write(self, path):
        self.ask("write %s" % path)

    def close(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def median_interval(values):
    """Median and its 95 % interval by order statistics, which assume no distribution; the range
    where there are fewer than six values.

    >>> median_interval([3, 1, 2])
    (2, 1, 3)
    >>> median_interval(range(1, 21))
    (10.5, 6, 15)
    """
    ordered = sorted(values)
    count = len(ordered)
    rank, below = 0, 0.5 ** count  # below: the chance that the median is under ordered[rank]
    while count >= 6:
        more = below + math.comb(count, rank + 1) * 0.5 ** count
        if 2 * more > 0.05:
            break
        rank, below = rank + 1, more
    return statistics.median(ordered), ordered[rank], ordered[count - 1 - rank]


def calibrate(contestant, sample_seconds):
    """How many calls make a sample."""
    repeats = 1
    for _ in range(2):  # a first call is slow: again once it is warm
        seconds = min(contestant.run(repeats) for _ in range(2))
        repeats = max(1, math.ceil(sample_seconds / max(seconds, 1e-9)))
    return repeats


def compare(own, reference):
    ratio, low, high = median_interval([a / b for a, b in zip(own, reference)])
    return {"median": statistics.median(own), "ratio": ratio, "low": low, "high": high,
            "rounds": len(own)}


def compete(contestants, cpus, sample_seconds=0.005, precision=0.005, round_limit=60, budget=20.0):
    """Times all on `cpus`, where they are pinned already, relative to the first. Returns ({name:
    result}, {name: error}); a result has `median` (seconds), `ratio`, `low`, `high` (time over the
    first's, by rounds, 95 %), `rounds`. Ends when all ratios are known to `precision`, after
    `round_limit` rounds, or after `budget` seconds, but not before six rounds."""
    errors, repeats, samples, results = {}, {}, {}, {}
    first, start = contestants[0].name, time.monotonic()
    for contestant in contestants:
        try:
            repeats[contestant.name] = calibrate(contestant, sample_seconds)
            samples[contestant.name] = []
        except ContestError as error:
            errors[contestant.name] = str(error)
    for turns in range(round_limit):
        alive = [contestant for contestant in contestants if contestant.name not in errors]
        if first in errors:
            return {}, errors
        # Another one begins each round, so that none always runs after the same other.
        begin = turns % len(alive)
        order = alive[begin:] + alive[:begin]
        times = dict.fromkeys(repeats, 0.0)
        with turn(cpus):
            for contestant in order + order[::-1]:
                try:
                    times[contestant.name] += contestant.run(repeats[contestant.name]) / 2
                except ContestError as error:
                    errors[contestant.name] = str(error)
        for contestant in alive:
            samples[contestant.name].append(times[contestant.name])
        if turns < 5:
            continue
        results = {name: compare(own, samples[first]) for name, own in samples.items()
                   if name not in errors}
        if all(r["high"] - r["low"] <= 2 * precision * r["ratio"] for r in results.values()):
            break
        if time.monotonic() - start > budget:
            break
    return results, errors
