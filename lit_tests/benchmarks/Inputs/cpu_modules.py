"""Prints the modules of all workloads; fails where one's arguments are not those of its table."""

import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import workloads


def told(shape, element):
    return "tensor<%s>" % "x".join([*map(str, shape), element.replace("u8", "i8")])


modules = []
for workload in workloads.all_workloads():
    signature = re.search(r"func.func @main\((.*)\) -> (tensor<[^>]*>)", workload.module)
    takes, gives = re.findall(r"tensor<[^>]*>", signature.group(1)), signature.group(2)
    assert takes == [told(*value) for value in workload.inputs], workload.name
    assert gives == told(*workload.result), workload.name
    assert all(name in workload.contestants for goal in workload.goals for name in goal.against)
    modules.append(workload.module)
print("\n// -----\n".join(modules))
