"""Writes the device programs that tune-measure runs: docs/protocol.md has their format."""

import json
import struct

MAGIC = b"TUNEPRG1"
OP_ENTRY_POINT, OP_EXECUTION_MODE = 15, 16
MODEL_GL_COMPUTE, MODE_LOCAL_SIZE = 5, 17
HEADER_WORDS = 5


def instructions(code):
    """(opcode, operands) of each instruction of a SPIR-V module."""
    words = struct.unpack("<%dI" % (len(code) // 4), code)
    at = HEADER_WORDS
    while at < len(words):
        length = words[at] >> 16
        yield words[at] & 0xffff, words[at + 1:at + length]
        at += length


def group_size(code, entry):
    """The LocalSize of the kernel `entry`; entry points come before modes of execution."""
    function = None
    for opcode, operands in instructions(code):
        if opcode == OP_ENTRY_POINT and operands[0] == MODEL_GL_COMPUTE:
            name = struct.pack("<%dI" % len(operands[2:]), *operands[2:]).split(b"\0")[0]
            if name.decode() == entry:
                function = operands[1]
        elif opcode == OP_EXECUTION_MODE and operands[:2] == (function, MODE_LOCAL_SIZE):
            return list(operands[2:5])
    raise ValueError("the module has no kernel %s of a fixed size" % entry)


def launch(module, code, entry, groups, buffers, written):
    """A step. `buffers` are the program's, in the order of the bindings; those in `written` are."""
    arguments = [{"buffer": buffer, "written": True} if buffer in written else {"buffer": buffer}
                 for buffer in buffers]
    return {"launch": entry, "module": module, "groups": groups, "group_size": group_size(code, entry),
            "shared_bytes": 0, "subgroup_size": 0, "arguments": arguments}


def write(path, modules, buffers, steps):
    header = json.dumps({"version": 1, "target": "vulkan",
                         "modules": [{"bytes": len(code)} for code in modules],
                         "buffers": buffers, "steps": steps}).encode()
    path.write_bytes(MAGIC + struct.pack("<I", len(header)) + header + b"".join(modules))
