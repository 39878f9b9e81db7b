#!/usr/bin/env python3
"""Prints a module of linalg on tensors, drawn from a grammar: generate.py SEED [--ops=N].

    func.func @main(tensors) -> tensors

Each step takes a value that is there, or a new argument, and puts one op on it: named and generic
products in any order of their loops and layout of their operands, convolutions (1-D to 3-D, strides,
dilations, groups, depthwise, pads), pooling, reductions over any dimensions, softmax, arg-max, gathers,
broadcasts, transposes, reshapes, slices, concatenations, pads, casts, chains of elementwise ops; at times
inside of an scf.if or a loop. Sizes are odd, powers of two and their neighbours, 1, and now and then 0.
Types are floats, integers and i1.

Values stay in the range of their types: what grows is scaled or squashed, so that what a schedule computes
can be compared with what the plain lowering computes. The same seed gives the same module."""

import random
import sys

FLOATS = ("f32", "f32", "f32", "f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i32", "i64")
SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 8, 11, 12, 15, 16, 16, 17, 24, 31, 32, 32, 33, 48, 63, 64, 64, 65, 96, 100, 128,
         129, 197, 255)
MOST_ELEMENTS = 1 << 17
MOST_WORK = 1 << 24


def is_float(kind):
    return kind[0] in "fb"


