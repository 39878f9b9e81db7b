"""Writes .npz files into the folder of argument 1 for the module beside: a of 10 by 8 and b of 8 by 5."""

import os
import struct
import sys
import zipfile

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def npy(description, shape, data, is_fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (description, is_fortran, shape)
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def save(name, **arrays):
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for key, data in arrays.items():
            archive.writestr(key + ".npy", data)


def pack(values, kind="f"):
    return struct.pack("<%d%s" % (len(values), kind), *values)


rows = [[i + j for j in range(8)] for i in range(10)]
columns = [[i - j for j in range(5)] for i in range(8)]
product = [sum(row[k] * columns[k][j] for k in range(8)) for row in rows for j in range(5)]
flat = [value for row in rows for value in row]
turned = [row[j] for j in range(8) for row in rows]

a = npy("<f4", (10, 8), pack(flat))
b = npy("<f4", (8, 5), pack([value for row in columns for value in row]))
save("order.npz", x=a, y=b)
save("numbers.npz", arr_1=b, arr_0=a)
save("names.npz", b=b, a=a)
save("some_names.npz", b=b, q=a)
save("fortran.npz", a=npy("<f4", (10, 8), pack(turned), True), b=b)
save("apart.npz", a=npy("<f4", (10, 7), pack(flat[:70])), b=b)
save("double.npz", a=npy("<f8", (10, 8), pack(flat, "d")), b=b)
save("one.npz", a=a)
save("product.npz", c=npy("<f4", (10, 5), pack(product)))
save("product_of_doubles.npz", c=npy("<f8", (10, 5), pack(product, "d")))
