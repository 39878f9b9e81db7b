# Writes the reference of each task in an export of candidates to PREFIX.0, PREFIX.1, ...
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    length = struct.unpack("<8sII32s", file.read(48))[2]
    description = json.loads(file.read(length))
    blobs = [file.read(blob["bytes"]) for blob in description["blobs"]]
for number, task in enumerate(description["tasks"]):
    with open("%s.%d" % (sys.argv[2], number), "wb") as file:
        file.write(blobs[task["reference"]])
