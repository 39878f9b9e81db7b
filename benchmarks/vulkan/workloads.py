"""The rows of the table: what is computed, which peers do it, and what is to be reached."""

import sys
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cpu"))
import modules


@dataclass
class Workload:
    name: str  # of files; unique
    title: str
    module: str  # MLIR, f32 throughout; its function is @main
    inputs: list  # shapes
    result: list
    flops: int = 0  # 0: bound by the memory
    peers: list = field(default_factory=list)  # (module that does it, its arguments), beside IREE
    factor: float = 1.0  # IREE's time is to be so many times ours
    rate: float = 0  # GFLOP/s to reach, on one core of lavapipe
    neighbour: str = ""  # its rate is to be within 10 % of that workload's

    @property
    def traffic(self):
        """Bytes that have to move: each argument and the result once."""
        return sum(4 * prod(shape) for shape in [*self.inputs, self.result])


def matmul(m, n, k, batch=None, post="none", **more):
    lead = [batch] if batch else []
    inputs = [lead + [m, k], lead + [k, n]] + ([[n]] if post != "none" else [])
    title = "%smatmul %s%dx%dx%d%s" % ("batch " if batch else "", "%d of " % batch if batch else "",
                                       m, n, k, " + bias + " + post if post != "none" else "")
    name = "_".join(title.replace("+ ", "").replace("of ", "").split())
    peers = [("wgpu_matmul", (batch or 1, m, n, k))] if post == "none" else []
    if n == k and not batch and post == "none":  # a result is an input of the next
        peers.append(("ncnn_chain", ("matmul", m, n)))
    return Workload(name, title, modules.matmul(m, n, k, batch, post=post), inputs, lead + [m, n],
                    2 * (batch or 1) * m * n * k, peers, **more)


def conv(height, width, channels, filters, **more):
    """3x3 over an image that is padded already."""
    x = [1, height + 2, width + 2, channels]
    text = modules.conv(1, height + 2, width + 2, channels, filters, 3, 3, 1, 0, 1, "nhwc")
    peers = [("ncnn_chain", (kind, height, width, channels)) for kind in ("conv", "winograd")
             if channels == filters]
    return Workload("conv_%dx%dx%d_%d_3x3" % (height, width, channels, filters),
                    "conv 3x3 %dx%dx%d to %d" % (height, width, channels, filters), text,
                    [x, [3, 3, channels, filters]], [1, height, width, filters],
                    2 * 9 * height * width * channels * filters, peers, **more)


def all_workloads():
    return [
        matmul(512, 512, 512, factor=2),
        matmul(512, 1024, 1024, factor=2),
        matmul(128, 768, 768, factor=2),
        matmul(128, 512, 332, factor=2),
        matmul(127, 509, 331, factor=2, neighbour="matmul_128x512x332"),
        matmul(128, 128, 64, batch=12, factor=2),
        conv(56, 56, 64, 64, rate=14),
        Workload("softmax_1024x1024", "softmax 1024x1024", modules.softmax(1024, 1024),
                 [[1024, 1024]], [1024, 1024], peers=[("ncnn_chain", ("softmax", 1024, 1024))], factor=3),
        Workload("row_sum_1024x4096", "1024x4096 summed over columns", modules.total([1024, 4096], [1]),
                 [[1024, 4096]], [1024], factor=1.5),
        Workload("add_2^20", "add of 2^20", modules.add(1 << 20), [[1 << 20], [1 << 20]], [1 << 20], factor=1.5),
        Workload("transpose_1024x1024", "transpose 1024x1024", modules.transpose(1024, 1024),
                 [[1024, 1024]], [1024, 1024], factor=1.5),
        matmul(512, 512, 512, post="relu"),
        Workload("layer_norm_512x768", "layer norm 512x768", modules.norm(512, 768),
                 [[512, 768], [768], [768]], [512, 768]),
    ]
