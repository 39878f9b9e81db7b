# Prints the configs in an export of candidates, one on a line, those of failed builds too.
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    magic, version, length, digest = struct.unpack("<8sII32s", file.read(48))
    description = json.loads(file.read(length))
assert magic == b"TUNEEXPT" and version == 3
for task in description["tasks"]:
    for candidate in task["candidates"]:
        config = " ".join("%s=%d" % item for item in sorted(candidate["config"].items()))
        print(task["task"]["name"], candidate["strategy"], config)
