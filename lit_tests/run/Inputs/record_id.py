"""record_id.py VERDICT: reads what `tune-db show --format=json` writes and prints the record of the first
trial with that verdict."""

import json
import sys

print(next(r["record"] for r in json.load(sys.stdin)["records"] if r["verdict"] == sys.argv[1]))
