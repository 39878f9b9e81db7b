"""trials.py: reads what `tune-db export` writes and prints each trial in the order made: the values of the
knobs, in the order of their names, and the time in ns."""

import json
import sys

for record in map(json.loads, sys.stdin):
    if record["kind"] == "trial":
        values = ["%s=%d" % item for item in sorted(record["config"].items())]
        print(*values, "%.0f" % (1e9 * record["time"]["median"]))
