"""Whether a report of two modules hangs together: check_json.py REPORT"""

import json
import statistics
import sys

TIMED = (
    "file function target threads flush_cache median_ns ci95_ns min_ns max_ns samples_ns runs_per_sample outliers"
    " flops bytes gflops gbytes_per_s percent_of_peak percent_of_roofline bound_by counters profile check tasks code arena packs_ahead"
    " packs_at_load"
).split()
with open(sys.argv[1]) as file:
    report = json.load(file)
assert set(report) == set(TIMED + "seed reference_ns shapes machine compare placements notes warnings".split()), sorted(report)
other, = report["compare"]
machine = report["machine"]
assert set(machine) == {"model", "cpus", "governor", "load"} and machine["model"], machine
assert len(machine["cpus"]) == 1 and len(machine["load"]) == 2, machine
assert set(other) == set(TIMED + ["ratio", "ratio_ci95"]), sorted(other)
assert report["seed"] == 7 and report["shapes"] == [[64, 32], [32, 48]]
for of in (report, other):
    median = of["median_ns"]
    assert abs(median - statistics.median(of["samples_ns"])) < 1e-6 * median
    assert of["ci95_ns"][0] <= median <= of["ci95_ns"][1]
    assert of["min_ns"] == min(of["samples_ns"]) and of["max_ns"] == max(of["samples_ns"])
    assert abs(of["gflops"] - of["flops"] / median) < 1e-6 * of["gflops"]
    assert abs(of["gbytes_per_s"] - of["bytes"] / median) < 1e-6 * of["gbytes_per_s"]
    assert 0 < of["percent_of_peak"] <= of["percent_of_roofline"] * (1 + 1e-6)
    assert abs(sum(of["bound_by"].values()) - 1) < 1e-6, of["bound_by"]
    check = of["check"]
    assert 0 <= check["max_error"] <= check["tolerance"]
    assert (check["type"], check["reduction"], check["inputs"]) == ("f32", 32, "dense")
    assert check["accumulator"] is check["operands"] is check["leeway"] is None
    # What targets/output_check.h has for every element, and at most that for one of 6 R.
    roundoff, of_all = 2**-24, 8 * 32**0.5 * check["magnitude"]
    assert roundoff * of_all <= check["tolerance"] <= roundoff * (of_all + 36 * 6 * check["magnitude"]), check
    assert [task["count"] for task in of["tasks"]] == [1] and of["tasks"][0]["from"] == "default"
assert report["placements"] == 9, report["placements"]
low, high = other["ratio_ci95"]
assert 0 < low <= other["ratio"] <= high
