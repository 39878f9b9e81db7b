"""Modules as they are written: values, the names they get, and ops with bodies. What is drawn is in step_*.py."""

import random

FLOATS = ("f32", "f32", "f32", "f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i8", "i16", "i32", "i32", "i64")
WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 8, 11, 12, 15, 16, 16, 17, 24, 31, 32, 32, 33, 48, 63, 64, 64, 65, 96, 100, 128,
         129, 197, 255)
RUN_TIME_SIZE = 64  # what tune-run gives to sizes that are not known
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


class Text:
    """A function as text, which steps add lines to, and what is drawn for it."""

    def __init__(self, seed, steps):
        self.random = random.Random(seed)
        # What was thought of later, so that most modules of a seed stay what they were.
        self.apart = random.Random("apart %d" % seed)
        self.arguments, self.lines, self.values, self.constants, self.functions = [], [], [], {}, []
        self.count, self.depth, self.has_zero = 0, 2, self.random.random() < 0.03
        # Of one size, which is known at run time alone.
        self.is_dynamic = self.random.random() < 0.06
        self.seed, self.steps = seed, steps or self.random.randint(1, 6)

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
        if self.is_dynamic and self.chance(0.5):
            return RUN_TIME_SIZE
        return self.random.choice(SIZES)

    def shape(self, rank, most=MOST_ELEMENTS):
        while True:
            shape = [self.size() for _ in range(rank)]
            if product(shape) <= most:
                return shape

    def given(self, kind, shape):
        """An argument, or a constant: all the same, or a few numbers."""
        if self.chance(0.85) or self.is_dynamic or 0 in shape or kind == "index":
            return self.argument(kind, shape)
        self.count += 1
        value = Value("%%k%d" % self.count, kind, shape)
        number = (lambda: "%.3e" % self.random.uniform(-1, 1)) if is_float(kind) else (
            lambda: self.draw("true", "false")) if kind == "i1" else lambda: str(self.random.randint(-99, 99))
        text = number()
        if product(shape) <= 64 and shape and self.chance(0.7):
            def nested(sizes):
                return number() if not sizes else "[%s]" % ", ".join(nested(sizes[1:]) for _ in range(sizes[0]))
            text = nested(list(shape))
        self.line("%s = arith.constant dense<%s> : %s", value.name, text, value.type)
        return value

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
        """A value of that rank and one of these types: one that is there, or a new one."""
        fitting = [value for value in self.values
                   if (rank is None or len(value.shape) == rank) and (kinds is None or value.kind in kinds)]
        if fitting and self.chance(0.8):
            return self.random.choice(fitting[-3:])
        rank = self.random.randint(1, 4) if rank is None else rank
        return self.given(self.random.choice(kinds or FLOATS), self.shape(rank))

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

    def named(self, op, inputs, out, attributes=""):
        """A named op with one result; `out` is what it starts from."""
        result = Value(self.fresh(), out.kind, out.shape)
        self.line("%s = linalg.%s %s ins(%s : %s) outs(%s : %s) -> %s", result.name, op, attributes,
                  ", ".join(v.name for v in inputs), ", ".join(v.type for v in inputs), out.name, out.type, result.type)
        return result

    def result_like(self, value):
        return Value(self.fresh(), value.kind, value.shape)

    def map_text(self, count, places):
        return "affine_map<(%s) -> (%s)>" % (", ".join("d%d" % i for i in range(count)), ", ".join(map(str, places)))

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
        return {"i8": "i32", "i16": self.draw("i32", "i64")}.get(kind, kind)
