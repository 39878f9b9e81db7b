"""varied.py: reads what `tune-db export` writes and prints the knobs that have several values in trials."""

import json
import sys

values = {}
for record in map(json.loads, sys.stdin):
    if record["kind"] == "trial":
        for name, value in record["config"].items():
            values.setdefault(name, set()).add(value)
for name in sorted(values):
    if len(values[name]) > 1:
        print(name)
