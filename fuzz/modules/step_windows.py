"""Steps with windows: convolutions and pooling."""

from module_text import FLOATS, MOST_WORK, Value, is_float, product


class Windows:

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

    def spread_image(self, kind, shape, places):
        """Pixels in steps, with zeroes between them, as of a transposed convolution; None where it is too small."""
        steps, offsets, inner = [1] * len(shape), [0] * len(shape), list(shape)
        for place in places:
            steps[place] = self.apart.choice((1, 2, 2, 3))
            offsets[place] = self.apart.randrange(0, min(4, shape[place]))
            most = (shape[place] - offsets[place] - 1) // steps[place] + 1
            inner[place] = max(1, most - self.apart.choice((0, 0, 1)))
        if product(steps) == 1:
            return None
        a, into, value = self.argument(kind, inner), self.filled(kind, shape), Value(self.fresh(), kind, shape)
        self.line("%s = tensor.insert_slice %s into %s%s %s %s : %s into %s", value.name, a.name, into.name, offsets,
                  inner, steps, a.type, into.type)
        return value

    def padded_image(self, kind, shape, places):
        if self.apart.random() < 0.4:
            spread = self.spread_image(kind, shape, places)
            if spread:
                return spread
        low, high, inner = [0] * len(shape), [0] * len(shape), list(shape)
        for place in places:
            if shape[place] > 2 and self.chance(0.8):
                low[place], high[place] = self.draw((1, 1), (1, 0), (0, 1))
                inner[place] -= low[place] + high[place]
        return self.padded(self.argument(kind, inner), low, high)

    # Of a named op: which of n, spatial dimensions, channels, groups its image, filter and result have, in order.
    # x stands for all spatial dimensions, w for those of the window.
    NAMED = (("conv_2d_nhwc_hwcf", "nxc", "wcf", "nxf"), ("conv_2d_nchw_fchw", "ncx", "fcw", "nfx"),
             ("conv_2d_nhwc_fhwc", "nxc", "fwc", "nxf"), ("conv_2d_ngchw_fgchw", "ngcx", "fgcw", "ngfx"),
             ("conv_2d_ngchw_gfchw", "ngcx", "gfcw", "ngfx"), ("conv_2d_nhwgc_gfhwc", "nxgc", "gfwc", "nxgf"),
             ("depthwise_conv_2d_nhwc_hwc", "nxc", "wc", "nxc"), ("depthwise_conv_2d_nchw_chw", "ncx", "cw", "ncx"),
             ("depthwise_conv_2d_nhwc_hwcm", "nxc", "wcf", "nxcf"), ("conv_1d_nwc_wcf", "nxc", "wcf", "nxf"),
             ("conv_1d_ncw_fcw", "ncx", "fcw", "nfx"), ("depthwise_conv_1d_nwc_wc", "nxc", "wc", "nxc"),
             ("depthwise_conv_1d_ncw_cw", "ncx", "cw", "ncx"), ("depthwise_conv_1d_nwc_wcm", "nxc", "wcf", "nxcf"),
             ("conv_3d_ndhwc_dhwcf", "nxc", "wcf", "nxf"), ("conv_3d_ncdhw_fcdhw", "ncx", "fcw", "nfx"),
             ("depthwise_conv_3d_ndhwc_dhwc", "nxc", "wc", "nxc"), ("depthwise_conv_3d_ncdhw_cdhw", "ncx", "cw", "ncx"),
             ("conv_1d", "x", "w", "x"), ("conv_2d", "x", "w", "x"), ("conv_3d", "x", "w", "x"))

    def windowed(self, dims, letters):
        """Sizes of spatial dimensions and of the others, strides and dilations."""
        most = {1: 64, 2: 28, 3: 8}[dims]
        out = [min(most, self.draw(1, 2, 4, 7, 8, 13, 14, 28, 56)) for _ in range(dims)]
        window = [self.draw(1, 2, 3, 3, 3, 5) if dims < 3 else self.draw(1, 2, 3) for _ in range(dims)]
        strides = [self.draw(1, 1, 1, 2, 3)] * dims if self.chance(0.7) else [self.draw(1, 2, 3) for _ in range(dims)]
        dilations = [self.draw(1, 1, 1, 2)] * dims
        image = [(o - 1) * s + (w - 1) * d + 1 for o, s, w, d in zip(out, strides, window, dilations)]
        sizes = {"n": [self.draw(1, 1, 2, 3)], "c": [self.draw(1, 2, 3, 4, 8, 15, 16, 17, 32, 64)],
                 "f": [self.draw(1, 3, 4, 8, 16, 17, 32, 33)], "g": [self.draw(1, 2, 3, 8)], "w": window}
        flops = product(out) * product(window) * product(size for letter in "ncfg" if letter in letters
                                                         for size in sizes[letter])
        attributes = "{strides = dense<%s> : tensor<%dxi64>, dilations = dense<%s> : tensor<%dxi64>}" % (
            strides, dims, dilations, dims)
        return (dict(sizes, x=image), dict(sizes, x=out), attributes) if flops <= MOST_WORK else None

    def named_convolution(self):
        op, image, weights, out = self.random.choice(self.NAMED)
        dims = int(op.split("conv_")[1][0])
        drawn = self.windowed(dims, image + weights)
        if drawn is None:
            return None
        before, after, attributes = drawn

        def shape(letters, sizes):
            return [size for letter in letters for size in sizes[letter]]
        kind = self.random.choice(FLOATS + ("i8", "i32"))
        if "x" == image:
            attributes = ""  # upstream's conv_1d and the like have none
            before["x"] = [o + w - 1 for o, w in zip(after["x"], after["w"])]
        first = image.index("x")
        a = (self.padded_image(kind, shape(image, before), range(first, first + dims)) if self.chance(0.5)
             else self.given(kind, shape(image, before)))
        return self.named(op, [a, self.given(kind, shape(weights, after))],
                          self.start(self.accumulator(kind), shape(out, after)), attributes)

    POOLS = ("nhwc_sum", "nhwc_max", "nhwc_min", "nchw_sum", "nchw_max", "nwc_sum", "nwc_max", "nwc_min", "ncw_sum",
             "ncw_max", "ndhwc_sum", "ndhwc_max", "ndhwc_min", "nhwc_max_unsigned", "nhwc_min_unsigned")
    LOWEST = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
    HIGHEST = {"f16": "0x7C00", "bf16": "0x7F80", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}

    def pooling(self):
        op = self.random.choice(self.POOLS)
        layout, what = op.split("_", 1)
        kind = self.random.choice(("i8", "i32") if "unsigned" in op else FLOATS + ("i32",))
        dims = len(layout) - 2
        letters = "ncx" if layout[1] == "c" else "nxc"
        drawn = self.windowed(dims, letters)
        if drawn is None:
            return None
        before, after, attributes = drawn
        width = {"i8": 8, "i32": 32}.get(kind)
        scalar = None
        if what.startswith("max"):
            scalar = (self.LOWEST[kind] if is_float(kind) else "0" if "unsigned" in what else str(-1 << (width - 1)))
        elif what.startswith("min"):
            scalar = (self.HIGHEST[kind] if is_float(kind) else "-1" if "unsigned" in what
                      else str((1 << (width - 1)) - 1))
        out = [size for letter in letters for size in after[letter]]
        start = self.filled(kind, out, self.constant(scalar, kind) if scalar else None)
        shape = [size for letter in letters for size in before[letter]]
        first = letters.index("x")
        a = (self.padded_image(kind, shape, range(first, first + dims)) if self.chance(0.3) and what == "sum"
             else self.given(kind, shape))
        pooled = self.named("pooling_" + op, [a, self.empty(kind, after["w"])], start, attributes)
        if what == "sum" and is_float(kind) and self.chance(0.5):  # an average
            loops, count = ["d%d" % i for i in range(len(out))], self.constant("%d.0" % product(after["w"]), kind)
            return self.generic([pooled], [loops], [self.empty(kind, out)], [loops], ["parallel"] * len(out),
                                lambda s: [self.scalar("arith.divf %s, %s : %s", s[0], count, kind)])[0]
        return pooled

    def convolution_of(self):
        """Of a value that is there, as an image in some layout, by linalg.generic."""
        a = self.take(self.draw(3, 4), FLOATS)
        if 0 in a.shape:
            return None
        rank, dims = len(a.shape), len(a.shape) - 2
        channel = self.draw(1, rank - 1)
        places = [i for i in range(1, rank) if i != channel]
        window = [self.draw(1, 2, 3) if a.shape[i] >= 3 else 1 for i in places]
        stride = [self.draw(1, 1, 2) for _ in places]
        out = [(a.shape[i] - w) // s + 1 for i, w, s in zip(places, window, stride)]
        features = self.draw(1, 3, 8, 16, 31)
        if a.shape[0] * a.shape[channel] * features * product(out) * product(window) > MOST_WORK:
            return None
        # n, the result's places, features; channels, the window
        sizes = [a.shape[0]] + out + [features, a.shape[channel]] + window
        d = ["d%d" % i for i in range(len(sizes))]
        image = [None] * rank
        image[0], image[channel] = d[0], d[dims + 2]
        for i, place in enumerate(places):
            image[place] = "%s * %d + %s" % (d[1 + i], stride[i], d[dims + 3 + i])
        weights, result = [dims + 1, dims + 2] + list(range(dims + 3, 2 * dims + 3)), list(range(dims + 2))
        self.random.shuffle(weights)
        if self.chance(0.5):
            self.random.shuffle(result)
        into = self.accumulator(a.kind)
        iterators = ["parallel"] * (dims + 2) + ["reduction"] * (dims + 1)
        return self.generic([a, self.given(a.kind, [sizes[i] for i in weights])], [image, [d[i] for i in weights]],
                            [self.start(into, [sizes[i] for i in result])], [[d[i] for i in result]], iterators,
                            self.multiply_add(a.kind, into))[0]
