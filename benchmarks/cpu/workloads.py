"""The rows of the table: what is computed, who else computes it, and what is to be reached.

A workload is one module. Each of its goals is a row: the best of some contestants, and by which factor
to beat it. What our tuner cannot do yet is a goal all the same, with `missing` saying so: it is timed as
it is, and shown beside what it should reach.
"""

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import modules

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass
class Goal:
    against: tuple  # names of contestants; those that cannot do it do not count
    factor: float = 1.0  # the best of them takes at least so many times as long as ours
    label: str = ""  # added to the workload's title
    or_bandwidth: bool = False  # reached, too, by 95 % of the bandwidth of the memory it lives in
    missing: str = ""  # what the tuner lacks for it, or why it is missed
    missing_with_threads: str = ""  # the same with several threads, where that is something else

    def why(self, threads):
        return threads > 1 and self.missing_with_threads or self.missing


@dataclass
class Workload:
    name: str  # of files; unique
    title: str
    group: str
    module: str  # MLIR; its function is @main
    inputs: list  # (shape, element type): f32, bf16, i8, u8
    result: tuple
    op: dict  # what the contestants are told (contestant.h)
    contestants: dict  # name -> further pairs for it, or None
    goals: list
    flops: float = 0
    element: str = "f32"  # whose peak the flops are compared with
    bound: str = "flops"  # what the rate is shown as: flops or bytes


