"""Samples of a peer's time, until there are enough of them. Its program prints what `report` gives."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))
import contest

TOLERANCE = 1e-3  # of the size of the values: Winograd in f32 is off by less


def take(sample, budget):
    """Calls `sample`, which gives seconds, for `budget` seconds, but six times at least; the first
    call, which compiles, is not counted."""
    sample()
    samples, start = [], time.monotonic()
    with contest.turn(os.sched_getaffinity(0)):
        while len(samples) < 6 or time.monotonic() - start < budget:
            samples.append(sample())
    return samples


def is_wrong(result, expected):
    """None, or by how much; both are numpy arrays."""
    scale = float(abs(expected).max()) or 1.0
    error = float(abs(result - expected).max()) / scale
    return None if error <= TOLERANCE else "its result is off by %.2g of its size" % error


def report(samples, how):
    seconds, low, high = contest.median_interval(samples)
    print(json.dumps({"seconds": seconds, "low": low, "high": high, "how": how}))


def refuse(why):
    print(json.dumps({"error": why}))
    sys.exit(0)
