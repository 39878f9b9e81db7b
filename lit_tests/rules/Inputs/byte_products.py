"""byte_products.py MODULE FOLDER: whether functions of MODULE give what bytes and scales, computed here, give.

Each is a sum of x[...] * w[...], by the indices below: of the result, then of the sum."""

import itertools
import random
import struct
import subprocess
import sys

# function: shapes of x, w and the result, sizes of the sum, indices in x and in w (None: a border), of which
# dimensions the scales are, and whether there is a third argument that it is added to.
FUNCTIONS = {
    "added": ((37, 96), (96, 128), (37, 128), (96,), lambda i, j, k: (i, k), lambda i, j, k: (k, j), (0,), (1,), True),
    "turned": ((37, 96), (128, 96), (37, 128), (96,), lambda i, j, k: (i, k), lambda i, j, k: (j, k), (0,), (0,),
               False),
    "batched": ((3, 16, 64), (64, 96), (3, 16, 96), (64,), lambda b, i, j, k: (b, i, k), lambda b, i, j, k: (k, j),
                (0, 1), (1,), False),
    "one": ((1, 80, 64), (1, 64, 96), (1, 80, 96), (64,), lambda b, i, j, k: (b, i, k), lambda b, i, j, k: (b, k, j),
            (1,), (2,), False),
    "image": ((1, 16, 14, 14), (96, 16, 3, 3), (1, 96, 14, 14), (16, 3, 3),
              lambda n, f, h, w, c, y, x: (n, c, h + y - 1, w + x - 1)
              if 0 <= h + y - 1 < 14 and 0 <= w + x - 1 < 14 else None,
              lambda n, f, h, w, c, y, x: (f, c, y, x), (0,), (0,), False),
    "strided": ((1, 32, 14, 14), (256, 32, 1, 1), (1, 256, 7, 7), (32,),
                lambda n, f, h, w, c: (n, c, 2 * h, 2 * w), lambda n, f, h, w, c: (f, c, 0, 0), (0,), (0,), False),
}


def all_of(shape):
    return itertools.product(*map(range, shape))


def write(path, shape, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    header += " " * ((-len(header) - 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))


def read(path, count):
    with open(path, "rb") as file:
        return struct.unpack("<%df" % count, file.read()[-4 * count:])


def as_f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def quantized(values, kept):
    """Bytes and scales by index; the largest of what has the same indices along `kept` is 127."""
    most = {}
    for index, value in values.items():
        place = tuple(index[d] for d in kept)
        most[place] = max(most.get(place, 0.0), abs(value))
    inverse = {place: as_f32(127 / value) for place, value in most.items()}
    places = {index: tuple(index[d] for d in kept) for index in values}
    return ({index: round(as_f32(value * inverse[places[index]])) for index, value in values.items()},
            {index: most[places[index]] / 127 for index in values})


def check(module, folder, name):
    x_shape, w_shape, shape, sums, of_x, of_w, kept_x, kept_w, is_added = FUNCTIONS[name]
    draw, inputs = random.Random(name), []
    tensors = []
    for number, of in enumerate([x_shape, w_shape] + [shape] * is_added):
        # Rows and columns of unlike sizes, so that a scale of another one shows.
        tensors.append({index: as_f32(draw.gauss(0, 1) * (1 + sum(index) % 7)) for index in all_of(of)})
        path = "%s/%s.%d.npy" % (folder, name, number)
        write(path, of, list(tensors[-1].values()))
        inputs.append("--input=" + path)
    output = "%s/%s.out.npy" % (folder, name)
    subprocess.run(["tune-run", module, "--function=" + name, "--db=", "--check=false", "--time=0.001",
                    "--output=" + output, *inputs], check=True, stdout=subprocess.DEVNULL)
    x, x_scales = quantized(tensors[0], kept_x)
    w, w_scales = quantized(tensors[1], kept_w)
    wrong = 0
    for index, found in zip(all_of(shape), read(output, len(list(all_of(shape))))):
        total, scale = 0, 0.0
        for step in all_of(sums):
            a, b = of_x(*index, *step), of_w(*index, *step)
            if a is not None:
                total += x[a] * w[b]
                scale = x_scales[a] * w_scales[b]
        value = total * scale + (tensors[2][index] if is_added else 0)
        wrong += abs(found - value) > 2e-6 * (abs(total * scale) + abs(value)) + 1e-30
    print("%s: %d elements are wrong" % (name, wrong))


for function in FUNCTIONS:
    check(sys.argv[1], sys.argv[2], function)
