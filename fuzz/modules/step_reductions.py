"""Steps that reduce, scan or look up."""

from module_text import FLOATS, INTEGERS, MOST_WORK, Value, is_float, product


class Reductions:

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
        word = (self.draw("addf", "addf", "maximumf", "minimumf", "maxnumf", "minnumf") if letter == "f"
                else self.draw("addi", "addi", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"))
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
        """Rows of a table, or of several of its dimensions, by tensor.extract; indices are clamped or not."""
        kind = self.random.choice(FLOATS + ("i8", "i32"))
        count, places = self.draw(1, 5, 16, 31), self.draw(1, 1, 1, 2)
        shape = [self.draw(3, 17, 64) for _ in range(places)] + [self.draw(1, 8, 33) for _ in range(self.draw(0, 1, 1, 2))]
        table, inner = self.given(kind, shape), shape[places:]
        index_kind = self.draw("i32", "i64", "index")
        indices = [self.argument(index_kind, (count,)) for _ in range(places)]
        loops = ["d%d" % i for i in range(1 + len(inner))]
        is_clamped = self.chance(0.7)

        def body(scalars):
            rows = []
            for i in range(places):
                row = scalars[i]
                if is_clamped:
                    most = self.constant(str(shape[i] - 1), index_kind)
                    low = self.scalar("arith.maxsi %s, %s : %s", row, self.zero(index_kind), index_kind)
                    row = self.scalar("arith.minsi %s, %s : %s", low, most, index_kind)
                if index_kind != "index":
                    row = self.scalar("arith.index_cast %s : %s to index", row, index_kind)
                rows.append(row)
            rows += [self.scalar("linalg.index %d : index", i + 1) for i in range(len(inner))]
            return [self.scalar("tensor.extract %s[%s] : %s", table.name, ", ".join(rows), table.type)]
        return self.generic(indices, [["d0"]] * places, [self.empty(kind, [count] + inner)], [loops],
                            ["parallel"] * len(loops), body)[0]

    def moments(self):
        """Two results at once: a sum and a sum of squares, or a maximum and a count."""
        a = self.take(kinds=("f32", "f32", "f64", "f16"))
        rank = len(a.shape)
        if rank == 0 or 0 in a.shape:
            return None
        places = self.random.sample(range(rank), self.random.randint(1, rank))
        loops = ["d%d" % i for i in range(rank)]
        rest = [i for i in range(rank) if i not in places]
        shape, to = [a.shape[i] for i in rest], ["d%d" % i for i in rest]
        iterators = ["reduction" if i in places else "parallel" for i in range(rank)]
        if self.chance(0.5):
            into = "f32" if a.kind == "f16" else a.kind

            def squares(s):
                x = s[0] if into == a.kind else self.scalar("arith.extf %s : %s to %s", s[0], a.kind, into)
                square = self.scalar("arith.mulf %s, %s : %s", x, x, into)
                return [self.scalar("arith.addf %s, %s : %s", s[1], x, into),
                        self.scalar("arith.addf %s, %s : %s", s[2], square, into)]
            return self.draw(*self.generic([a], [loops], [self.filled(into, shape), self.filled(into, shape)], [to, to],
                                           iterators, squares))

        def most_and_count(s):
            above = self.scalar("arith.cmpf ogt, %s, %s : %s", s[0], self.zero(a.kind), a.kind)
            one = self.scalar("arith.extui %s : i1 to i32", above)
            return [self.scalar("arith.maximumf %s, %s : %s", s[1], s[0], a.kind),
                    self.scalar("arith.addi %s, %s : i32", s[2], one)]
        return self.draw(*self.generic([a], [loops], [self.filled(a.kind, shape), self.filled("i32", shape)], [to, to],
                                       iterators, most_and_count))

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
