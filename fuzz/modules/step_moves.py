"""Steps that move elements."""

from module_text import FLOATS, INTEGERS, MOST_ELEMENTS, Value, product


class Moves:

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
        a = self.take(self.draw(0, 1, 2, 3), FLOATS + INTEGERS)
        shape = list(a.shape)
        places = sorted(self.random.sample(range(len(shape) + 2), self.draw(1, 1, 2)))
        places = [place for place in places if place <= len(shape)] or [0]
        for place in places:
            shape.insert(place, self.draw(1, 3, 8, 17))
        if product(shape) > MOST_ELEMENTS:
            return None
        out, result = self.empty(a.kind, shape), Value(self.fresh(), a.kind, shape)
        self.line("%s = linalg.broadcast ins(%s : %s) outs(%s : %s) dimensions = %s", result.name, a.name, a.type,
                  out.name, out.type, places)
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
        a = self.take(kinds=FLOATS + INTEGERS)
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
        a = self.take(kinds=FLOATS + INTEGERS)
        if not a.shape:
            return None
        place, parts, shape = self.random.randrange(len(a.shape)), [a], list(a.shape)
        for _ in range(self.draw(1, 1, 2, 3)):
            other = list(a.shape)
            other[place] = self.draw(1, 3, 8, 16)
            shape[place] += other[place]
            parts.append(self.given(a.kind, other) if other[place] != a.shape[place] or self.chance(0.5) else a)
        self.random.shuffle(parts)
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = tensor.concat dim(%d) %s : (%s) -> %s", result.name, place, ", ".join(p.name for p in parts),
                  ", ".join(p.type for p in parts), result.type)
        return result

    def packed(self):
        """linalg.pack, padded or not, and at times back again after something else."""
        a = self.take(self.draw(2, 3, 4), FLOATS + INTEGERS)
        if 0 in a.shape:
            return None
        rank = len(a.shape)
        inner = self.random.sample(range(rank), self.draw(1, 2))
        tiles = [self.draw(1, 2, 4, 8, 16) for _ in inner]
        outer = list(range(rank))
        if self.chance(0.4):
            self.random.shuffle(outer)
        sizes, needs = list(a.shape), False
        for place, tile in zip(inner, tiles):
            needs = needs or sizes[place] % tile != 0
            sizes[place] = (sizes[place] + tile - 1) // tile
        shape = [sizes[place] for place in outer] + tiles
        if product(shape) > MOST_ELEMENTS:
            return None
        out, result = self.empty(a.kind, shape), Value(self.fresh(), a.kind, shape)
        padding = "padding_value(%s : %s) " % (self.zero(a.kind), a.kind) if needs or self.chance(0.2) else ""
        how = "outer_dims_perm = %s inner_dims_pos = %s inner_tiles = %s" % (outer, inner, tiles)
        self.line("%s = linalg.pack %s %s%s into %s : %s -> %s", result.name, a.name, padding, how, out.name, a.type,
                  result.type)
        if self.chance(0.4):
            return result
        if a.kind in FLOATS and self.chance(0.5):
            result = self.each([result], a.kind, lambda s: self.chain(a.kind, s[:1]))
        out, back = self.empty(a.kind, a.shape), Value(self.fresh(), a.kind, a.shape)
        self.line("%s = linalg.unpack %s %s into %s : %s -> %s", back.name, result.name, how, out.name, result.type,
                  back.type)
        return back

    def collapsed(self):
        """To one dimension, or to others that the same number of elements fills."""
        a = self.take(kinds=FLOATS + INTEGERS)
        rank, count = len(a.shape), product(a.shape)
        if rank < 2 or count == 0:
            return None
        flat = Value(self.fresh(), a.kind, (count,))
        self.line("%s = tensor.collapse_shape %s [%s] : %s into %s", flat.name, a.name, list(range(rank)), a.type, flat.type)
        if self.chance(0.3):
            return flat
        rest, shape = count, []
        for _ in range(self.draw(1, 2, 3)):
            size = self.random.choice([d for d in range(1, min(rest, 512) + 1) if rest % d == 0])
            shape.append(size)
            rest //= size
        shape.append(rest)
        self.random.shuffle(shape)
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = tensor.expand_shape %s [%s] output_shape %s : %s into %s", result.name, flat.name,
                  list(range(len(shape))), shape, flat.type, result.type)
        return result

    def unit_dimension(self):
        """A slice that loses a dimension of one, as front ends write it."""
        a = self.take(self.draw(2, 3, 4), FLOATS)
        if 0 in a.shape:
            return None
        place = self.random.randrange(len(a.shape))
        offsets, sizes, shape = [0] * len(a.shape), list(a.shape), list(a.shape)
        offsets[place], sizes[place] = self.random.randrange(a.shape[place]), 1
        del shape[place]
        result = Value(self.fresh(), a.kind, shape)
        self.line("%s = tensor.extract_slice %s%s %s %s : %s to %s", result.name, a.name, offsets, sizes, [1] * len(sizes),
                  a.type, result.type)
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
