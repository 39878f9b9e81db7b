"""Writes x.npz, y.npz, x.safetensors, y.safetensors and damaged ones into the folder of argument 1:
two arguments of 4 by 3, f32 and bf16, and their sum."""

import io
import json
import os
import struct
import sys
import zipfile

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def npy(description, shape, data):
    text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (description, shape)
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def write_zip(name, arrays, method):
    with zipfile.ZipFile(os.path.join(folder, name), "w", method) as archive:
        for key, data in arrays:
            # As numpy does, which does not know sizes ahead.
            with archive.open(key + ".npy", "w", force_zip64=True) as entry:
                entry.write(data)


def write_safetensors(name, arrays):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for key, kind, shape, data in arrays:
        header[key] = {"dtype": kind, "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(a[3] for a in arrays))


a = [i / 2 for i in range(12)]
b = [1.0, -2.0, 0.5] * 4
a_bytes = struct.pack("<12f", *a)
b_bytes = b"".join(struct.pack("<f", value)[2:] for value in b)
sums = struct.pack("<12f", *(x + y for x, y in zip(a, b)))
wrong = struct.pack("<12f", *(x + y + (i == 7) for i, (x, y) in enumerate(zip(a, b))))

first, second = npy("<f4", (4, 3), a_bytes), npy("<u2", (4, 3), b_bytes)
write_zip("x.npz", [("arr_1", second), ("arr_0", first)], zipfile.ZIP_STORED)
write_zip("x_packed.npz", [("x", first), ("y", second)], zipfile.ZIP_DEFLATED)
write_zip("y.npz", [("sum", npy("<f4", (4, 3), sums))], zipfile.ZIP_DEFLATED)
write_zip("wrong.npz", [("sum", npy("<f4", (4, 3), wrong))], zipfile.ZIP_STORED)
write_zip("two.npz", [("a", first), ("b", first)], zipfile.ZIP_STORED)
write_zip("empty.npz", [], zipfile.ZIP_STORED)
write_zip("twice.npz", [("a", first), ("a", first)], zipfile.ZIP_STORED)
write_safetensors("empty.safetensors", [])
write_safetensors("x.safetensors", [("arg1", "BF16", [4, 3], b_bytes), ("arg0", "F32", [4, 3], a_bytes)])
write_safetensors("y.safetensors", [("sum", "F32", [4, 3], sums)])
write_safetensors("short.safetensors", [("sum", "F32", [4, 4], sums)])
write_safetensors("float8.safetensors", [("sum", "F8_E4M3", [48], sums)])
with open(os.path.join(folder, "one.npy"), "wb") as file:
    file.write(npy("<f4", (4,), struct.pack("<4f", 1, 2, 3, 4)))

with open(os.path.join(folder, "x_packed.npz"), "rb") as file:
    packed = bytearray(file.read())
with open(os.path.join(folder, "cut.npz"), "wb") as file:
    file.write(packed[:-30])
packed[120] ^= 0x40
with open(os.path.join(folder, "flipped.npz"), "wb") as file:
    file.write(packed)
