"""Whether records in an export have counters and the check's reasons: counters.py EXPORT"""

import json
import sys

NAMES = {"cycles", "instructions", "flops", "cache_misses", "branch_misses", "page_faults", "context_switches"}
records = 0
for line in open(sys.argv[1]):
    record = json.loads(line)
    if record["kind"] not in ("trial", "winner") or record["verdict"] not in ("ok", "duplicate"):
        continue
    records += 1
    counters = record["counters"]
    assert {"page_faults", "context_switches"} <= set(counters) <= NAMES, counters
    assert all(count >= 0 for count in counters.values()), counters
    check = record["check"]
    assert check["type"] == "f32" and check["reduction"] == 16 and check["magnitude"] > 0, check
    assert check["max_error"] <= check["tolerance"] and check["inputs"] in ("dense", "sparse"), check
assert records >= 2, records
print("records have counters")
