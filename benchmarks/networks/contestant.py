"""A network in one runtime, as a contestant of benchmarks/common/contest.py: says `ready FORM`, or
`error TEXT`, then answers `run N` with the seconds of N calls after one more, and `write PATH`.

python contestant.py KIND NAME BATCH FOLDER THREADS PRECISION [ARTIFACT]

KIND is ours, torch, compile, onnxruntime, openvino or iree. PRECISION is f32 or bf16, which torch has by
autocast, OpenVINO by its hint, and the others not: they stay f32. A call from Python, some 10 us, is in all
times.
"""

import ctypes
import sys
import time
from pathlib import Path

import numpy


def ours(folder, artifact):
    """What `tune-run --emit=so` made, by its ABI (docs/protocol.md)."""
    library = ctypes.CDLL(artifact)
    release = library.tune_runtime_free
    release.argtypes = [ctypes.c_void_p]
    arrays = numpy.load(folder / "arguments.npz")
    arrays = [numpy.ascontiguousarray(arrays["arg_%d" % i]) for i in range(len(arrays.files))]
    shape = numpy.load(folder / "expected.npz")["out_0"].shape

    def descriptor(rank):
        class Descriptor(ctypes.Structure):
            _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                        ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * rank),
                        ("strides", ctypes.c_int64 * rank)]
        return Descriptor()

    def describe(array):
        of = descriptor(array.ndim)
        of.allocated = of.aligned = array.ctypes.data
        of.sizes[:] = array.shape
        of.strides[:] = [step // array.itemsize for step in array.strides]
        return of

    tensors = [describe(array) for array in arrays]
    result = descriptor(len(shape))
    pointers = [ctypes.addressof(of) for of in [*tensors, result]]
    arguments = (ctypes.c_void_p * (len(pointers) + 1))(*pointers)
    if hasattr(library, "tune_prepack"):
        library.tune_prepack.restype = ctypes.c_void_p
        arguments[len(pointers)] = library.tune_prepack(arguments)
    kept = (arrays, tensors, result)

    def call():
        release(result.allocated)
        library.tune_entry(arguments)
        return kept

    def read():
        count = int(numpy.prod(shape))
        return numpy.ctypeslib.as_array(ctypes.cast(result.aligned, ctypes.POINTER(ctypes.c_float)),
                                        (count,)).reshape(shape)
    return "artifact", call, lambda _: read()


def torch_network(name, batch, threads, precision, compiles):
    import torch
    import zoo
    torch.set_num_threads(threads)
    model, inputs = zoo.make(name, batch)
    torch.set_grad_enabled(False)
    if compiles:
        import torch._inductor.config
        torch._inductor.config.freezing = True
        model = torch.compile(model, dynamic=False)

    def call():
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            return model(*inputs)
    return "torch " + torch.__version__, call, lambda output: output.float().numpy()


def first_inputs(folder, count):
    arrays = numpy.load(folder / "arguments.npz")
    return [arrays["arg_%d" % i] for i in range(count)]


def onnxruntime_network(folder, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(str(folder / "net.onnx"), options,
                                           providers=["CPUExecutionProvider"])
    names = [of.name for of in session.get_inputs()]
    feed = dict(zip(names, first_inputs(folder, len(names))))
    return ("onnxruntime " + onnxruntime.__version__, lambda: session.run(None, feed),
            lambda outputs: outputs[0])


def openvino_network(folder, threads, precision):
    import openvino
    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                              "INFERENCE_PRECISION_HINT": precision})
    compiled = core.compile_model(str(folder / "net.onnx"), "CPU")
    request = compiled.create_infer_request()
    inputs = first_inputs(folder, len(compiled.inputs))
    return ("openvino " + openvino.__version__.partition("-")[0],
            lambda: request.infer(inputs, share_inputs=True, share_outputs=True),
            lambda outputs: outputs[0])


def make(kind, name, batch, folder, threads, precision, *artifact):
    folder, batch, threads = Path(folder), int(batch), int(threads)
    if kind in ("ours", "default"):
        return ours(folder, *artifact)
    if kind == "onnxruntime":
        return onnxruntime_network(folder, threads)
    if kind == "openvino":
        return openvino_network(folder, threads, precision)
    if kind == "iree":
        import iree_network
        return iree_network.make(folder, threads)
    return torch_network(name, batch, threads, precision, kind == "compile")


def main(arguments):
    try:
        form, call, read = make(*arguments)
        call()
    except Exception as error:  # whatever a runtime throws: it cannot do this one
        print("error", " ".join(str(error).split())[:300], flush=True)
        sys.exit(1)
    print("ready", form, flush=True)
    for line in sys.stdin:
        what, _, argument = line.strip().partition(" ")
        if what == "run":
            call()
            start = time.perf_counter()
            for _ in range(int(argument)):
                call()
            print("%.9g" % (time.perf_counter() - start), flush=True)
        else:
            numpy.ascontiguousarray(read(call()), numpy.float32).tofile(argument)
            print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
