"""The MLIR of the workloads: linalg on tensors, as front ends write it. Every function returns text."""


def tensor(shape, element="f32"):
    return "tensor<%s>" % "x".join([str(size) for size in shape] + [element])


def maps(*results, dimensions):
    names = ", ".join(dimensions)
    return ", ".join("affine_map<(%s) -> (%s)>" % (names, ", ".join(result)) for result in results)


class Function:
    """A function over tensors, written line by line."""

    def __init__(self, *arguments):
        self.arguments, self.lines, self.count = arguments, [], 0

    def op(self, text):
        self.count += 1
        self.lines.append("  %%v%d = %s" % (self.count, text))
        return "%%v%d" % self.count

    def constant(self, value, element="f32"):
        return self.op("arith.constant %s : %s" % (value, element))

    def empty(self, shape, element="f32"):
        return self.op("tensor.empty() : %s" % tensor(shape, element))

    def filled(self, shape, element="f32", value=None):
        type = tensor(shape, element)
        value = value or ("0" if element.startswith("i") else "0.0")
        return self.op("linalg.fill ins(%s : %s) outs(%s : %s) -> %s" % (
            self.constant(value, element), element, self.empty(shape, element), type, type))

    def generic(self, indexing, iterators, inputs, output, body, result):
        """`inputs` and `output` are (value, type); the body's arguments are %0, %1, ..., %out."""
        names = ["%%x%d: %s" % (i, type[:-1].replace("<", "x").split("x")[-1])
                 for i, (_, type) in enumerate(inputs)]
        names.append("%%out: %s" % output[1][:-1].replace("<", "x").split("x")[-1])
        ins = "ins(%s : %s)" % (", ".join(v for v, _ in inputs), ", ".join(t for _, t in inputs))
        return self.op(
            "linalg.generic {indexing_maps = [%s],\n      iterator_types = [%s]}\n"
            "      %s outs(%s : %s) {\n  ^bb0(%s):\n%s\n    linalg.yield %s\n  } -> %s" % (
                indexing, ", ".join('"%s"' % iterator for iterator in iterators), ins, output[0],
                output[1], ", ".join(names), "\n".join("    " + line for line in body), result,
                output[1]))

    def elementwise(self, shape, inputs, body, result="%r : f32"):
        """Inputs of the whole shape, or of the last or all but the last dimension, by their type."""
        dimensions = ["d%d" % i for i in range(len(shape))]
        by_shape = {tensor(shape): dimensions, tensor(shape[-1:]): dimensions[-1:],
                    tensor(shape[:-1]): dimensions[:-1]}
        indexing = maps(*[by_shape[type] for _, type in inputs], dimensions, dimensions=dimensions)
        return self.generic(indexing, ["parallel"] * len(shape), inputs,
                            (self.empty(shape), tensor(shape)), body, result)

    def reduced(self, value, shape, axes, combine="arith.addf", initial="0.0"):
        kept = [size for i, size in enumerate(shape) if i not in axes]
        return self.op("linalg.reduce { %s } ins(%s : %s) outs(%s : %s) dimensions = [%s]" % (
            combine, value, tensor(shape), self.filled(kept, value=initial), tensor(kept),
            ", ".join(str(axis) for axis in axes)))

    def text(self, value, type):
        arguments = ", ".join("%%a%d: %s" % (i, t) for i, t in enumerate(self.arguments))
        return "func.func @main(%s) -> %s {\n%s\n  return %s : %s\n}\n" % (
            arguments, type, "\n".join(self.lines), value, type)


