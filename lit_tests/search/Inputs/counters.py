"""counters.py EXPORT LOG: whether records in an export have counters and the check's reasons.

Where they lack some of the processor's, LOG says so in one line; where they have all, in none."""

import json
import sys

NAMES = {"cycles", "instructions", "flops", "cache_misses", "branch_misses", "page_faults", "context_switches"}
records = lacking = 0
for line in open(sys.argv[1]):
    record = json.loads(line)
    if record["kind"] not in ("trial", "winner") or record["verdict"] not in ("ok", "duplicate"):
        continue
    records += 1
    counters = record["counters"]
    assert {"page_faults", "context_switches"} <= set(counters) <= NAMES, counters
    lacking += set(counters) != NAMES
    assert all(count >= 0 for count in counters.values()), counters
    check = record["check"]
    assert check["type"] == "f32" and check["reduction"] == 16 and check["magnitude"] > 0, check
    assert check["max_error"] <= check["tolerance"] and check["inputs"] in ("dense", "sparse"), check
assert records >= 2, records
with open(sys.argv[2]) as log:
    remarks = [line for line in log if " lack some counters: " in line]
assert len(remarks) == (1 if lacking else 0), (lacking, remarks)
print("records have counters")
