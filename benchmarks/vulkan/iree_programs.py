"""What IREE makes of a workload, as programs for tune-measure: its kernels, timed as ours are.

IREE's own runtime spins while it waits, so that on a software device its times are its own more than the
kernels'. So its compiler alone is used: it goes as far as the commands that its runtime would
record - kernels, groups, buffers - and writes the kernels' SPIR-V beside.
"""

import subprocess
import sys
from pathlib import Path

import device_program
from iree.compiler import ir

SHADER_BITS = {"compute": [("float64", "fp64"), (None, "fp32"), ("float16", "fp16"), ("int64", "int64"),
                           (None, "int32"), ("int16", "int16"), ("int8", "int8")],
               "storage": [("int64", "b64"), (None, "b32"), ("storage16", "b16"), ("storage8", "b8")],
               "subgroup": [("shuffle", "shuffle"), ("arithmetic", "arithmetic")]}
# Devices that IREE knows; what it makes for them may be faster here than what it makes for ours.
KNOWN_TARGETS = ["vp_android_baseline_2022", "valhall", "adreno", "rdna3", "ampere"]
LEVELS = ["O0", "O3"]  # O3 fuses more; on lavapipe it may not end where O0 does
FLAGS = ["--iree-hal-memoization=false", "--iree-hal-link-executables=false", "--compile-to=hal"]


class Unsupported(Exception):
    """IREE's code does something that a program of ours cannot say; the text has what."""


def described_device(fingerprint):
    """The device of a fingerprint as IREE's #iree_gpu.target."""
    has = {None, *fingerprint["features"], *fingerprint["subgroup_operations"]}
    bits = {name: "|".join(bit for need, bit in table if need in has) or "none"
            for name, table in SHADER_BITS.items()}
    limits = ("subgroup_size_choices = [%d], max_workgroup_sizes = %s, max_thread_count_per_workgroup = %d, "
              "max_workgroup_memory_bytes = %d, max_workgroup_counts = %s" % (
                  fingerprint["subgroup_size"], fingerprint["group_size"],
                  fingerprint["group_invocations"], fingerprint["shared_bytes"],
                  [min(count, 2 ** 31 - 1) for count in fingerprint["group_count"]]))
    gpu = ('#iree_gpu.target<arch = "", features = "spirv:v1.3,cap:Shader", wgp = <compute = %s, '
           "storage = %s, subgroup = %s, %s>>" % (bits["compute"], bits["storage"], bits["subgroup"], limits))
    return ('#hal.device.target<"vulkan", [#hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", '
            "{iree_codegen.target_info = %s}>]> : !hal.device" % gpu)


def compiled(module, target, level, folder, device):
    """Text of the commands; the SPIR-V goes into `folder`. `target` None is the described device."""
    flags = [*FLAGS, "--iree-opt-level=" + level]
    if target:
        flags += ["--iree-hal-target-device=vulkan", "--iree-vulkan-target=" + target]
    else:
        module = "module attributes {hal.device.targets = [%s]} {\n%s}\n" % (device, module)
    source = folder / "module.mlir"
    source.write_text(module)
    process = subprocess.run([Path(sys.executable).parent / "iree-compile", source, *flags,
                              "--iree-hal-dump-executable-binaries-to=%s" % folder],
                             capture_output=True, text=True)
    if process.returncode:
        errors = [line for line in process.stderr.splitlines() if "error:" in line]
        raise Unsupported((errors or ["iree-compile ended with status %d" % process.returncode])[0][:200])
    return process.stdout


def walk(operation):
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from walk(inner.operation)


def number(value):
    """An operand that has to be a constant."""
    if isinstance(value.owner, ir.Block) or value.owner.name != "arith.constant":
        raise Unsupported("a size or an offset is no constant")
    return ir.IntegerAttr(value.owner.attributes["value"]).value


def segments(operation):
    """The operands, in the groups that the operation's definition names."""
    operands, groups, at = list(operation.operands), [], 0
    for size in ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]):
        groups.append(operands[at:at + size])
        at += size
    return groups


class Buffers:
    """The program's buffers, and the ranges of IREE's that they stand for."""

    def __init__(self, function):
        self.described, self.known = [], {}
        self.written = set()
        block = function.regions[0].blocks[0]
        self.arguments = list(block.arguments)
        self.results = [result.owner.operands[0] for result in list(block)[-1].operation.operands]

    def index(self, buffer, offset, size):
        key = (buffer, offset, size)
        if key not in self.known:
            self.check_apart(buffer, offset, size)
            self.known[key] = len(self.described)
            self.described.append(self.describe(buffer, offset, size))
            if "argument" not in self.described[-1]:
                self.written.add(self.known[key])
        return self.known[key]

    def check_apart(self, buffer, offset, size):
        for other, start, length in self.known:
            if other == buffer and offset < start + length and start < offset + size:
                raise Unsupported("two parts of a buffer overlap")

    def describe(self, buffer, offset, size):
        if buffer in self.results:
            kind = {"result": self.results.index(buffer)}
        elif buffer.owner.name == "hal.device.queue.alloca":
            return {"bytes": size}
        elif buffer.owner.name == "hal.buffer_view.buffer":
            kind = {"argument": self.arguments.index(buffer.owner.operands[0])}
        else:
            raise Unsupported("a buffer comes from %s" % buffer.owner.name)
        if offset:
            raise Unsupported("an argument or a result is used in part")
        return kind


def steps_of(function, folder):
    """(modules, buffers, steps) of a program."""
    operations = list(walk(function))
    # The table of buffers that commands refer to: its buffers, offsets and sizes.
    execute = [op for op in operations if op.name == "hal.device.queue.execute.indirect"]
    if len(execute) != 1:
        raise Unsupported("%d lists of commands" % len(execute))
    table = list(execute[0].operands)[5:]
    slots = list(zip(*[table[i * len(table) // 3:(i + 1) * len(table) // 3] for i in range(3)]))
    modules, steps, buffers = [], [], Buffers(function)
    for operation in operations:
        if not operation.name.startswith("hal.command_buffer."):
            continue
        if operation.name.rpartition(".")[2] in ("create", "finalize", "execution_barrier"):
            continue
        if operation.name != "hal.command_buffer.dispatch":
            raise Unsupported("a command is %s" % operation.name)
        _, _, (ordinal,), *groups, constants, which, offsets, sizes = segments(operation)
        if constants:
            raise Unsupported("a kernel takes push constants")
        bound = []
        for slot, offset, size in zip(which, offsets, sizes):
            buffer, start, _ = slots[number(slot)]
            bound.append(buffers.index(buffer, number(start) + number(offset), number(size)))
        executable, _, entry = [part.strip('@"') for part in
                                str(ordinal.owner.attributes["entry_point"]).split("::")]
        code = next(folder.glob("*_%s_%s.spv" % (executable, entry))).read_bytes()
        modules.append(code)
        steps.append(device_program.launch(len(modules) - 1, code, entry,
                                           [number(count) for (count,) in groups], bound,
                                           buffers.written))
    return modules, buffers.described, steps


def make(module, target, level, fingerprint, folder):
    """The path of a program; Unsupported says why there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    text = compiled(module, target, level, folder, described_device(fingerprint))
    with ir.Context():
        commands = ir.Module.parse(text)
        function = next(op.operation for op in commands.body.operations
                        if op.operation.name == "util.func")
        modules, buffers, steps = steps_of(function, folder)
    path = folder / "iree.program"
    device_program.write(path, modules, buffers, steps)
    return path
