"""sums.py REFERENCE M N K: whether a reference of a product of f32 sums each element up in the order of the
reduction, to the same bits as one sum after the other in f32."""

import array
import ctypes
import random
import struct
import sys


class Tensor(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("sizes", ctypes.c_int64 * 2), ("strides", ctypes.c_int64 * 2)]


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


m, n, k = (int(text) for text in sys.argv[2:])
random.seed(1)
a, b = (array.array("f", [random.uniform(-1, 1) for _ in range(count)]) for count in (m * k, k * n))
tensors = [Tensor(x.buffer_info()[0], x.buffer_info()[0], 0, (rows, columns), (columns, 1))
           for x, rows, columns in ((a, m, k), (b, k, n))]
result = Tensor()
pointers = (ctypes.c_void_p * 3)(*[ctypes.addressof(t) for t in tensors + [result]])
ctypes.CDLL(sys.argv[1]).tune_entry(pointers)
values = ctypes.cast(result.aligned, ctypes.POINTER(ctypes.c_float))
for row in (0, m - 1):
    for column in (0, 1, n // 2, n - 2, n - 1):
        total = 0.0
        for step in range(k):
            total = f32(total + f32(a[row * k + step] * b[step * n + column]))
        assert values[row * n + column] == total, (row, column, values[row * n + column], total)
print("all sums are as they should be")