def contract(function, a, b, batch, m, n, k, layout="nn", element="f32", result="f32"):
    """A product of the values a and b; 3-D where `batch` is given. u8s8 is a generic, since named ops
    have no mixed signs."""
    lead, dimensions = ([batch], ["b"]) if batch else ([], [])
    a_dims, b_dims = (["k", "m"] if layout[0] == "t" else ["m", "k"]), (
        ["n", "k"] if layout[1] == "t" else ["k", "n"])
    sizes = {"m": m, "n": n, "k": k}
    a_type = tensor(lead + [sizes[d] for d in a_dims], "i8" if element == "u8s8" else element)
    b_type = tensor(lead + [sizes[d] for d in b_dims], "i8" if element == "u8s8" else element)
    c_type = tensor(lead + [m, n], result)
    init = function.filled(lead + [m, n], result)
    indexing = maps(dimensions + a_dims, dimensions + b_dims, dimensions + ["m", "n"],
                    dimensions=dimensions + ["m", "n", "k"])
    if element == "u8s8":
        return function.generic(
            indexing, ["parallel", "parallel", "reduction"], [(a, a_type), (b, b_type)],
            (init, c_type),
            ["%l = arith.extui %x0 : i8 to i32", "%s = arith.extsi %x1 : i8 to i32",
             "%p = arith.muli %l, %s : i32", "%r = arith.addi %out, %p : i32"], "%r : i32")
    return function.op("linalg.%smatmul%s ins(%s, %s : %s, %s) outs(%s : %s) -> %s" % (
        "batch_" if batch else "", "" if layout == "nn" else " indexing_maps = [%s]" % indexing, a, b,
        a_type, b_type, init, c_type, c_type))


GELU = ["%half = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32",
        "%root = arith.constant 0.70710678 : f32", "%s = arith.mulf %y, %root : f32",
        "%e = math.erf %s : f32", "%f = arith.addf %e, %one : f32", "%g = arith.mulf %y, %half : f32",
        "%r = arith.mulf %f, %g : f32"]
RELU = ["%zero = arith.constant 0.0 : f32", "%r = arith.maximumf %y, %zero : f32"]


def matmul(m, n, k, batch=None, layout="nn", types="f32", post="none", constant=False):
    element = {"u8s8": "i8", "s8s8": "i8"}.get(types, types)
    result = "i32" if element == "i8" else "f32"
    lead = [batch] if batch else []
    a = tensor(lead + ([k, m] if layout[0] == "t" else [m, k]), element)
    b = tensor(lead + ([n, k] if layout[1] == "t" else [k, n]), element)
    bias = [tensor([n])] if post != "none" else []
    function = Function(a, b + " {tune.constant}" if constant else b, *bias)
    value = contract(function, "%a0", "%a1", batch, m, n, k, layout,
                     "u8s8" if types == "u8s8" else element, result)
    if bias:
        value = function.elementwise([m, n], [(value, tensor([m, n])), ("%a2", tensor([n]))],
                                     ["%y = arith.addf %x0, %x1 : f32"] +
                                     (GELU if post == "gelu" else RELU))
    return function.text(value, tensor(lead + [m, n], result))


def conv(n, h, w, c, f, kh, kw, stride, pad, groups, layout):
    oh, ow = (h + 2 * pad - kh) // stride + 1, (w + 2 * pad - kw) // stride + 1
    is_nhwc = layout == "nhwc"
    x = [n, h, w, c] if is_nhwc else [n, c, h, w]
    padded = [n, h + 2 * pad, w + 2 * pad, c] if is_nhwc else [n, c, h + 2 * pad, w + 2 * pad]
    y = [n, oh, ow, f] if is_nhwc else [n, f, oh, ow]
    if groups == 1:
        name, filter = ("conv_2d_nhwc_hwcf", [kh, kw, c, f]) if is_nhwc else (
            "conv_2d_nchw_fchw", [f, c, kh, kw])
    else:
        name, filter = "depthwise_conv_2d_nhwc_hwc", [kh, kw, c]
    function = Function(tensor(x), tensor(filter))
    value = "%a0"
    if pad:
        low = "0, %d, %d, 0" % (pad, pad) if is_nhwc else "0, 0, %d, %d" % (pad, pad)
        value = function.op(
            "tensor.pad %%a0 low[%s] high[%s] {\n  ^bb0(%%i0: index, %%i1: index, %%i2: index, %%i3: "
            "index):\n    tensor.yield %s : f32\n  } : %s to %s" % (
                low, low, function.constant("0.0"), tensor(x), tensor(padded)))
    value = function.op(
        "linalg.%s {dilations = dense<1> : tensor<2xi64>, strides = dense<%d> : tensor<2xi64>}\n"
        "    ins(%s, %%a1 : %s, %s) outs(%s : %s) -> %s" % (
            name, stride, value, tensor(padded), tensor(filter), function.filled(y), tensor(y),
            tensor(y)))
    return function.text(value, tensor(y))