SIZES = {"f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1}


def bytes_of(shape, element):
    return prod(shape) * SIZES[element]


BLAS = {"openblas": None, "openblas debian": None}
OTHERS = {"iree": None, "torch": None}


def matmul(name, m, n, k, *, batch=None, layout="nn", types="f32", post="none", peers=BLAS,
           factor=1.0, group="matmul", title=None, ahead=False, missing="", extra=None, goals=()):
    """`ahead`: weights are the same in all calls, and who can do so packs them before; `missing` says
    what the tuner lacks for that."""
    element = types if types in ("f32", "f16", "bf16") else "i8"
    left = {"u8s8": "u8", "s8s8": "i8"}.get(types, types)
    right = "i8" if element == "i8" else types
    lead = [batch] if batch else []
    inputs = [(lead + ([k, m] if layout[0] == "t" else [m, k]), left),
              (lead + ([n, k] if layout[1] == "t" else [k, n]), right)]
    if post != "none":
        inputs.append(([n], "f32"))
    plain = {"onednn": {"form": "plain"}, **peers}
    if ahead:  # plain weights may be faster all the same
        contestants = rivals = {"onednn packed": {"form": "packed"}, **plain}
    else:
        rivals = {**plain, **OTHERS}
        contestants = {**rivals, **(extra or {})}
    own = Goal(tuple(rivals), factor, missing=missing)
    return Workload(
        name, title or name.replace("_", " "), group,
        modules.matmul(m, n, k, batch, layout, types, post, constant=ahead), inputs,
        (lead + [m, n], "i32" if element == "i8" else "f32"),
        dict(op="matmul", batch=batch or 1, m=m, n=n, k=k, layout=layout, types=types, post=post),
        contestants, [own, *goals], 2.0 * (batch or 1) * m * n * k, element,
        "bytes" if m == 1 else "flops")


def matmul_and_packed(name, m, n, k, *, title=None, missing="", extra=None, goals=(), **rest):
    """A row with weights as they come, and one with weights that are packed ahead."""
    title = title or name.replace("_", " ")
    return [matmul(name, m, n, k, title=title, extra=extra, goals=goals, **rest),
            matmul(name + "_packed", m, n, k, title=title + ", weights packed ahead", ahead=True,
                   missing=missing, **rest)]


def conv(name, title, h, c, f, kernel, *, n=1, stride=1, pad=0, groups=1, layout="nhwc"):
    """Square images and kernels. Taps of the padding count as work."""
    shape = dict(n=n, h=h, w=h, c=c, f=f, kh=kernel, kw=kernel, stride=stride, pad=pad, groups=groups)
    out = (h + 2 * pad - kernel) // stride + 1
    is_nhwc = layout == "nhwc"
    filter = ([kernel, kernel, c, f] if groups == 1 else [kernel, kernel, c]) if is_nhwc else [
        f, c, kernel, kernel]
    direct = {"onednn": {"form": "activations"}, "onednn any": {"form": "any"}, **OTHERS}
    contestants = dict(direct)
    if is_nhwc:
        goals = [Goal(tuple(direct), 1.0 if groups > 1 else 0.98)]
        if groups == 1 and kernel == 3 and stride == 1:
            contestants["winograd"] = None
            goals.append(Goal(("winograd",), 0.9, ", Winograd"))
    else:
        twin = "ours:" + name.replace("nchw", "nhwc")
        contestants[twin] = None
        # A program in NCHW has no activations in another layout: "any" is shown, but is no bar.
        goals = [Goal((twin,), 0.95, ", beside our NHWC"),
                 Goal(tuple(name for name in direct if name != "onednn any"))]
    return Workload(
        name, title + (" NHWC" if is_nhwc else " NCHW"), "conv",
        modules.conv(layout=layout, **shape),
        [([n, h, h, c] if is_nhwc else [n, c, h, h], "f32"), (filter, "f32")],
        ([n, out, out, f] if is_nhwc else [n, f, out, out], "f32"),
        dict(op="conv", layout=layout, **shape), contestants, goals,
        2.0 * n * out * out * f * kernel * kernel * c / groups)


def row_op(name, title, op, shape, module, result, *, inputs=(), peers=("onednn",), factor=1.0,
           or_bandwidth=False):
    """What moves memory: all but the last dimension are rows. Each input is read once."""
    rows = prod(shape[:-1])
    inputs = [(list(shape), "f32"), *inputs]
    contestants = {**dict.fromkeys(peers), **OTHERS}
    return Workload(
        name, title, "memory", module, inputs, (result, "f32"),
        dict(op=op, rows=rows, columns=shape[-1]), contestants,
        [Goal(tuple(contestants), factor, or_bandwidth=or_bandwidth)], bound="bytes")


def attention(heads, sequence, width):
    shape = [heads, sequence, width]
    contestants = {"onednn": None, **OTHERS}
    return Workload(
        "attention_%dx%dx%d" % (heads, sequence, width),
        "attention, %d heads of %d x %d" % (heads, sequence, width), "fused",
        modules.attention(heads, sequence, width), [(shape, "f32")] * 3, (shape, "f32"),
        dict(op="attention", heads=heads, sequence=sequence, width=width), contestants,
        [Goal(tuple(contestants), 1.2)], 4.0 * heads * sequence * sequence * width)


def whole(name, title, op, file, inputs, result, flops):
    contestants = dict(OTHERS)
    return Workload(name, title, "whole", (EXAMPLES / file).read_text(), inputs, (result, "f32"),
                    dict(op=op), contestants, [Goal(tuple(contestants))], flops)


# What the tuner does not pack ahead.
NO_DOTS = "weights of dot products are packed at each call"


# Why rows are missed that were looked into (perf, the assembly), shown while they are: for each goal
# of a workload, in order.
WHY = {
    "matmul_512x1024x4096_packed": ["both are at 93 % of the peak"],
    "matmul_128x768x3072": ["few rows: the first pass over B waits for memory; prefetching it (tried: the next "
                            "4 to 16 rows, the next panel) wins 2 % or loses 40 %"],
    "matmul_127x509x331": ["509 columns are copied into panels at each call: packed ahead takes 8 % less"],
    "resnet_3x3_7_nhwc": ["", "38 MB of transformed filter go through the caches: what else uses the last one "
                          "moves it by a tenth"],
    "alexnet_conv1_nchw": ["5 % of the time turn the image, 5 % are what 55 pixels leave over in tiles of 13 (profile); "
                           "tiles of 10 or 11 leave less and are no faster"],
    "alexnet_conv2_nchw": ["borders are multiplied in NCHW, 9 % of all products"],
    "resnet_3x3_7_nchw": ["the filter is turned on each call, a quarter of the time; prefetching it (tried) is "
                          "no faster"],
    "resnet_1x1_56_nchw": ["the loop has no waste (assembly); pixels of 256 channels lie 12.5 KB apart, in 16 "
                           "sets of the first cache, and are read again for each 16 or 32 channels"] * 2,
    "resnet_1x1_56_stride2_nchw": ["as without the stride; and every other pixel is read for nothing"],
    "depthwise_14_nhwc": ["the search has arrays at other places: tiles of planes take 33 us there and 22 "
                          "here, of rows 28 and 29"],
    "norm_128x768": ["passes over rows in the first cache: a kernel in C takes 13 us, too"],
    "attention_12x128x64": ["85 % of the time are products at the peak: softmax and K's panels are left"],
}


# The same with two threads.
WHY_WITH_THREADS = {
    "matmul_512x1024x1024_packed": ["both are at 89 % of what two cores can do"],
    "matmul_2048x2048x2048_packed": ["both are at 90 to 93 % of what two cores can do"],
    "matmul_127x509x331_packed": ["packed at each call: panels of tiles that differ are not hoisted out of them"],
    "resnet_3x3_7_nhwc": ["as beside Winograd", "1.0 to 1.3 ms from one run to the next, in 0.83 in its search: filters "
                          "of 9 MB come through the last cache"],
    "alexnet_conv2_nhwc": ["both are at the peak"],
    "norm_4096x1024": ["49 of 62 GB/s: rows are read twice, once from memory"],
    "sum_columns_4096x4096": ["36 of 62 GB/s, as one thread has 30; lines are read by both: not looked into further"],
    "matmul_bias_relu_512x1024x1024": ["the same within the interval"],
    "matmul_bias_gelu_512x1024x1024": ["the same within the interval", "the function takes 4 % with two threads: not looked into further"],
}


def explain(rows):
    for row in rows:
        for goal, why in zip(row.goals, WHY.get(row.name, [])):
            goal.missing = goal.missing or why
        for goal, why in zip(row.goals, WHY_WITH_THREADS.get(row.name, [])):
            goal.missing_with_threads = why
    return rows


def all_workloads():
    rows = []
    for m, n, k in [(512, 1024, 1024), (512, 1024, 4096), (512, 4096, 1024), (2048, 2048, 2048),
                    (128, 768, 768), (128, 3072, 768), (128, 768, 3072), (127, 509, 331)]:
        rows += matmul_and_packed("matmul_%dx%dx%d" % (m, n, k), m, n, k)
    for m, n, k in [(16, 16, 65536), (64, 96, 8192)]:
        rows.append(matmul("matmul_%dx%dx%d" % (m, n, k), m, n, k, title="matmul %dx%dx%d" % (m, n, k)))
    for layout in ("nn", "nt"):
        rows += matmul_and_packed("matvec_1x4096x4096_" + layout, 1, 4096, 4096, layout=layout,
                                  title="1x4096x4096 " + layout.upper())
    rows.append(matmul("batch_4096_16x16x16", 16, 16, 16, batch=4096, group="batch",
                       peers={**BLAS, "libxsmm": None}))
    for layout in ("nn", "nt", "tn"):
        rows.append(matmul("batch_96_128x128x64_" + layout, 128, 128, 64, batch=96, layout=layout,
                           group="batch", title="batch matmul 96 of 128x128x64 " + layout.upper()))
    images = [("alexnet_conv1", "AlexNet 1 (N=8)", dict(h=227, c=3, f=96, kernel=11, n=8, stride=4)),
              ("alexnet_conv2", "AlexNet 2 (N=8)", dict(h=27, c=96, f=256, kernel=5, n=8, pad=2)),
              ("resnet_1x1_56", "ResNet 1x1, 256 to 64 at 56", dict(h=56, c=256, f=64, kernel=1)),
              ("resnet_1x1_56_stride2", "ResNet 1x1 stride 2, 256 to 512 at 56",
               dict(h=56, c=256, f=512, kernel=1, stride=2))]
    images[2:2] = [("resnet_3x3_%d" % h, "ResNet 3x3 at %d" % h,
                    dict(h=h, c=c, f=c, kernel=3, pad=1))
                   for h, c in ((56, 64), (28, 128), (14, 256), (7, 512))]
    for layout in ("nhwc", "nchw"):
        rows += [conv(name + "_" + layout, title, layout=layout, **shape)
                 for name, title, shape in images]
    for h, c in ((112, 32), (14, 512)):
        rows.append(conv("depthwise_%d_nhwc" % h, "depthwise 3x3, %dx%dx%d" % (h, h, c), h, c, c, 3,
                         pad=1, groups=c))
    for shape in ((12, 128, 128), (1024, 4096)):
        size = "x".join(map(str, shape))
        rows.append(row_op("softmax_" + size, "softmax " + size, "softmax", shape,
                           modules.softmax(*shape), list(shape), factor=1.5, or_bandwidth=True))
    for rows_, columns in ((128, 768), (4096, 1024)):
        rows.append(row_op("norm_%dx%d" % (rows_, columns), "layer norm %dx%d" % (rows_, columns),
                           "norm", (rows_, columns), modules.norm(rows_, columns), [rows_, columns],
                           inputs=[([columns], "f32")] * 2, factor=1.5, or_bandwidth=True))
    rows.append(row_op("gelu_128x3072", "gelu 128x3072", "gelu", (128, 3072),
                       modules.gelu(128, 3072), [128, 3072], factor=1.5, or_bandwidth=True))
    both = ("onednn", *BLAS)
    rows += [row_op("sum_1048576", "sum of 2^20", "sum", (1 << 20,), modules.total([1 << 20], [0]), [],
                    peers=both),
             row_op("sum_rows_4096x4096", "4096x4096 summed over rows", "sum-rows", (4096, 4096),
                    modules.total([4096, 4096], [1]), [4096], peers=both),
             row_op("sum_columns_4096x4096", "4096x4096 summed over columns", "sum-columns",
                    (4096, 4096), modules.total([4096, 4096], [0]), [4096], peers=both),
             row_op("transpose_2048", "transpose 2048^2", "transpose", (2048, 2048),
                    modules.transpose(2048, 2048), [2048, 2048], peers=both)]
    bare = "ours:matmul_512x1024x1024"
    for post in ("relu", "gelu"):
        rows += matmul_and_packed("matmul_bias_%s_512x1024x1024" % post, 512, 1024, 1024, post=post,
                                  peers={}, group="fused",
                                  title="matmul + bias + %s 512x1024x1024" % post, extra={bare: None},
                                  goals=[Goal((bare,), 0.98, ", beside the bare matmul")])
    rows += [attention(12, 128, 64), attention(12, 1024, 64)]
    for types, m, n, k in (("bf16", 512, 1024, 1024), ("bf16", 1024, 1024, 1024),
                           ("u8s8", 512, 1024, 1024), ("s8s8", 512, 1024, 1024)):
        rows += matmul_and_packed("%s_%dx%dx%d" % (types, m, n, k), m, n, k, types=types, peers={},
                                  factor=0.95, group="narrow", missing=NO_DOTS,
                                  title="%s matmul %dx%dx%d" % (types, m, n, k))
    width, inner, tokens = 768, 3072, 128
    projection = [([width, width], "f32"), ([width], "f32")]
    bert = [([1, tokens, width], "f32"), ([1, 1, 1, tokens], "f32"), *projection * 4]
    rows.append(whole("bert_layer", "one layer of BERT-base, 128 tokens", "bert-layer",
                      "torch_bert_layer_f32.mlir",
                      bert + [([width], "f32")] * 4 + [([inner, width], "f32"), ([inner], "f32"),
                                                       ([width, inner], "f32"), ([width], "f32")],
                      [1, tokens, width],
                      2.0 * tokens * width * (4 * width + 2 * inner) +
                      4.0 * tokens * tokens * width))
    block = [([1, 256, 56, 56], "f32"), ([64, 256, 1, 1], "f32"), ([64], "f32"),
             ([64, 64, 3, 3], "f32"), ([64], "f32"), ([256, 64, 1, 1], "f32"), ([256], "f32")]
    rows.append(whole("resnet_block", "one ResNet-50 block, 256x56x56", "resnet-block",
                      "torch_resnet50_bottleneck_folded_f32.mlir", block, [1, 256, 56, 56],
                      2.0 * 56 * 56 * (256 * 64 + 64 * 64 * 9 + 64 * 256)))
    return explain(rows)


def without(names, rows):
    """The rows, without some of their peers."""
    for row in rows:
        row.contestants = {name: pairs for name, pairs in row.contestants.items() if name not in names}
        row.goals = [replace(goal, against=tuple(name for name in goal.against if name not in names))
                     for goal in row.goals]
    return rows


def beside(row, twin, label, factor=1.0):
    """The row, with another workload of ours as a contestant."""
    twin = "ours:" + twin
    row.contestants[twin] = None
    row.goals.append(Goal((twin,), factor, label))
    return row


def narrow_transpose(rows, columns, element, twin):
    """Narrow elements: oneDNN and OpenBLAS are asked for f32 alone, so beside our own rows that are no
    multiple of 2 KB."""
    name = "transpose_%s_%d" % (element, columns)
    row = Workload(name, "transpose %s %d^2" % (element, columns), "memory",
                   modules.transpose(rows, columns, "i8" if element == "i8" else "bf16"),
                   [([rows, columns], element)], ([columns, rows], element), dict(op="transpose"), {}, [],
                   bound="bytes")
    return beside(row, twin, ", beside our %s" % twin.rpartition("_")[2], 0.8) if twin else row


def edge_workloads():
    """Sizes that fall between the rules, and types without instructions: where machines without AVX-512
    lose first. IREE and PyTorch, which compile for long, stay out."""
    rows = []
    for m, n, k in [(1000, 1000, 1000), (1001, 1001, 1001), (1008, 1008, 1008), (128, 3072, 768),
                    (128, 768, 3072), (127, 509, 331), (256, 104, 512),
                    (16, 64, 256), (17, 128, 512), (31, 100, 300), (32, 40, 256), (17, 17, 512),
                    (32, 128, 1024)]:
        size = "%dx%dx%d" % (m, n, k)
        rows.append(matmul("matmul_" + size, m, n, k, title="matmul " + size))
    for h, c in ((56, 64), (28, 128)):
        for layout in ("nhwc", "nchw"):
            rows.append(conv("resnet_3x3_%d_%s" % (h, layout), "ResNet 3x3 at %d" % h, h, c, c, 3,
                             pad=1, layout=layout))
    for layout in ("nhwc", "nchw"):
        rows.append(conv("resnet_1x1_14_" + layout, "ResNet 1x1, 1024 to 256 at 14", 14, 1024, 256, 1,
                         layout=layout))
    for h, c in ((112, 32), (56, 144), (14, 512), (7, 960)):
        rows.append(conv("depthwise_%d_nhwc" % h, "depthwise 3x3, %dx%dx%d" % (h, h, c), h, c, c, 3,
                         pad=1, groups=c))
    for shape in ((12, 197, 197), (12, 128, 128), (64, 1000)):
        size = "x".join(map(str, shape))
        rows.append(row_op("softmax_" + size, "softmax " + size, "softmax", shape,
                           modules.softmax(*shape), list(shape)))
    for columns in (768, 197):
        rows.append(row_op("norm_128x%d" % columns, "layer norm 128x%d" % columns, "norm",
                           (128, columns), modules.norm(128, columns), [128, columns],
                           inputs=[([columns], "f32")] * 2))
    rows += [row_op("transpose_%d" % size, "transpose %d^2" % size, "transpose", (size, size),
                    modules.transpose(size, size), [size, size], peers=("onednn", *BLAS))
             for size in (1024, 2048, 2056)]
    for element in ("i8", "bf16"):
        rows += [narrow_transpose(2056, 2056, element, None)]
        rows += [narrow_transpose(size, size, element, "transpose_%s_2056" % element)
                 for size in (2048, 4096)]
    for types in ("bf16", "u8s8", "s8s8"):
        for m, n, k, layout in ((512, 1024, 1024, "nn"), (128, 768, 768, "nn"), (127, 509, 331, "nt")):
            twin = "matmul_%dx%dx%d%s" % (m, n, k, "_nt" if layout == "nt" else "")
            if twin not in [row.name for row in rows]:
                rows.append(matmul(twin, m, n, k, layout=layout, title=twin.replace("_", " ")))
            name = "%s_%dx%dx%d_%s" % (types, m, n, k, layout)
            rows.append(beside(
                matmul(name, m, n, k, layout=layout, types=types, peers={}, group="narrow",
                       title="%s matmul %dx%dx%d %s" % (types, m, n, k, layout.upper())), twin,
                ", beside our f32"))
    return without(OTHERS, rows)


SETS = {"libraries": all_workloads, "edges": edge_workloads}
