"""A network in one runtime, as a contestant of benchmarks/common/contest.py: says `ready FORM`, or
`error TEXT`, then answers `run N` with the seconds of N calls after one more, and `write PATH`.

python contestant.py KIND NAME BATCH FOLDER THREADS PRECISION [ARTIFACT]

KIND is ours, torch, compile, onnxruntime, openvino or iree. PRECISION is f32; f16, which ours alone has; bf16, which torch has by
autocast, OpenVINO by its hint, and the others not: they stay f32; or bf16-network, where ours and torch's
are bf16 themselves; int8 is of ours and of ONNX Runtime (quantize_dynamic), and OpenVINO and torch have
bf16 beside it: their bytes need data, or another library. A call from Python, some 10 us, is in all times.
"""

import ctypes
import sys
import time
from pathlib import Path

import numpy


def arguments_of(folder, is_bf16):
    """What the module takes; bf16 as integers of 16 bits."""
    if is_bf16:
        import safetensors.torch
        import torch
        tensors = safetensors.torch.load_file(folder / "arguments.safetensors")
        arrays = {name: (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
                  for name, tensor in tensors.items()}
    else:
        arrays = numpy.load(folder / "arguments.npz")
    return [numpy.ascontiguousarray(arrays["arg_%d" % i]) for i in range(len(arrays))]


def ours(folder, is_bf16, artifact):
    """What `tune-run --emit=so` made, by its ABI (docs/protocol.md)."""
    library = ctypes.CDLL(artifact)
    release = library.tune_runtime_free
    release.argtypes = [ctypes.c_void_p]
    arrays = arguments_of(folder, is_bf16)
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
        element = ctypes.c_uint16 if is_bf16 else ctypes.c_float
        output = numpy.ctypeslib.as_array(ctypes.cast(result.aligned, ctypes.POINTER(element)),
                                          (int(numpy.prod(shape)),)).reshape(shape)
        return (output.astype(numpy.uint32) << 16).view(numpy.float32) if is_bf16 else output
    return "artifact", call, lambda _: read()


def torch_network(name, batch, threads, precision, compiles):
    import torch
    import zoo
    torch.set_num_threads(threads)
    model, inputs = zoo.make(name, batch)
    if precision == "bf16-network":
        model, inputs = zoo.as_bf16(model, inputs)
    torch.set_grad_enabled(False)
    if compiles:
        import torch._inductor.config
        torch._inductor.config.freezing = True
        model = torch.compile(model, dynamic=False)

    def call():
        with torch.autocast("cpu", torch.bfloat16, enabled=precision in ("bf16", "int8")):
            return model(*inputs)
    return "torch " + torch.__version__, call, lambda output: output.float().numpy()


def first_inputs(folder, count):
    arrays = numpy.load(folder / "arguments.npz")
    return [arrays["arg_%d" % i] for i in range(count)]


def quantized(folder):
    """The network with products whose weights are bytes, and whose other factor is rounded as it comes."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(folder / "net.onnx", folder / "net-int8.onnx", weight_type=QuantType.QInt8, per_channel=True,
                     op_types_to_quantize=["MatMul", "Gemm", "LSTM", "Attention"])
    return folder / "net-int8.onnx"


def onnxruntime_network(folder, threads, precision):
    import onnxruntime
    model = quantized(folder) if precision == "int8" else folder / "net.onnx"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(str(model), options,
                                           providers=["CPUExecutionProvider"])
    names = [of.name for of in session.get_inputs()]
    feed = dict(zip(names, first_inputs(folder, len(names))))
    return ("onnxruntime " + onnxruntime.__version__, lambda: session.run(None, feed),
            lambda outputs: outputs[0])


def openvino_network(folder, threads, precision):
    import openvino
    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                              "INFERENCE_PRECISION_HINT": "f32" if precision in ("f32", "f16") else "bf16"})
    compiled = core.compile_model(str(folder / "net.onnx"), "CPU")
    request = compiled.create_infer_request()
    inputs = first_inputs(folder, len(compiled.inputs))
    return ("openvino " + openvino.__version__.partition("-")[0],
            lambda: request.infer(inputs, share_inputs=True, share_outputs=True),
            lambda outputs: outputs[0])


def make(kind, name, batch, folder, threads, precision, *artifact):
    folder, batch, threads = Path(folder), int(batch), int(threads)
    if kind in ("ours", "default"):
        return ours(folder, precision == "bf16-network", *artifact)
    if kind == "onnxruntime":
        return onnxruntime_network(folder, threads, precision)
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
