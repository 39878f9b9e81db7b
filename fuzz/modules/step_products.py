"""Steps that contract."""

from module_text import FLOATS, INTEGERS, MOST_WORK, is_float, product


class Products:

    def loops_of_product(self, value):
        """Loops of a contraction, as (letter, size) in any order, and which of them `value` has, if it is not None:
        b is in all, m in A and the result, n in B and the result, k in A and B."""
        if value is None:
            letters = (["b"] * self.draw(0, 0, 1, 2) + ["m"] * self.draw(0, 1, 1, 2) + ["n"] * self.draw(0, 1, 1, 2)
                       + ["k"] * self.draw(1, 1, 2))
            self.random.shuffle(letters)
            while True:
                sizes = [self.size() for _ in letters]
                if product(sizes) <= MOST_WORK:
                    return list(zip(letters, sizes)), None
        mine = [self.draw("b", "m", "m", "k", "k") for _ in value.shape]
        loops = list(zip(mine, value.shape)) + [("n", self.size()) for _ in range(self.draw(0, 1, 1, 2))]
        if product(size for _, size in loops) > MOST_WORK:
            return None, None
        order = list(range(len(loops)))
        if self.chance(0.5):
            self.random.shuffle(order)
        return [loops[i] for i in order], [order.index(i) for i in range(len(value.shape))]

    def product_by_maps(self):
        """A contraction with any number of batch, row, column and depth loops in any order, of what is there or not;
        by linalg.generic or linalg.contract."""
        value = self.take(self.draw(2, 3, 4), FLOATS + INTEGERS) if self.values and self.chance(0.5) else None
        kind = value.kind if value else self.random.choice(FLOATS + INTEGERS)
        loops, places = self.loops_of_product(value)
        if not loops:
            return None

        def operand(letters):
            mine = [i for i, (letter, _) in enumerate(loops) if letter in letters]
            self.random.shuffle(mine)
            return ["d%d" % i for i in mine], [loops[i][1] for i in mine]
        (a_map, a_shape), (b_map, b_shape), (c_map, c_shape) = operand("bmk"), operand("bnk"), operand("bmn")
        if value:
            a, a_map = value, ["d%d" % i for i in places]
        else:
            a = self.given(kind, a_shape)
        b, into = self.given(kind, b_shape), self.accumulator(kind)
        operands, maps = [a, b], [a_map, b_map]
        if self.chance(0.3):
            operands.reverse()
            maps.reverse()
        if self.chance(0.3) and any(letter == "k" for letter, _ in loops):
            texts = [self.map_text(len(loops), places) for places in maps + [c_map]]
            return self.named("contract", operands, self.start(into, c_shape), "indexing_maps = [%s]" % ", ".join(texts))
        iterators = ["reduction" if letter == "k" else "parallel" for letter, _ in loops]
        return self.generic(operands, maps, [self.start(into, c_shape)], [c_map], iterators,
                            self.multiply_add(kind, into))[0]

    def named_product(self):
        a = self.take(self.draw(1, 2, 2, 2, 2, 3, 3), FLOATS + INTEGERS)
        into = self.accumulator(a.kind)
        columns = min(self.size(), max(1, MOST_WORK // max(1, product(a.shape))))
        if len(a.shape) == 1:
            if self.chance(0.5):
                return self.named("dot", [a, self.given(a.kind, a.shape)], self.start(into, ()))
            return self.named("vecmat", [a, self.given(a.kind, (a.shape[0], columns))], self.start(into, (columns,)))
        if len(a.shape) == 2:
            return self.product_of_matrix(a, into, columns)
        batch, rows, depth = a.shape
        op = self.draw("batch_matmul", "batch_matmul", "batch_matmul", "batch_reduce_matmul", "batch_matvec")
        if op == "batch_matvec":
            return self.named(op, [a, self.given(a.kind, (batch, depth))], self.start(into, (batch, rows)))
        if op == "batch_reduce_matmul":
            return self.named(op, [a, self.given(a.kind, (batch, depth, columns))], self.start(into, (rows, columns)))
        b, attributes = self.given(a.kind, (batch, depth, columns)), ""
        if self.chance(0.4):
            b = self.given(a.kind, self.draw((batch, columns, depth), (batch, columns, depth), (depth, columns)))
            second = ["d0"] * (len(b.shape) == 3) + (["d3", "d2"] if b.shape[-2] == depth else ["d2", "d3"])
            attributes = "indexing_maps = [%s]" % ", ".join(
                self.map_text(4, places) for places in (["d0", "d1", "d3"], second, ["d0", "d1", "d2"]))
        return self.named(op, [a, b], self.start(into, (batch, rows, columns)), attributes)

    def product_of_matrix(self, a, into, columns):
        rows, depth = a.shape
        op = self.draw("matmul", "matmul", "matmul", "matvec", "turned", "maps", "quantized")
        if op == "matvec":
            return self.named(op, [a, self.given(a.kind, (depth,))], self.start(into, (rows,)))
        if op == "quantized" and a.kind == "i8":
            zeros = [self.constant(str(self.draw(-128, -3, 0, 7)), "i32") for _ in range(2)]
            b, start = self.given("i8", (depth, columns)), self.start("i32", (rows, columns))
            result = self.result_like(start)
            self.line("%s = linalg.quantized_matmul ins(%s, %s, %s, %s : %s, %s, i32, i32) outs(%s : %s) -> %s", result.name,
                      a.name, b.name, *zeros, a.type, b.type, start.name, start.type, result.type)
            return result
        if op == "turned":
            b = self.transposed(self.given(a.kind, (columns, depth)), (1, 0))
            return self.named("matmul", [a, b], self.start(into, (rows, columns)))
        if op == "maps":
            b, start = self.given(a.kind, (columns, depth)), self.start(into, (rows, columns))
            return self.named("matmul", [a, b], start, "indexing_maps = [%s]" % ", ".join(
                self.map_text(3, places) for places in (["d0", "d2"], ["d1", "d2"], ["d0", "d1"])))
        cast = ""
        if not is_float(a.kind) and self.chance(0.2):
            cast = "{cast = #linalg.type_fn<cast_unsigned>}"
        return self.named("matmul", [a, self.given(a.kind, (depth, columns))], self.start(into, (rows, columns)), cast)
