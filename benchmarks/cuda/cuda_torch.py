"""PyTorch on a GPU as a contestant (benchmarks/cpu/contestant.h): as it is (cuBLAS, cuDNN) or through
torch.compile (inductor, and with it Triton). Calls are recorded as a CUDA graph, so that Python is not in the
time, and timed by events on the device. Filters of convolutions are laid out ahead.

Besides `run` it knows `inputs FOLDER`, which writes what it computes with as FOLDER/0.npy and so on, and
`compare FILE.npy`, which says how far that result is off its own, in the size of the values."""

import struct
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cpu"))
BATCH = 8  # calls in a graph
WARM_SECONDS = 0.1  # of calls ahead of a sample: the clocks of an idle GPU are low


def fail(text):
    print("error", " ".join(str(text).split())[:300], flush=True)
    sys.exit(1)


try:
    import torch
except ImportError:
    fail("PyTorch is not installed for %s" % sys.executable)
if not torch.cuda.is_available():
    fail("PyTorch %s sees no CUDA device" % torch.__version__)
import torch.nn.functional as F
import torch_contestant

TYPES = {"f32": (torch.float32, "<f4"), "f16": (torch.float16, "<f2"), "bf16": (torch.bfloat16, "<u2")}


def matmul(op):
    """Into f32, whatever goes in, as ours."""
    if op["types"] == "f32":
        return torch_contestant.matmul(op)

    def call(a, b, bias=None):
        product = torch.mm(a, b, out_dtype=torch.float32)
        return product if op["post"] == "none" else F.gelu(product + bias)
    return call


def conv(op):
    stride, pad = int(op["stride"]), int(op["pad"])
    if op["layout"] == "nchw":
        return torch_contestant.conv(op)
    return lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w, stride=stride,
                                 padding=pad).permute(0, 2, 3, 1)


CALLS = {**torch_contestant.CALLS, "matmul": matmul, "conv": conv, "add": lambda op: torch.add}


def prepared(op, inputs):
    if op["op"] == "conv" and op["layout"] == "nhwc":  # from H, W, C, F
        return [inputs[0], inputs[1].permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)]
    return inputs


def random_input(text):
    *shape, element = text.split("x")
    value = torch.rand([int(size) for size in shape], device="cuda") * 2 - 1
    return value.to(TYPES[element][0])


def write_npy(path, tensor):
    code = next(code for dtype, code in TYPES.values() if dtype == tensor.dtype)
    words = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (code, tuple(tensor.shape))
    words = words.ljust(117) + "\n"  # 128 bytes with what comes before
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(words)) + words.encode()
    data = tensor.contiguous().view(-1).view(torch.uint8).cpu()
    path.write_bytes(head)
    with open(path, "ab") as file:
        file.truncate(len(head) + len(data))
    torch.from_file(str(path), shared=True, size=len(head) + len(data), dtype=torch.uint8)[len(head):] = data


def read_npy(path, like):
    size = like.numel() * 4
    whole = torch.from_file(path, shared=False, size=Path(path).stat().st_size, dtype=torch.uint8)
    return whole[-size:].clone().view(torch.float32).view(like.shape).to(like.device)


def error_of(path, result):
    theirs = read_npy(path, result)
    return float((theirs - result).abs().max() / result.double().square().mean().sqrt().clamp(min=1e-30))


def recorded(call, inputs):
    """A CUDA graph of BATCH calls, and the last one's result."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(BATCH):
            result = call(*inputs)
    return graph, result


def sample(graph, calls):
    """Seconds that `calls` calls take."""
    start = time.monotonic()
    while time.monotonic() - start < WARM_SECONDS:
        graph.replay()
        torch.cuda.synchronize()
    replays = (calls + BATCH - 1) // BATCH
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(replays):
        graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 * calls / (replays * BATCH)


def choose_device(model):
    names = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    if model not in names:
        fail("PyTorch sees no %s, but %s" % (model, ", ".join(names)))
    torch.cuda.set_device(names.index(model))


def main(pairs):
    op = dict(reversed(pairs))
    choose_device(op["device"])
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = op.get("allow") == "tf32"
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(1)
    with torch.no_grad():
        try:
            plain = [random_input(value) for name, value in pairs if name == "argument"]
            inputs, call = prepared(op, plain), CALLS[op["op"]](op)
            if op["form"] == "compile":
                call = torch.compile(call, dynamic=False, mode="max-autotune-no-cudagraphs")
            graph, result = recorded(call, inputs)
            graph.replay()
            torch.cuda.synchronize()
        except Exception as error:  # whatever it throws: it cannot do this one
            fail(error)
        print("ready PyTorch %s, CUDA %s, cuDNN %s" % (torch.__version__, torch.version.cuda,
                                                      torch.backends.cudnn.version()), flush=True)
        for line in sys.stdin:
            what, _, argument = line.strip().partition(" ")
            if what == "run":
                print("%.9g" % sample(graph, int(argument)), flush=True)
            elif what == "inputs":
                for number, value in enumerate(plain):
                    write_npy(Path(argument) / ("%d.npy" % number), value)
                print("done", flush=True)
            elif what == "compare":
                print("%.3g" % error_of(argument, result), flush=True)
            else:
                fail("what is '%s'?" % line)


if __name__ == "__main__":
    main([tuple(pair.split("=", 1)) for pair in sys.argv[1:]])
