"""Reads an export of tune-db. `lower` divides the kept peaks by 100, as if they had been measured on
a busy machine: `trusted`, so that nobody would measure them again, or `old`, as earlier versions
kept them. `peak` says whether that of f32 is what it was in the export FILE, give or take a half."""
import json
import sys
import time


def rooflines(lines):
    for line in lines:
        record = json.loads(line)
        yield record, record.get("description", {}).get("roofline")


if sys.argv[1] == "lower":
    for record, roofline in rooflines(sys.stdin):
        if roofline:
            roofline["peak"] = {name: peak / 100 for name, peak in roofline["peak"].items()}
            roofline.update({"measured": time.time(), "confirmed": 2})
            if sys.argv[2] == "old":
                del roofline["measured"], roofline["confirmed"]
        print(json.dumps(record))
else:
    found = [r["peak"]["f32"] for _, r in rooflines(sys.stdin) if r]
    right = [r["peak"]["f32"] for _, r in rooflines(open(sys.argv[2])) if r]
    print("peak", "right" if found[0] > right[0] / 2 else "too low")
