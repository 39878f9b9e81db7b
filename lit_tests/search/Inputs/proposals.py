"""proposals.py: reads what `tune-db export` writes and prints what was tried, without what was measured
or decided by that: the config of each trial, sorted. A second record of a trial whose earlier time did
not hold (another program ran meanwhile) is none."""

import json
import sys

records = [json.loads(line) for line in sys.stdin]
trials = [r for r in records if r["kind"] == "trial" and "does not hold" not in r.get("error", "")]
print(*sorted(json.dumps(r["config"], sort_keys=True) for r in trials), sep="\n")
