"""Layers of ncnn on Vulkan:

    ncnn_chain.py DEVICE SECONDS matmul|conv|winograd|softmax SIZE...

matmul M N: MxN times NxN, the weights prepacked; conv and winograd H W C: 3x3 over HxWxC, C filters,
without and with Winograd; softmax M N. Prints the time of one layer. ncnn's Python has no timestamps, and
the wall time of a net has its inputs' way to the device and back in it: so it is that of a chain of
layers, less that of one layer, over the layers more.
"""

import sys
import tempfile
import time
from pathlib import Path

import ncnn
import numpy
import sampling

CHAIN = 5


class Layer:
    def __init__(self, kind, sizes):
        random = numpy.random.default_rng(1)
        draw = lambda *shape: random.uniform(-1, 1, shape).astype(numpy.float32)
        self.kind = kind
        if kind == "softmax":
            self.text, self.weights = "Softmax {} 1 1 {} {} 0=1 1=1", b""
            self.input = draw(*sizes)
        elif kind == "matmul":
            m, n = sizes
            self.text = "Gemm {} 1 1 {} {} 3=0 5=1 6=1 7=%d 8=%d 9=%d 10=-1" % (m, n, n)
            self.matrix = draw(n, n) * n ** -0.5  # keeps the size of the values
            self.input, self.weights = draw(m, n), bytes(4) + self.matrix.tobytes()
        else:
            height, width, channels = sizes
            self.text = "Convolution {} 1 1 {} {} 0=%d 1=3 4=1 5=0 6=%d" % (channels, 9 * channels ** 2)
            self.filters = draw(channels, channels, 3, 3) * (9 * channels) ** -0.5
            self.input, self.weights = draw(channels, height, width), bytes(4) + self.filters.tobytes()

    def expected(self):
        x = self.input.astype(numpy.float64)
        if self.kind == "softmax":
            powers = numpy.exp(x - x.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)
        if self.kind == "matmul":
            return x @ self.matrix
        _, height, width = x.shape
        padded = numpy.pad(x, ((0, 0), (1, 1), (1, 1)))
        return sum(numpy.einsum("chw,fc->fhw", padded[:, i:i + height, j:j + width], self.filters[:, :, i, j])
                   for i in range(3) for j in range(3))


class Net:
    """A chain of one layer, `count` times."""

    def __init__(self, layer, count, device, folder):
        self.net, self.input = ncnn.Net(), ncnn.Mat(layer.input)
        options = self.net.opt
        options.use_vulkan_compute = True
        options.num_threads = 1
        options.use_winograd_convolution = layer.kind == "winograd"
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_packed = options.use_bf16_storage = False
        self.net.set_vulkan_device(device)
        lines = ["7767517", "%d %d" % (count + 1, count + 1), "Input in 0 1 b0"]
        lines += [layer.text.format("l%d" % i, "b%d" % i, "b%d" % (i + 1)) for i in range(count)]
        (folder / "net.param").write_text("\n".join(lines) + "\n")
        (folder / "net.bin").write_bytes(layer.weights * count)
        if self.net.load_param(str(folder / "net.param")) or self.net.load_model(str(folder / "net.bin")):
            sampling.refuse("ncnn does not take the net")
        self.output = "b%d" % count

    def run(self):
        """Wall seconds, and the result."""
        start = time.perf_counter()
        extractor = self.net.create_extractor()
        extractor.input("b0", self.input)
        status, result = extractor.extract(self.output)
        seconds = time.perf_counter() - start
        if status:
            sampling.refuse("ncnn fails with %d" % status)
        return seconds, result


def find_device(name):
    for index in range(ncnn.get_gpu_count()):
        if ncnn.get_gpu_info(index).device_name() == name:
            return index
    sampling.refuse("ncnn does not see %s" % name)


def main(name, seconds, kind, *sizes):
    layer, device = Layer(kind, sizes), find_device(name)
    with tempfile.TemporaryDirectory() as folder:
        one, chain = (Net(layer, count, device, Path(folder)) for count in (1, CHAIN))
    wrong = sampling.is_wrong(numpy.array(one.run()[1]), layer.expected())
    if wrong:
        sampling.refuse(wrong)
    samples = sampling.take(lambda: (chain.run()[0] - one.run()[0]) / (CHAIN - 1), seconds)
    sampling.report(samples, "wall time of %d layers less that of one, each" % CHAIN)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3], *map(int, sys.argv[4:]))