def product(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


class Value:
    def __init__(self, name, kind, shape):
        self.name, self.kind, self.shape = name, kind, tuple(shape)

    @property
    def type(self):
        return "tensor<%s%s>" % ("".join("%dx" % size for size in self.shape), self.kind)


class Module:
    def __init__(self, seed, steps):
        self.random = random.Random(seed)
        self.arguments, self.lines, self.values, self.constants = [], [], [], {}
        self.count, self.depth, self.has_zero = 0, 2, self.random.random() < 0.03
        self.seed, self.steps = seed, steps or self.random.randint(1, 6)

    # Words

    def line(self, text, *items):
        self.lines.append("  " * self.depth + (text % items if items else text))

    def fresh(self):
        self.count += 1
        return "%%v%d" % self.count

    def draw(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def size(self):
        if self.has_zero and self.chance(0.1):
            return 0
        return self.random.choice(SIZES)

    def shape(self, rank, most=MOST_ELEMENTS):
        while True:
            shape = [self.size() for _ in range(rank)]
            if product(shape) <= most:
                return shape

    def argument(self, kind, shape):
        value = Value("%%a%d" % len(self.arguments), kind, shape)
        self.arguments.append(value)
        return value

    def constant(self, text, kind):
        if (text, kind) not in self.constants:
            self.constants[text, kind] = "%%c%d" % len(self.constants)
        return self.constants[text, kind]

    def zero(self, kind):
        return self.constant("0.0" if is_float(kind) else "0", kind)

    def empty(self, kind, shape):
        value = Value(self.fresh(), kind, shape)
        self.line("%s = tensor.empty() : %s", value.name, value.type)
        return value

    def filled(self, kind, shape, scalar=None):
        empty, value = self.empty(kind, shape), Value(self.fresh(), kind, shape)
        self.line("%s = linalg.fill ins(%s : %s) outs(%s : %s) -> %s", value.name, scalar or self.zero(kind), kind,
                  empty.name, empty.type, value.type)
        return value

    def start(self, kind, shape):
        """What a reduction starts from: zeros, or an argument."""
        return self.argument(kind, shape) if self.chance(0.2) else self.filled(kind, shape)

    def take(self, rank=None, kinds=None):
        """A value of that rank and one of these types: one that is there, or an argument."""
        fitting = [value for value in self.values
                   if (rank is None or len(value.shape) == rank) and (kinds is None or value.kind in kinds)]
        if fitting and self.chance(0.8):
            return self.random.choice(fitting[-3:])
        rank = self.random.randint(1, 4) if rank is None else rank
        return self.argument(self.random.choice(kinds or FLOATS), self.shape(rank))

    # Ops

    def generic(self, inputs, maps, outputs, output_maps, iterators, body):
        """linalg.generic; `body` gets the names of the scalars and gives back those that are yielded."""
        scalars = ["%%s%d_%d" % (self.count, i) for i in range(len(inputs) + len(outputs))]
        results = [Value(self.fresh(), output.kind, output.shape) for output in outputs]
        loops = ["d%d" % i for i in range(len(iterators))]
        texts = ["affine_map<(%s) -> (%s)>" % (", ".join(loops), ", ".join(map(str, m))) for m in maps + output_maps]
        head = ", ".join(value.name for value in results)
        self.line("%s = linalg.generic {indexing_maps = [%s], iterator_types = [%s]}", head, ", ".join(texts),
                  ", ".join('"%s"' % iterator for iterator in iterators))
        if inputs:
            self.line("    ins(%s : %s)", ", ".join(v.name for v in inputs), ", ".join(v.type for v in inputs))
        self.line("    outs(%s : %s) {", ", ".join(v.name for v in outputs), ", ".join(v.type for v in outputs))
        kinds = [v.kind for v in inputs + outputs]
        self.line("  ^bb0(%s):", ", ".join("%s: %s" % pair for pair in zip(scalars, kinds)))
        self.depth += 2
        yielded = body(scalars)
        self.line("linalg.yield %s : %s", ", ".join(yielded), ", ".join(v.kind for v in outputs))
        self.depth -= 2
        self.line("} -> %s", "(%s)" % ", ".join(v.type for v in results) if len(results) > 1 else results[0].type)
        return results

    def scalar(self, text, *items):
        name = self.fresh()
        self.line("%s = " + text, name, *items)
        return name

    def multiply_add(self, kind, into):
        def body(scalars):
            a, b, c = scalars
            if kind != into:
                op = "extf" if is_float(kind) else "extsi"
                a = self.scalar("arith.%s %s : %s to %s", op, a, kind, into)
                b = self.scalar("arith.%s %s : %s to %s", op, b, kind, into)
            letter = "f" if is_float(into) else "i"
            m = self.scalar("arith.mul%s %s, %s : %s", letter, a, b, into)
            return [self.scalar("arith.add%s %s, %s : %s", letter, c, m, into)]
        return body

    def accumulator(self, kind):
        if kind in ("f16", "bf16"):
            return self.draw("f32", "f32", kind)
        return {"i8": "i32"}.get(kind, kind)

    def product_by_maps(self):
        """A contraction with any number of batch, row, column and depth loops in any order."""
        kind = self.random.choice(FLOATS + INTEGERS)
        kinds_of_loop = (["b"] * self.draw(0, 0, 1, 2) + ["m"] * self.draw(0, 1, 1, 2) + ["n"] * self.draw(0, 1, 1, 2)
                         + ["k"] * self.draw(1, 1, 2))
        self.random.shuffle(kinds_of_loop)
        while True:
            sizes = [self.size() for _ in kinds_of_loop]
            if product(sizes) <= MOST_WORK:
                break

        def operand(letters):
            loops = [i for i, letter in enumerate(kinds_of_loop) if letter in letters]
            self.random.shuffle(loops)
            return ["d%d" % i for i in loops], [sizes[i] for i in loops]
        maps, shapes = zip(operand("bmk"), operand("bnk"), operand("bmn"))
        into = self.accumulator(kind)
        a, b = self.argument(kind, shapes[0]), self.argument(kind, shapes[1])
        iterators = ["reduction" if letter == "k" else "parallel" for letter in kinds_of_loop]
        return self.generic([a, b], [list(maps[0]), list(maps[1])], [self.start(into, shapes[2])], [list(maps[2])],
                            iterators, self.multiply_add(kind, into))[0]

    def named_product(self):
        a = self.take(self.draw(2, 2, 2, 3), FLOATS + INTEGERS)
        into = self.accumulator(a.kind)
        most = max(1, MOST_WORK // max(1, product(a.shape)))
        columns = min(self.size(), most)
        if len(a.shape) == 3:
            b = self.argument(a.kind, (a.shape[0], a.shape[2], columns))
            shape, name = (a.shape[0], a.shape[1], columns), "batch_matmul"
        elif self.chance(0.2):
            b, shape, name = self.argument(a.kind, (a.shape[1],)), (a.shape[0],), "matvec"
        else:
            b, shape, name = self.argument(a.kind, (a.shape[1], columns)), (a.shape[0], columns), "matmul"
            if self.chance(0.3):
                b = self.transposed(self.argument(a.kind, (columns, a.shape[1])), (1, 0))
        start, result = self.start(into, shape), Value(self.fresh(), into, shape)
        self.line("%s = linalg.%s ins(%s, %s : %s, %s) outs(%s : %s) -> %s", result.name, name, a.name, b.name, a.type,
                  b.type, start.name, start.type, result.type)
        return result

    def convolution(self):
        """Of any dimensions, in any layout of image, filter and result, by a generic op or a named one."""
        dims = self.draw(1, 2, 2, 2, 2, 3)
        kind = self.random.choice(FLOATS + ("i8",))
        into = self.accumulator(kind)
        groups = self.draw("none", "none", "none", "depthwise", "grouped")
        stride = [self.draw(1, 1, 1, 2, 3) for _ in range(dims)]
        dilation = [self.draw(1, 1, 1, 2) for _ in range(dims)]
        window = [self.draw(1, 1, 2, 3, 3, 3, 5, 7) for _ in range(dims)]
        while True:
            out = [self.draw(1, 2, 3, 4, 7, 8, 13, 14, 16, 28, 31) for _ in range(dims)]
            batch, g = self.draw(1, 1, 1, 2, 3), self.draw(2, 3, 4, 8)
            f, c = self.draw(1, 3, 4, 8, 15, 16, 32, 33), self.draw(1, 2, 3, 4, 8, 16, 17, 32)
            if batch * product(out) * product(window) * f * c * g <= MOST_WORK:
                break
        image = [(o - 1) * s + (w - 1) * d + 1 for o, s, w, d in zip(out, stride, window, dilation)]
        loops = {"n": batch}
        if groups != "none":
            loops["g"] = g
        if groups != "depthwise":
            loops["f"], loops["c"] = f, c
        loops.update({"o%d" % i: size for i, size in enumerate(out)})
        loops.update({"w%d" % i: size for i, size in enumerate(window)})
        order = list(loops)
        if self.chance(0.5):
            self.random.shuffle(order)
        name = {letter: "d%d" % i for i, letter in enumerate(order)}
        channel = (["g"] if groups != "none" else []) + (["c"] if groups != "depthwise" else [])
        feature = (["g"] if groups != "none" else []) + (["f"] if groups != "depthwise" else [])
        spatial = ["%s * %d + %s * %d" % (name["o%d" % i], stride[i], name["w%d" % i], dilation[i]) for i in range(dims)]

        def layout(first, letters, places, sizes):
            named = [(name[letter], loops[letter]) for letter in letters]
            near = self.chance(0.5)
            order = first + (list(zip(places, sizes)) + named if near else named + list(zip(places, sizes)))
            if self.chance(0.2):
                self.random.shuffle(order)
            return [place for place, _ in order], [size for _, size in order]
        n = [(name["n"], batch)]
        image_map, image_shape = layout(n, channel, spatial, image)
        filter_map, filter_shape = layout([], feature + [x for x in channel if x not in feature],
                                          [name["w%d" % i] for i in range(dims)], window)
        out_map, out_shape = layout(n, feature, [name["o%d" % i] for i in range(dims)], out)
        if product(image_shape) > 1 << 20:
            return None
        a = self.argument(kind, image_shape)
        if self.chance(0.4):
            a = self.padded_image(kind, image_shape, [i for i, place in enumerate(image_map) if place in spatial])
        b = self.argument(kind, filter_shape)
        iterators = ["parallel" if letter in ("n", "g", "f") or letter[0] == "o" else "reduction" for letter in order]
        return self.generic([a, b], [image_map, filter_map], [self.start(into, out_shape)], [out_map], iterators,
                            self.multiply_add(kind, into))[0]

    def padded_image(self, kind, shape, places):
        low, high, inner = [0] * len(shape), [0] * len(shape), list(shape)
        for place in places:
            if shape[place] > 2 and self.chance(0.8):
                low[place], high[place] = self.draw((1, 1), (1, 0), (0, 1))
                inner[place] -= low[place] + high[place]
        return self.padded(self.argument(kind, inner), low, high)

    def named_convolution(self):
        kind = self.random.choice(FLOATS)
        into = self.accumulator(kind)
        n, h, w, c, f = (self.draw(1, 1, 2), self.draw(1, 4, 7, 8, 14, 28), self.draw(1, 4, 7, 8, 14, 28),
                         self.draw(1, 3, 4, 8, 16, 17, 32), self.draw(1, 3, 4, 8, 16, 17, 32))
        r, s, stride, dilation = self.draw(1, 3, 3, 5), self.draw(1, 3, 3, 5), self.draw(1, 1, 2), self.draw(1, 1, 2)
        height, width = (h - 1) * stride + (r - 1) * dilation + 1, (w - 1) * stride + (s - 1) * dilation + 1
        name, image, weights, out = self.random.choice((
            ("conv_2d_nhwc_hwcf", (n, height, width, c), (r, s, c, f), (n, h, w, f)),
            ("conv_2d_nchw_fchw", (n, c, height, width), (f, c, r, s), (n, f, h, w)),
            ("conv_2d_nhwc_fhwc", (n, height, width, c), (f, r, s, c), (n, h, w, f)),
            ("depthwise_conv_2d_nhwc_hwc", (n, height, width, c), (r, s, c), (n, h, w, c)),
            ("depthwise_conv_2d_nchw_chw", (n, c, height, width), (c, r, s), (n, c, h, w))))
        spatial = (2, 3) if "nchw" in name else (1, 2)
        a = self.padded_image(kind, image, spatial) if self.chance(0.5) else self.argument(kind, image)
        b, start, result = self.argument(kind, weights), self.start(into, out), Value(self.fresh(), into, out)
        self.line("%s = linalg.%s {strides = dense<%d> : tensor<2xi64>, dilations = dense<%d> : tensor<2xi64>} "
                  "ins(%s, %s : %s, %s) outs(%s : %s) -> %s", result.name, name, stride, dilation, a.name, b.name,
                  a.type, b.type, start.name, start.type, result.type)
        return result

    def pooling(self):
        kind = self.random.choice(FLOATS)
        n, h, w, c, r, stride = (self.draw(1, 2), self.draw(1, 3, 7, 8, 14), self.draw(1, 3, 7, 8, 14),
                                 self.draw(1, 3, 8, 16, 33), self.draw(1, 2, 3), self.draw(1, 2, 3))
        height, width = (h - 1) * stride + r, (w - 1) * stride + r
        nchw, is_max = self.chance(0.5), self.chance(0.5)
        image, out = ((n, c, height, width), (n, c, h, w)) if nchw else ((n, height, width, c), (n, h, w, c))
        scalar = self.constant("0xFF80", "bf16") if kind == "bf16" else None
        lowest = {"f32": "0xFF800000", "f16": "0xFC00", "f64": "0xFFF0000000000000"}
        scalar = scalar or self.constant(lowest[kind], kind)
        start = self.filled(kind, out, scalar) if is_max else self.filled(kind, out)
        a, window, result = self.argument(kind, image), self.empty(kind, (r, r)), Value(self.fresh(), kind, out)
        self.line("%s = linalg.pooling_%s_%s {strides = dense<%d> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
                  " ins(%s, %s : %s, %s) outs(%s : %s) -> %s", result.name, "nchw" if nchw else "nhwc",
                  "max" if is_max else "sum", stride, a.name, window.name, a.type, window.type, start.name, start.type,
                  result.type)
        return result

    def reduction(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        rank = len(a.shape)
        if rank == 0:
            return None
        places = sorted(self.random.sample(range(rank), self.random.randint(1, rank)))
        if 0 in [a.shape[place] for place in places]:
            return None
        shape = [size for place, size in enumerate(a.shape) if place not in places]
        letter = "f" if is_float(a.kind) else "i"
        op = self.draw("add", "add", "max", "min")
        word = {"add": "add" + letter, "max": "maximumf" if letter == "f" else "maxsi",
                "min": "minimumf" if letter == "f" else "minsi"}[op]
        start = self.start(a.kind, shape)
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = linalg.reduce { arith.%s } ins(%s : %s) outs(%s : %s) dimensions = [%s]", result.name, word,
                  a.name, a.type, start.name, start.type, ", ".join(map(str, places)))
        return result

    def softmax(self):
        a = self.take(kinds=("f32", "f64"))
        if 0 in a.shape or not a.shape:
            return None
        out, result = self.empty(a.kind, a.shape), Value(self.fresh(), a.kind, a.shape)
        self.line("%s = linalg.softmax dimension(%d) ins(%s : %s) outs(%s : %s) -> %s", result.name,
                  self.random.randrange(len(a.shape)), a.name, a.type, out.name, out.type, result.type)
        return result

    def arg_max(self):
        a = self.take(self.draw(1, 2, 3), ("f32",))
        if 0 in a.shape:
            return None
        rank = len(a.shape)
        place = self.random.randrange(rank)
        shape = [size for i, size in enumerate(a.shape) if i != place]
        best = self.filled("f32", shape, self.constant("0xFF800000", "f32"))
        where = self.filled("i64", shape)
        loops = ["d%d" % i for i in range(rank)]

        def body(scalars):
            x, most, index = scalars
            here = self.scalar("linalg.index %d : index", place)
            here = self.scalar("arith.index_cast %s : index to i64", here)
            above = self.scalar("arith.cmpf ogt, %s, %s : f32", x, most)
            return [self.scalar("arith.select %s, %s, %s : f32", above, x, most),
                    self.scalar("arith.select %s, %s, %s : i64", above, here, index)]
        rest = [loop for i, loop in enumerate(loops) if i != place]
        return self.generic([a], [loops], [best, where], [rest, rest],
                            ["reduction" if i == place else "parallel" for i in range(rank)], body)[self.draw(0, 1)]

    def gather(self):
        rows, columns, count = self.draw(3, 17, 64), self.draw(1, 8, 33), self.draw(1, 5, 16, 31)
        table, out = self.argument("f32", (rows, columns)), self.empty("f32", (count, columns))
        indices = self.argument("i32", (count,))
        most = self.constant(str(rows - 1), "i32")

        def body(scalars):
            low = self.scalar("arith.maxsi %s, %s : i32", scalars[0], self.zero("i32"))
            row = self.scalar("arith.index_cast %s : i32 to index",
                              self.scalar("arith.minsi %s, %s : i32", low, most))
            column = self.scalar("linalg.index 1 : index")
            return [self.scalar("tensor.extract %s[%s, %s] : %s", table.name, row, column, table.type)]
        return self.generic([indices], [["d0"]], [out], [["d0", "d1"]], ["parallel", "parallel"], body)[0]

    def chain(self, kind, scalars):
        """A chain of elementwise ops on scalars, which stays in range."""
        x = scalars[0]
        one, half = self.constant("1.0", kind), self.constant("0.5", kind)
        for _ in range(self.random.randint(1, 4)):
            other = self.random.choice(scalars)
            op = self.random.randrange(10)
            if op == 0:
                x = self.scalar("arith.addf %s, %s : %s", x, other, kind)
            elif op == 1:
                x = self.scalar("arith.subf %s, %s : %s", x, self.scalar("arith.mulf %s, %s : %s", other, half, kind), kind)
            elif op == 2:
                x = self.scalar("arith.maximumf %s, %s : %s", x, self.zero(kind), kind)
            elif op == 3:
                x = self.scalar("math.tanh %s : %s", x, kind)
            elif op == 4:
                e = self.scalar("math.exp %s : %s", self.scalar("arith.negf %s : %s", self.scalar(
                    "math.absf %s : %s", x, kind), kind), kind)
                x = self.scalar("arith.divf %s, %s : %s", one, self.scalar("arith.addf %s, %s : %s", e, one, kind), kind)
            elif op == 5:
                above = self.scalar("arith.cmpf %s, %s, %s : %s", self.draw("ogt", "ult", "oeq", "une"), x, other, kind)
                x = self.scalar("arith.select %s, %s, %s : %s", above, x, half, kind)
            elif op == 6:
                square = self.scalar("arith.mulf %s, %s : %s", x, x, kind)
                root = self.scalar("math.sqrt %s : %s", self.scalar("arith.addf %s, %s : %s", square, one, kind), kind)
                x = self.scalar("arith.divf %s, %s : %s", x, root, kind)
            elif op == 7:
                x = self.scalar("arith.minnumf %s, %s : %s", x, other, kind)
            elif op == 8:
                x = self.scalar("math.erf %s : %s", x, kind)
            else:
                x = self.scalar("arith.mulf %s, %s : %s", x, half, kind)
        return x

    def integer_chain(self, kind, scalars):
        x = scalars[0]
        for _ in range(self.random.randint(1, 4)):
            other = self.random.choice(scalars)
            op = self.random.choice(("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui", "shift", "compare"))
            if op == "shift":
                x = self.scalar("arith.%s %s, %s : %s", self.draw("shrsi", "shrui", "shli"), x,
                                self.constant(str(self.draw(1, 3, 7)), kind), kind)
            elif op == "compare":
                above = self.scalar("arith.cmpi %s, %s, %s : %s", self.draw("sgt", "ult", "eq", "sle"), x, other, kind)
                x = self.scalar("arith.select %s, %s, %s : %s", above, other, x, kind)
            else:
                x = self.scalar("arith.%s %s, %s : %s", op, x, other, kind)
        return x

    def elementwise(self):
        """One or two more operands, of all dimensions or some, in any order of them."""
        a = self.take(kinds=FLOATS + INTEGERS)
        rank = len(a.shape)
        loops = ["d%d" % i for i in range(rank)]
        inputs, maps = [a], [loops]
        for _ in range(self.draw(0, 1, 1, 2)):
            places = [i for i in range(rank) if self.chance(0.7)]
            if self.chance(0.2):
                self.random.shuffle(places)
            inputs.append(self.argument(a.kind, [a.shape[i] for i in places]))
            maps.append(["d%d" % i for i in places])
        out_order = list(range(rank))
        if self.chance(0.2):
            self.random.shuffle(out_order)
        out = self.empty(a.kind, [a.shape[i] for i in out_order])
        chain = self.chain if is_float(a.kind) else self.integer_chain
        return self.generic(inputs, maps, [out], [["d%d" % i for i in out_order]], ["parallel"] * rank,
                            lambda scalars: [chain(a.kind, scalars[:-1])])[0]

    def cast(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        loops = ["d%d" % i for i in range(len(a.shape))]
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i8": 8, "i32": 32, "i64": 64}
        if is_float(a.kind):
            kind = self.draw("f32", "f64", "f16", "bf16")
            op = "extf" if width[kind] > width[a.kind] else "truncf"
        else:
            kind = self.draw("f32", "f64", "i8", "i32", "i64")
            op = "sitofp" if is_float(kind) else "extsi" if width[kind] > width[a.kind] else "trunci"
        if kind == a.kind or (op in ("extf", "truncf") and width[kind] == width[a.kind]):
            return None
        return self.generic([a], [loops], [self.empty(kind, a.shape)], [loops], ["parallel"] * len(a.shape),
                            lambda scalars: [self.scalar("arith.%s %s : %s to %s", op, scalars[0], a.kind, kind)])[0]

    def compare(self):
        """A mask of i1, and a selection by it."""
        a = self.take(kinds=("f32",))
        loops = ["d%d" % i for i in range(len(a.shape))]
        parallel = ["parallel"] * len(a.shape)
        b = self.argument("f32", a.shape)
        mask = self.generic([a, b], [loops, loops], [self.empty("i1", a.shape)], [loops], parallel,
                            lambda s: [self.scalar("arith.cmpf olt, %s, %s : f32", s[0], s[1])])[0]
        return self.generic([mask, a, b], [loops] * 3, [self.empty("f32", a.shape)], [loops], parallel,
                            lambda s: [self.scalar("arith.select %s, %s, %s : f32", s[0], s[1], s[2])])[0]

    def transposed(self, a, order):
        out = self.empty(a.kind, [a.shape[i] for i in order])
        result = Value(self.fresh(), a.kind, out.shape)
        self.line("%s = linalg.transpose ins(%s : %s) outs(%s : %s) permutation = [%s]", result.name, a.name, a.type,
                  out.name, out.type, ", ".join(map(str, order)))
        return result

    def transpose(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        if not a.shape:
            return None  # upstream's verifier crashes
        order = list(range(len(a.shape)))
        self.random.shuffle(order)
        return self.transposed(a, order)

    def broadcast(self):
        a = self.take(self.draw(1, 2), FLOATS)
        place, size = self.random.randint(0, len(a.shape)), self.draw(1, 3, 8, 17)
        shape = list(a.shape)
        shape.insert(place, size)
        if product(shape) > MOST_ELEMENTS:
            return None
        out, result = self.empty(a.kind, shape), Value(self.fresh(), a.kind, shape)
        self.line("%s = linalg.broadcast ins(%s : %s) outs(%s : %s) dimensions = [%d]", result.name, a.name, a.type,
                  out.name, out.type, place)
        return result

    def reshape(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        rank = len(a.shape)
        if 0 in a.shape or rank == 0:
            return None
        if rank > 1 and self.chance(0.5):
            place = self.random.randrange(rank - 1)
            groups = [[i] for i in range(place)] + [[place, place + 1]] + [[i] for i in range(place + 2, rank)]
            shape = a.shape[:place] + (a.shape[place] * a.shape[place + 1],) + a.shape[place + 2:]
            result = Value(self.fresh(), a.kind, shape)
            self.line("%s = tensor.collapse_shape %s %s : %s into %s", result.name, a.name, groups, a.type, result.type)
            return result
        place = self.random.randrange(rank)
        divisors = [d for d in range(1, a.shape[place] + 1) if a.shape[place] % d == 0]
        inner = self.random.choice(divisors)
        shape = a.shape[:place] + (a.shape[place] // inner, inner) + a.shape[place + 1:]
        groups = [[i] for i in range(place)] + [[place, place + 1]] + [[i + 1] for i in range(place + 1, rank)]
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = tensor.expand_shape %s %s output_shape [%s] : %s into %s", result.name, a.name, groups,
                  ", ".join(map(str, shape)), a.type, result.type)
        return result

    def slice(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        if 0 in a.shape:
            return None
        offsets, sizes, strides = [], [], []
        for size in a.shape:
            stride = self.draw(1, 1, 1, 2)
            offset = self.random.randint(0, max(0, size - 1)) if self.chance(0.4) else 0
            most = (size - offset + stride - 1) // stride
            offsets.append(offset)
            sizes.append(self.random.randint(1, most) if self.chance(0.5) else most)
            strides.append(stride)
        result = Value(self.fresh(), a.kind, sizes)
        self.line("%s = tensor.extract_slice %s%s %s %s : %s to %s", result.name, a.name, offsets, sizes, strides, a.type,
                  result.type)
        return result

    def insertion(self):
        a = self.take(kinds=FLOATS)
        if 0 in a.shape:
            return None
        shape = [size + self.draw(0, 0, 1, 5) for size in a.shape]
        if product(shape) > MOST_ELEMENTS:
            return None
        into, result = self.start(a.kind, shape), Value(self.fresh(), a.kind, shape)
        offsets = [self.random.randint(0, big - small) for big, small in zip(shape, a.shape)]
        self.line("%s = tensor.insert_slice %s into %s%s %s %s : %s into %s", result.name, a.name, into.name, offsets,
                  list(a.shape), [1] * len(shape), a.type, result.type)
        return result

    def concatenation(self):
        a = self.take(kinds=FLOATS)
        if not a.shape:
            return None
        place = self.random.randrange(len(a.shape))
        other = list(a.shape)
        other[place] = self.draw(1, 3, 8)
        b, shape = self.argument(a.kind, other), list(a.shape)
        shape[place] += other[place]
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = tensor.concat dim(%d) %s, %s : (%s, %s) -> %s", result.name, place, a.name, b.name, a.type, b.type,
                  result.type)
        return result

    def padded(self, a, low, high):
        shape = [l + size + h for l, size, h in zip(low, a.shape, high)]
        result, zero = Value(self.fresh(), a.kind, shape), self.zero(a.kind)
        self.line("%s = tensor.pad %s low%s high%s {", result.name, a.name, low, high)
        self.line("^bb0(%s):", ", ".join("%%p%d_%d: index" % (self.count, i) for i in range(len(shape))))
        self.line("  tensor.yield %s : %s", zero, a.kind)
        self.line("} : %s to %s", a.type, result.type)
        return result

    def pad(self):
        a = self.take(kinds=FLOATS + INTEGERS)
        if product(size + 4 for size in a.shape) > MOST_ELEMENTS:
            return None
        return self.padded(a, [self.draw(0, 0, 1, 2) for _ in a.shape], [self.draw(0, 0, 1, 2) for _ in a.shape])

    def scan(self):
        """Running sums, by a window that grows: a reduction whose result has the reduced dimension."""
        a = self.take(2, ("f32",))
        if 0 in a.shape or product(a.shape) * a.shape[1] > MOST_WORK:
            return None
        rows, columns = a.shape

        def body(scalars):
            i, j = self.scalar("linalg.index 1 : index"), self.scalar("linalg.index 2 : index")
            inside = self.scalar("arith.cmpi ule, %s, %s : index", j, i)
            x = self.scalar("arith.select %s, %s, %s : f32", inside, scalars[0], self.zero("f32"))
            return [self.scalar("arith.addf %s, %s : f32", scalars[1], x)]
        return self.generic([a], [["d0", "d2"]], [self.filled("f32", (rows, columns))], [["d0", "d1"]],
                            ["parallel", "parallel", "reduction"], body)[0]

    # The whole

    STEPS = ((product_by_maps, 5), (named_product, 5), (convolution, 5), (named_convolution, 3), (pooling, 1),
             (reduction, 3), (softmax, 1), (arg_max, 1), (gather, 1), (elementwise, 8), (cast, 2), (compare, 1),
             (transpose, 2), (broadcast, 2), (reshape, 3), (slice, 2), (insertion, 1), (concatenation, 1), (pad, 1),
             (scan, 1))

    def step(self):
        methods, weights = zip(*self.STEPS)
        value = self.random.choices(methods, weights)[0](self)
        if value is None:
            return
        self.values.append(value)

    def branch(self):
        """The next steps inside of an scf.if or scf.for, which gives back one value."""
        self.step()
        if not self.values:
            return
        before = self.values[-1]
        result = Value(self.fresh(), before.kind, before.shape)
        if self.chance(0.5):
            flag = self.argument("i32", (1,))
            taken = self.scalar("arith.cmpi sgt, %s, %s : i32", self.scalar(
                "tensor.extract %s[%s] : %s", flag.name, self.constant("0", "index"), flag.type), self.zero("i32"))
            head = "%s = scf.if %s -> (%s) {" % (result.name, taken, before.type)
            end = ["} else {", "  scf.yield %s : %s" % (before.name, before.type), "}"]
            inner = before
        else:
            inner = Value("%%r%d" % self.count, before.kind, before.shape)
            head = "%s = scf.for %%i%d = %s to %s step %s iter_args(%s = %s) -> (%s) {" % (
                result.name, self.count, self.constant("0", "index"), self.constant("2", "index"),
                self.constant("1", "index"), inner.name, before.name, before.type)
            end = ["}"]
        self.line(head)
        self.depth += 1
        outer, self.values = self.values, [inner]
        rank = len(inner.shape)
        loops = ["d%d" % i for i in range(rank)]
        chain = self.chain if is_float(inner.kind) else self.integer_chain
        if rank == 2 and inner.shape[0] == inner.shape[1] and inner.kind == "f32":
            scaled = self.argument("f32", inner.shape)
            start, out = self.filled("f32", inner.shape), Value(self.fresh(), "f32", inner.shape)
            self.line("%s = linalg.matmul ins(%s, %s : %s, %s) outs(%s : %s) -> %s", out.name, inner.name, scaled.name,
                      inner.type, scaled.type, start.name, start.type, out.type)
        else:
            out = self.generic([inner], [loops], [self.empty(inner.kind, inner.shape)], [loops], ["parallel"] * rank,
                               lambda scalars: [chain(inner.kind, scalars[:1])])[0]
        self.line("scf.yield %s : %s", out.name, out.type)
        self.depth -= 1
        for line in end:
            self.line(line)
        self.values = outer + [result]

    def text(self):
        for _ in range(self.steps):
            if self.chance(0.04):
                self.branch()
            else:
                self.step()
        while not self.values:
            self.step()
        used = self.values[-1:] + [value for value in self.values[:-1] if self.chance(0.15)]
        results = list(dict.fromkeys(value.name for value in used))
        types = [next(value.type for value in self.values if value.name == name) for name in results]
        head = ["// generate.py %s" % self.seed, "func.func @main(%s) -> (%s) {" % (
            ", ".join("%s: %s" % (a.name, a.type) for a in self.arguments), ", ".join(types))]
        constants = ["  %s = arith.constant %s : %s" % (name, text, kind)
                     for (text, kind), name in self.constants.items()]
        lines = [line[2:] for line in self.lines]
        return "\n".join(head + constants + lines + [
            "  return %s : %s" % (", ".join(results), ", ".join(types)), "}"]) + "\n"


def main():
    steps = next((int(word[len("--ops="):]) for word in sys.argv[2:] if word.startswith("--ops=")), None)
    sys.stdout.write(Module(int(sys.argv[1]), steps).text())


if __name__ == "__main__":
    main()
