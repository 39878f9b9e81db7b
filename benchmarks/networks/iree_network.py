"""A network in IREE: the module that ours is made of, with its weights as parameters, compiled for this CPU.

What depends on weights alone IREE computes when it loads the module, as ours does. It is compiled with and
without data tiling, which takes minutes, so that is kept in the network's folder; what is faster is timed."""

import importlib.metadata
import re
import subprocess
import sys
import time
from pathlib import Path

import iree.runtime
import numpy

VERSION = importlib.metadata.version("iree-base-compiler")
COMPILER = Path(sys.executable).parent / "iree-compile"
FORMS = {"data tiling": ["--iree-opt-data-tiling"], "no data tiling": ["--iree-opt-data-tiling=false"]}
ARGUMENT = re.compile(r"%arg(\d+): (tensor<[^>]*>)( \{tune\.constant\})?")


def with_parameters(text):
    """The module with globals in place of arguments that are constant; numbers of the others, and of these."""
    head = re.search(r"func\.func @main\((.*?)\) -> ", text, re.DOTALL)
    inputs, weights, of_globals, loads, left = [], [], [], [], []
    for number, kind, is_constant in ARGUMENT.findall(head.group(1)):
        if not is_constant:
            inputs.append(int(number))
            left.append("%%arg%s: %s" % (number, kind))
            continue
        weights.append(int(number))
        of_globals.append('  util.global private @weight_%s = #flow.parameter.named<"model"::"arg_%s"> : %s\n' % (
            number, number, kind))
        loads.append("    %%arg%s = util.global.load immutable @weight_%s : %s\n" % (number, number, kind))
    results, _, body = text[head.end():].partition("\n")
    before = text[:head.start()].replace("module {\n", "module {\n" + "".join(of_globals), 1)
    return ("%sfunc.func @main(%s) -> %s\n%s%s" % (before, ", ".join(left), results, "".join(loads), body),
            inputs, weights)


def compiled(folder, text, form):
    name = "iree-%s-%s" % (VERSION, form.replace(" ", "-"))
    binary, source = folder / (name + ".vmfb"), folder / "iree.mlir"
    if not binary.exists():
        source.write_text(text)
        process = subprocess.run(
            [COMPILER, source, "-o", folder / "iree.part", "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host",
             "--iree-opt-level=O3", *FORMS[form]], capture_output=True, text=True)
        if process.returncode:
            lines = process.stderr.splitlines() or ["status %d" % process.returncode]
            raise RuntimeError("IREE: " + next((line for line in lines if "error" in line), lines[0]))
        (folder / "iree.part").rename(binary)
    return binary


def loaded(binary, arrays, inputs, weights, threads):
    """A call of it."""
    index = iree.runtime.ParameterIndex()
    for i in weights:
        index.add_buffer("arg_%d" % i, numpy.ascontiguousarray(arrays["arg_%d" % i]).reshape(-1).view(numpy.uint8))
    iree.runtime.flags.parse_flags("--task_topology_group_count=%d" % threads)
    config = iree.runtime.Config("local-sync" if threads == 1 else "local-task")
    instance = config.vm_instance
    parameters = iree.runtime.create_io_parameters_module(instance, index.create_provider(scope="model"))
    modules = [parameters, iree.runtime.create_hal_module(instance, config.device),
               iree.runtime.VmModule.mmap(instance, str(binary))]
    main = iree.runtime.SystemContext(vm_modules=modules, config=config).modules.module.main
    feed = [iree.runtime.asdevicearray(config.device, arrays["arg_%d" % i]) for i in inputs]
    return lambda: main(*feed)


def seconds_of(call):
    call()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def make(folder, threads):
    """What contestant.py takes: the form, a call, and what reads a call's result."""
    text, inputs, weights = with_parameters((folder / "net.mlir").read_text())
    arrays = numpy.load(folder / "arguments.npz")
    calls, errors = {}, []
    for form in FORMS:
        try:
            calls[form] = loaded(compiled(folder, text, form), arrays, inputs, weights, threads)
        except RuntimeError as error:
            errors.append(error)
    if not calls:
        raise errors[0]
    times = {form: min(seconds_of(call) for _ in range(3)) for form, call in calls.items()}
    best = min(times, key=times.get)
    return ("iree %s, %s" % (VERSION, best), calls[best],
            lambda output: numpy.asarray(output.to_host()))
