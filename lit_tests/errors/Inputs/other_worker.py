#!/usr/bin/env python3
# A tune-worker that speaks a version of the protocol that is not ours.
import struct
import sys

hello = b'{"hello": "tune-worker", "protocol": 99}'
sys.stdout.buffer.write(struct.pack("<I", len(hello)) + hello)
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
