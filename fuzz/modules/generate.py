#!/usr/bin/env python3
"""Prints a module of linalg on tensors, drawn from a grammar: generate.py SEED [--ops=N].

    func.func @main(tensors) -> tensors

Each step takes a value that is there, or a new argument or constant, and puts one op, or a few, on it:

  - named and generic products in any order of their loops and layout of their operands (step_products.py);
  - convolutions and pooling, 1-D to 3-D, in any layout, with strides, dilations, groups, pads (step_windows.py);
  - reductions over any dimensions, of several results, softmax, arg-max, gathers, scans (step_reductions.py);
  - chains of elementwise ops, named or not, casts, masks, quantization (step_elements.py);
  - broadcasts, transposes, reshapes, slices, concatenations, pads, packs (step_moves.py);

at times inside of an scf.if or a loop, or in a function that is called, at times with a size that is known at run time
alone. Sizes are odd, powers of two and their neighbours, 1, and now and then 0. Types are floats, integers and i1.

Values stay in the range of their types: what grows is scaled or squashed, so that what a schedule computes
can be compared with what the plain lowering computes. The same seed gives the same module."""

import re
import sys

sys.dont_write_bytecode = True

from module_text import RUN_TIME_SIZE, Text, Value, is_float  # pylint: disable=wrong-import-position
from step_elements import Elements  # pylint: disable=wrong-import-position
from step_moves import Moves  # pylint: disable=wrong-import-position
from step_products import Products  # pylint: disable=wrong-import-position
from step_reductions import Reductions  # pylint: disable=wrong-import-position
from step_windows import Windows  # pylint: disable=wrong-import-position


class Module(Text, Products, Windows, Reductions, Elements, Moves):

    # How often each.
    STEPS = {"product_by_maps": 6, "named_product": 6, "convolution": 4, "named_convolution": 4, "convolution_of": 2,
             "pooling": 2, "reduction": 3, "softmax": 2, "arg_max": 1, "gather": 1, "moments": 1, "scan": 1,
             "elementwise": 8, "named_elements": 3, "several": 1, "cast": 3, "compare": 1, "masks": 1, "quantized": 1,
             "narrow_bits": 1, "transpose": 2, "broadcast": 2, "reshape": 3, "collapsed": 1, "slice": 2,
             "unit_dimension": 1, "insertion": 1, "concatenation": 2, "pad": 1, "packed": 1}
    # Those that may have a size which is known at run time alone.
    DYNAMIC_STEPS = {"product_by_maps": 4, "named_product": 4, "reduction": 3, "softmax": 2, "elementwise": 6,
                     "named_elements": 2, "cast": 1, "compare": 1, "transpose": 2, "moments": 1, "several": 1}

    def step(self):
        steps = self.DYNAMIC_STEPS if self.is_dynamic else self.STEPS
        value = getattr(self, self.random.choices(list(steps), steps.values())[0])()
        if value is not None:
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
        if self.chance(0.3):
            self.step()
            same = [value for value in self.values if (value.kind, value.shape) == (before.kind, before.shape)]
            inner = same[-1]
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

    def called(self):
        """A function of its own with a few steps on one value, called twice, with a product in it at times."""
        self.step()
        if not self.values or self.is_dynamic:
            return
        given, outside = self.values[-1], (self.lines, self.values, self.arguments, self.constants, self.depth)
        inner = Value("%in", given.kind, given.shape)
        self.lines, self.values, self.arguments, self.constants, self.depth = [], [inner], [], {}, 1
        for _ in range(self.draw(1, 2, 3)):
            self.step()
        lines, result, arguments, constants = self.lines, self.values[-1], self.arguments, self.constants
        self.lines, self.values, self.arguments, self.constants, self.depth = outside
        name = "@part%d" % len(self.functions)
        types = [given.type] + [argument.type for argument in arguments]
        self.functions.append("func.func private %s(%s) -> %s {\n%s\n  return %s : %s\n}\n" % (
            name, ", ".join("%s: %s" % (a.name, a.type) for a in [inner] + arguments), result.type,
            "\n".join(self.constant_lines(constants) + lines), result.name, result.type))
        for value in (given, self.argument(given.kind, given.shape))[:self.draw(1, 2)]:
            operands = [value.name] + [self.argument(a.kind, a.shape).name for a in arguments]
            out = Value(self.fresh(), result.kind, result.shape)
            self.line("%s = func.call %s(%s) : (%s) -> %s", out.name, name, ", ".join(operands), ", ".join(types),
                      result.type)
            self.values.append(out)

    @staticmethod
    def constant_lines(constants):
        return ["  %s = arith.constant %s : %s" % (name, text, kind) for (text, kind), name in constants.items()]

    def with_run_time_sizes(self, text):
        """The module with `?` for RUN_TIME_SIZE in its types, and that size read off an argument."""
        for argument in self.arguments:
            if RUN_TIME_SIZE in argument.shape:
                break
        else:
            return text
        place = argument.shape.index(RUN_TIME_SIZE)
        text = re.sub(r"tensor\.empty\(\) : tensor<([^>]*)>", lambda m: "tensor.empty(%s) : tensor<%s>" % (
            ", ".join(["%run_time"] * m[1].split("x").count(str(RUN_TIME_SIZE))), m[1]), text)
        text = re.sub(r"(?<=[<x])%d(?=x)" % RUN_TIME_SIZE, "?", text)
        kind = next(value for value in re.findall(re.escape(argument.name) + r": (tensor<[^>]*>)", text))
        read = "  %%run_time_place = arith.constant %d : index\n  %%run_time = tensor.dim %s, %%run_time_place : %s\n" % (
            place, argument.name, kind)
        head, rest = text.split(") {\n", 1)
        return head + ") {\n" + read + rest

    def text(self):
        for _ in range(self.steps):
            if self.chance(0.06):
                self.branch()
            elif self.chance(0.05):
                self.called()
            else:
                self.step()
        while not self.values:
            self.step()
        used = self.values[-1:] + [value for value in self.values[:-1] if self.chance(0.15)]
        results = list(dict.fromkeys(value.name for value in used))
        types = [next(value.type for value in self.values if value.name == name) for name in results]
        head = ["func.func @main(%s) -> (%s) {" % (
            ", ".join("%s: %s" % (a.name, a.type) for a in self.arguments), ", ".join(types))]
        lines = [line[2:] for line in self.lines]
        text = "\n".join(head + self.constant_lines(self.constants) + lines + [
            "  return %s : %s" % (", ".join(results), ", ".join(types)), "}"]) + "\n"
        return "// generate.py %s\n" % self.seed + "".join(self.functions) + (
            self.with_run_time_sizes(text) if self.is_dynamic else text)


def main():
    steps = next((int(word[len("--ops="):]) for word in sys.argv[2:] if word.startswith("--ops=")), None)
    sys.stdout.write(Module(int(sys.argv[1]), steps).text())


if __name__ == "__main__":
    main()
