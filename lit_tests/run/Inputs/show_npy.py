"""Prints the headers of .npy files: show_npy.py FILE..."""

import struct
import sys

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        print(file.read(struct.unpack("<H", file.read(2))[0]).decode().strip())
