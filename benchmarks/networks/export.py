"""Writes a network as its users have it, into a folder:

  net.mlir        linalg on tensors out of torch-mlir; weights are arguments, marked tune.constant
  arguments.npz   arg_0, arg_1, ...: the inputs, then the weights
  expected.npz    what torch computes
  net.onnx        for runtimes

With TYPE bf16, not f32, it is the module of the network as `model.to(torch.bfloat16)` is, with its
arguments in arguments.safetensors; the rest stays f32. With FORM tosa or stablehlo, not linalg-on-tensors,
torch-mlir goes through that.

python export.py NAME BATCH FOLDER TYPE FORM
"""

import sys
from pathlib import Path

import numpy
import safetensors.torch
import torch
from torch_mlir import fx
from torch_mlir.passmanager import PassManager

import marks
import zoo


class WithWeights(torch.nn.Module):
    """`model`, which takes its weights as arguments after its inputs."""

    def __init__(self, model, input_count):
        super().__init__()
        self.hidden = [model]  # no part of this module, or its weights would be constants of it
        self.input_count = input_count
        self.names = [name for name, _ in tensors_of(model)]

    def forward(self, *arguments):
        inputs, weights = arguments[:self.input_count], arguments[self.input_count:]
        return torch.func.functional_call(self.hidden[0], dict(zip(self.names, weights)), inputs)


def tensors_of(model):
    """Parameters, and the buffers that are numbers."""
    both = [*model.named_parameters(), *model.named_buffers()]
    return [(name, tensor.detach()) for name, tensor in both if tensor.is_floating_point()]


# What lowers a form to linalg, by passes that torch-mlir brings along.
LOWERINGS = {
    "linalg-on-tensors": "",
    "tosa": "func.func(tosa-infer-shapes,tosa-to-linalg-named,canonicalize,tosa-layerwise-constant-fold,"
            "tosa-make-broadcastable,tosa-to-linalg,tosa-to-arith,tosa-to-tensor,tosa-to-scf,canonicalize,cse)",
    "stablehlo": "func.func(stablehlo-legalize-to-linalg)"}


def arguments_of(model, inputs):
    arguments = [*inputs, *(tensor for _, tensor in tensors_of(model))]
    return {"arg_%d" % i: tensor.contiguous().clone() for i, tensor in enumerate(arguments)}


def write_module(model, inputs, arguments, folder, form):
    module = fx.export_and_import(WithWeights(model, len(inputs)).eval(), *arguments.values(),
                                  output_type=form, func_name="main")
    if LOWERINGS[form]:
        with module.context:
            PassManager.parse("builtin.module(%s)" % LOWERINGS[form]).run(module.operation)
    (folder / "net.mlir").write_text(marks.mark_constants(str(module), len(inputs)))


def export(name, batch, folder, of_type, form):
    folder.mkdir(parents=True, exist_ok=True)
    model, inputs = zoo.make(name, batch)
    with torch.no_grad():
        expected = model(*inputs)
        torch.onnx.export(model, inputs, str(folder / "net.onnx"), dynamo=True, verbose=False)
        arguments = arguments_of(model, inputs)
        numpy.savez(folder / "arguments.npz", **{
            name: tensor.numpy() for name, tensor in arguments.items()})
        if of_type == "bf16":
            model, inputs = zoo.as_bf16(model, inputs)
            arguments = arguments_of(model, inputs)
            safetensors.torch.save_file(arguments, folder / "arguments.safetensors")
        write_module(model, inputs, arguments, folder, form)
    numpy.savez(folder / "expected.npz", out_0=expected.numpy())


if __name__ == "__main__":
    name, batch, folder, of_type, form = sys.argv[1:]
    export(name, int(batch), Path(folder), of_type, form)
