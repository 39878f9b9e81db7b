"""Whether the counters of a report of tune-run --format=json are what they can be."""
import json
import sys

report = json.load(open(sys.argv[1]))
for module in [report, *report["compare"]]:
    counters = module["counters"]
    known = ["cycles", "instructions", "cache_misses", "branch_misses", "page_faults", "flops"]
    assert counters["context_switches"] >= 0
    assert ("missing" in counters) == any(counters[name] is None for name in known), counters
    for name in known:
        assert counters[name] is None or counters[name] >= 0
    if counters["cycles"] is not None:  # of a run that takes microseconds
        assert 1e3 < counters["cycles"] < 1e9 and 0.1 < counters["instructions"] / counters["cycles"] < 10
