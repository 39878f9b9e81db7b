"""A matmul written by hand in WGSL, run by wgpu:

    wgpu_matmul.py DEVICE SECONDS BATCH M N K

Prints its time by timestamp queries, or where the device has none by the wall clock, less that of an
empty submit.
"""

import struct
import sys
import time
from pathlib import Path

import numpy
import sampling
import wgpu

REPEATS = 4  # dispatches in a sample


def shader():
    """The WGSL, with its registers written out: arrays that loops index are not kept in registers."""
    text = Path(__file__).with_suffix(".wgsl").read_text()
    rows = range(8)
    parts = {
        "ACCUMULATORS": ["  let r%d = a_base + min(row + %du, M - 1u) * k4;" % (i, i) for i in rows] +
                        ["  var c%d%s = vec4f();" % (i, half) for i in rows for half in "lh"],
        "LOADS": ["    let b%d%s = b[at + %du * n4 + %du];" % (k, half, k, "lh".index(half))
                  for k in range(4) for half in "lh"],
        "ROWS": [line for i in rows for line in
                 ["    let a%d = a[r%d + k];" % (i, i)] +
                 ["    c%d%s = fma(vec4f(a%d.%s), b%d%s, c%d%s);" % (i, half, i, "xyzw"[k], k, half, i, half)
                  for k in range(4) for half in "lh"]],
        "STORES": ["  if (row + %du < M) {\n    let to = (id.z * M + row + %du) * n4 + column;\n"
                   "    c[to] = c%dl;\n    c[to + 1u] = c%dh;\n  }" % (i, i, i, i) for i in rows],
    }
    for name, lines in parts.items():
        text = text.replace(name, "\n".join(lines))
    return text


def open_device(name):
    adapters = [adapter for adapter in wgpu.gpu.enumerate_adapters_sync()
                if adapter.info["backend_type"] == "Vulkan" and adapter.info["device"] == name]
    if not adapters:
        sampling.refuse("wgpu does not see %s" % name)
    clock = ["timestamp-query"] if "timestamp-query" in adapters[0].features else []
    return adapters[0].request_device_sync(required_features=clock), bool(clock)


class Kernel:
    def __init__(self, device, has_clock, batch, m, n, k):
        self.device, self.has_clock = device, has_clock
        random = numpy.random.default_rng(1)
        self.a = random.uniform(-1, 1, (batch, m, k)).astype(numpy.float32)
        self.b = random.uniform(-1, 1, (batch, k, n)).astype(numpy.float32)
        self.shape = (batch, m, n)
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
        buffers = [device.create_buffer_with_data(data=data, usage=usage) for data in (self.a, self.b)]
        self.result = device.create_buffer(size=4 * batch * m * n, usage=usage)
        self.pipeline = device.create_compute_pipeline(layout="auto", compute={
            "module": device.create_shader_module(code=shader()), "entry_point": "main",
            "constants": {"M": m, "N": n, "K": k}})
        self.group = device.create_bind_group(
            layout=self.pipeline.get_bind_group_layout(0),
            entries=[{"binding": i, "resource": {"buffer": buffer}}
                     for i, buffer in enumerate([*buffers, self.result])])
        self.counts = (-(-n // 64), -(-m // 8), batch)
        self.ticks = device.create_buffer(
            size=16, usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC)
        if has_clock:
            self.queries = device.create_query_set(type="timestamp", count=2)

    def submit(self, dispatches):
        """Wall seconds, until all is done; with a clock the device's."""
        encoder = self.device.create_command_encoder()
        stamps = {"timestamp_writes": {"query_set": self.queries, "beginning_of_pass_write_index": 0,
                                       "end_of_pass_write_index": 1}} if self.has_clock else {}
        compute = encoder.begin_compute_pass(**stamps)
        compute.set_pipeline(self.pipeline)
        compute.set_bind_group(0, self.group)
        for _ in range(dispatches):
            compute.dispatch_workgroups(*self.counts)
        compute.end()
        if self.has_clock:
            encoder.resolve_query_set(self.queries, 0, 2, self.ticks, 0)
        start = time.perf_counter()
        self.device.queue.submit([encoder.finish()])
        ticks = self.device.queue.read_buffer(self.ticks)  # waits
        if not self.has_clock:
            return time.perf_counter() - start
        begin, end = struct.unpack("<QQ", ticks)
        return (end - begin) * 1e-9  # WebGPU gives nanoseconds

    def sample(self):
        empty = 0 if self.has_clock else self.submit(0)
        return (self.submit(REPEATS) - empty) / REPEATS

    def is_wrong(self):
        data = self.device.queue.read_buffer(self.result)
        return sampling.is_wrong(numpy.frombuffer(data, numpy.float32).reshape(self.shape),
                                 self.a.astype(numpy.float64) @ self.b)


def main(name, seconds, batch, m, n, k):
    if n % 8 or k % 4:
        sampling.refuse("the WGSL kernel takes N in multiples of 8, K of 4")
    device, has_clock = open_device(name)
    kernel = Kernel(device, has_clock, batch, m, n, k)
    samples = sampling.take(kernel.sample, seconds)
    if wrong := kernel.is_wrong():
        sampling.refuse(wrong)
    sampling.report(samples, "timestamps" if has_clock else "wall less an empty submit")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:]))
