"""Compares the times of the configs that two exports of a database have in common."""

import json
import sys


def times(path):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return {json.dumps(record["config"], sort_keys=True): record["time"]["median"]
            for record in records if record["kind"] == "trial"}


some, others = map(times, sys.argv[1:])
both = some.keys() & others.keys()
assert all(some[config] == others[config] for config in both)
print("%d configs are in both, and take as long" % len(both))
