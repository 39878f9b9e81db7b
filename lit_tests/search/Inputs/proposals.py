"""proposals.py: reads what `tune-db export` writes and prints what was tried, without what was measured
or decided by that: the config of each trial, sorted."""

import json
import sys

records = [json.loads(line) for line in sys.stdin]
print(*sorted(json.dumps(r["config"], sort_keys=True) for r in records if r["kind"] == "trial"), sep="\n")
