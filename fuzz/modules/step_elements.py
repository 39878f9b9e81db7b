"""Steps that compute element by element."""

from module_text import FLOATS, INTEGERS, WIDTHS, is_float


class Elements:

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
            op = self.random.choice(("andi", "ori", "xori") if kind == "i1" else (
                "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui", "shift", "compare"))
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
            inputs.append(self.given(a.kind, [a.shape[i] for i in places]))
            maps.append(["d%d" % i for i in places])
        out_order = list(range(rank))
        if self.chance(0.2):
            self.random.shuffle(out_order)
        out = self.empty(a.kind, [a.shape[i] for i in out_order])
        chain = self.chain if is_float(a.kind) else self.integer_chain
        return self.generic(inputs, maps, [out], [["d%d" % i for i in out_order]], ["parallel"] * rank,
                            lambda scalars: [chain(a.kind, scalars[:-1])])[0]

    def each(self, inputs, kind, body):
        """linalg.generic over values of one shape."""
        loops = ["d%d" % i for i in range(len(inputs[0].shape))]
        return self.generic(inputs, [loops] * len(inputs), [self.empty(kind, inputs[0].shape)], [loops],
                            ["parallel"] * len(loops), lambda scalars: [body(scalars[:-1])])[0]

    def cast(self):
        a = self.take(kinds=FLOATS + INTEGERS + ("i1",))
        if is_float(a.kind):
            kind = self.draw("f32", "f64", "f16", "bf16")
            op = "extf" if WIDTHS[kind] > WIDTHS[a.kind] else "truncf"
        elif a.kind == "i1":
            kind = self.draw("f32", "i8", "i32")
            op = "uitofp" if is_float(kind) else "extui"
        else:
            kind = self.draw("f32", "f64", "f16" if a.kind == "i8" else "f64", "i8", "i16", "i32", "i64", "i1", "index")
            op = (self.draw("sitofp", "uitofp") if is_float(kind) else "index_cast" if kind == "index"
                  else self.draw("extsi", "extui") if WIDTHS[kind] > WIDTHS[a.kind] else "trunci")
        if kind == a.kind or (op in ("extf", "truncf") and WIDTHS[kind] == WIDTHS[a.kind]):
            return None
        result = self.each([a], kind, lambda s: self.scalar("arith.%s %s : %s to %s", op, s[0], a.kind, kind))
        if kind != "index":
            return result
        return self.each([result], "i64", lambda s: self.scalar("arith.index_cast %s : index to i64", self.scalar(
            "arith.addi %s, %s : index", s[0], self.constant("3", "index"))))

    def quantized(self):
        """To i8 and back, as front ends write it: scaled, rounded, clamped."""
        a = self.take(kinds=("f32", "f32", "f16"))
        scale, low, high = (self.constant(text, a.kind) for text in ("32.0", "-128.0", "127.0"))

        def narrow(s):
            x = self.scalar("arith.mulf %s, %s : %s", s[0], scale, a.kind)
            x = self.scalar("math.%s %s : %s", self.draw("roundeven", "roundeven", "round", "floor"), x, a.kind)
            x = self.scalar("arith.maximumf %s, %s : %s", x, low, a.kind)
            x = self.scalar("arith.minimumf %s, %s : %s", x, high, a.kind)
            return self.scalar("arith.fptosi %s : %s to i8", x, a.kind)
        q = self.each([a], "i8", narrow)
        if self.chance(0.5):
            return q
        step = self.constant("0.03125", "f32")
        return self.each([q], "f32", lambda s: self.scalar("arith.mulf %s, %s : f32", self.scalar(
            "arith.sitofp %s : i8 to f32", s[0]), step))

    def narrow_bits(self):
        """Bytes as two of four bits, and back."""
        a = self.take(kinds=("i8",))
        four = self.constant("4", "i8")

        def body(s):
            low = self.scalar("arith.trunci %s : i8 to i4", s[0])
            high = self.scalar("arith.trunci %s : i8 to i4", self.scalar("arith.shrui %s, %s : i8", s[0], four))
            total = self.scalar("arith.addi %s, %s : i4", low, high)
            return self.scalar("arith.%s %s : i4 to i8", self.draw("extsi", "extui"), total)
        return self.each([a], "i8", body)

    def masks(self):
        a = self.take(kinds=("i1",))
        b = self.given("i1", a.shape)
        return self.each([a, b], "i1", lambda s: self.scalar("arith.%s %s, %s : i1", self.draw("andi", "ori", "xori"), *s))

    UNARY = ("abs", "negf", "tanh", "erf", "ceil", "floor", "square")
    BINARY = ("add", "sub", "max", "min")

    def named_elements(self):
        """linalg.add and the like, linalg.elementwise and linalg.map."""
        a = self.take(kinds=FLOATS)
        form, out = self.draw("named", "elementwise", "map", "map"), self.empty(a.kind, a.shape)
        if form == "map":
            inputs = [a] + [self.given(a.kind, a.shape) for _ in range(self.draw(0, 1, 2))]
            result, scalars = self.result_like(a), ["%%m%d_%d" % (self.count, i) for i in range(len(inputs) + 1)]
            self.line("%s = linalg.map ins(%s : %s) outs(%s : %s)", result.name, ", ".join(v.name for v in inputs),
                      ", ".join(v.type for v in inputs), out.name, out.type)
            self.line("  (%s) {", ", ".join("%s: %s" % (name, a.kind) for name in scalars))
            self.depth += 2
            x = self.chain(a.kind, scalars[:-1])
            self.line("linalg.yield %s : %s", x, a.kind)
            self.depth -= 2
            self.line("}")
            return result
        if self.chance(0.5):
            inputs, op = [a, self.given(a.kind, a.shape)], self.random.choice(self.BINARY)
        else:
            inputs, op = [a], self.random.choice(self.UNARY)
        if form == "named":
            return self.named(op, inputs, out)
        kind = {"max": "max_signed", "min": "min_signed"}.get(op, op)
        return self.named("elementwise", inputs, out, "kind=#linalg.elementwise_kind<%s>" % kind)

    def several(self):
        """Two results at once, of two types or layouts."""
        a = self.take(kinds=FLOATS)
        rank = len(a.shape)
        loops = ["d%d" % i for i in range(rank)]
        order = list(range(rank))
        self.random.shuffle(order)
        kind = self.draw(a.kind, "i1")
        outs = [self.empty(a.kind, a.shape), self.empty(kind, [a.shape[i] for i in order])]

        def body(s):
            x = self.chain(a.kind, s[:1])
            if kind == "i1":
                return [x, self.scalar("arith.cmpf ogt, %s, %s : %s", s[0], self.zero(a.kind), a.kind)]
            return [x, self.chain(a.kind, [s[0], x])]
        results = self.generic([a], [loops], outs, [loops, ["d%d" % i for i in order]], ["parallel"] * rank, body)
        self.values.append(results[0])
        return results[1]

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
