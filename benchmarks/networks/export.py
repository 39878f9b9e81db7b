"""Writes a network as its users have it, into a folder:

  net.mlir        linalg on tensors out of torch-mlir; weights are arguments, marked tune.constant
  arguments.npz   arg_0, arg_1, ...: the inputs, then the weights
  expected.npz    what torch computes
  net.onnx        for runtimes

python export.py NAME BATCH FOLDER
"""

import sys
from pathlib import Path

import numpy
import torch
from torch_mlir import fx

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


def export(name, batch, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model, inputs = zoo.make(name, batch)
    weights = [tensor for _, tensor in tensors_of(model)]
    with torch.no_grad():
        expected = model(*inputs)
        torch.onnx.export(model, inputs, str(folder / "net.onnx"), dynamo=True, verbose=False)
        module = fx.export_and_import(WithWeights(model, len(inputs)).eval(), *inputs, *weights,
                                      output_type="linalg-on-tensors", func_name="main")
    (folder / "net.mlir").write_text(marks.mark_constants(str(module), len(inputs)))
    numpy.savez(folder / "arguments.npz", **{
        "arg_%d" % i: tensor.numpy() for i, tensor in enumerate([*inputs, *weights])})
    numpy.savez(folder / "expected.npz", out_0=expected.numpy())


if __name__ == "__main__":
    export(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
