#!/usr/bin/env python3
"""Stands in for a python with PyTorch on a GPU, for rows that add: speaks as benchmarks/cuda/cuda_torch.py.
torch.compile's result is said to be wrong. It computes 1 + 2, and takes a second a call."""

import struct
import sys

pairs = dict(pair.split("=", 1) for pair in sys.argv[2:])
assert pairs["op"] == "add" and pairs["device"] == "PTX emulator sm_90", pairs
count = 1024
print("ready stand-in", flush=True)
for line in sys.stdin:
    what, argument = line.split()
    if what == "run":
        print(float(argument), flush=True)
    elif what == "inputs":
        words = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % count
        words = words.ljust(117) + "\n"
        for number in range(2):
            with open("%s/%d.npy" % (argument, number), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(words)) + words.encode() +
                           struct.pack("<%df" % count, *[number + 1.0] * count))
        print("done", flush=True)
    elif what == "compare":
        with open(argument, "rb") as file:
            ours = struct.unpack("<%df" % count, file.read()[-4 * count:])
        assert set(ours) == {3.0}, ours[:8]
        print(0.5 if pairs["form"] == "compile" else 0, flush=True)
