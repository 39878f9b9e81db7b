"""Prints the modules of the workloads in the folder given, whose names have to differ."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import workloads

rows = workloads.all_workloads()
assert len({row.name for row in rows}) == len(rows), "two workloads have the same name"
assert all(row.neighbour in {"", *(other.name for other in rows)} for row in rows)
print("// -----\n".join(row.module for row in rows))