def softmax(*shape):
    function = Function(tensor(shape))
    return function.text(soft_maximum(function, "%a0", shape), tensor(shape))


def soft_maximum(function, value, shape):
    return function.op("linalg.softmax dimension(%d) ins(%s : %s) outs(%s : %s) -> %s" % (
        len(shape) - 1, value, tensor(shape), function.empty(shape), tensor(shape), tensor(shape)))


def norm(rows, columns):
    shape, type, row, column = [rows, columns], tensor([rows, columns]), tensor([rows]), tensor([columns])
    function = Function(type, column, column)
    size = ["%%n = arith.constant %.1f : f32" % columns]
    mean = function.elementwise([rows], [(function.reduced("%a0", shape, [1]), row)],
                                size + ["%r = arith.divf %x0, %n : f32"])
    centred = function.elementwise(shape, [("%a0", type), (mean, row)], ["%r = arith.subf %x0, %x1 : f32"])
    squares = function.elementwise(shape, [(centred, type)], ["%r = arith.mulf %x0, %x0 : f32"])
    scale = function.elementwise([rows], [(function.reduced(squares, shape, [1]), row)], size + [
        "%e = arith.constant 1.0e-05 : f32", "%v = arith.divf %x0, %n : f32",
        "%w = arith.addf %v, %e : f32", "%r = math.rsqrt %w : f32"])
    value = function.elementwise(
        shape, [(centred, type), (scale, row), ("%a1", column), ("%a2", column)],
        ["%s = arith.mulf %x0, %x1 : f32", "%t = arith.mulf %s, %x2 : f32",
         "%r = arith.addf %t, %x3 : f32"])
    return function.text(value, type)


def gelu(rows, columns):
    type = tensor([rows, columns])
    function = Function(type)
    body = [line.replace("%y", "%x0") for line in GELU]
    return function.text(function.elementwise([rows, columns], [("%a0", type)], body), type)


def total(shape, axes):
    function = Function(tensor(shape))
    kept = [size for i, size in enumerate(shape) if i not in axes]
    return function.text(function.reduced("%a0", shape, axes), tensor(kept))


def add(count):
    type = tensor([count])
    function = Function(type, type)
    return function.text(function.elementwise([count], [("%a0", type), ("%a1", type)],
                                              ["%r = arith.addf %x0, %x1 : f32"]), type)


def transpose(rows, columns, element="f32"):
    before, after = tensor([rows, columns], element), tensor([columns, rows], element)
    function = Function(before)
    value = function.op("linalg.transpose ins(%%a0 : %s) outs(%s : %s) permutation = [1, 0]" % (
        before, function.empty([columns, rows], element), after))
    return function.text(value, after)


def attention(heads, sequence, width):
    rows, scores = [heads, sequence, width], [heads, sequence, sequence]
    function = Function(tensor(rows), tensor(rows), tensor(rows))
    value = contract(function, "%a0", "%a1", heads, sequence, sequence, width, "nt")
    value = function.elementwise(scores, [(value, tensor(scores))], [
        "%%c = arith.constant %r : f32" % (width ** -0.5), "%r = arith.mulf %x0, %c : f32"])
    value = soft_maximum(function, value, scores)
    value = contract(function, value, "%a2", heads, sequence, width, sequence)
    return function.text(value, tensor(rows))
