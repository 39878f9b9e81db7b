"""Prints the modules of the rows of benchmarks/cuda; its folder's parent is given. Names have to differ."""

import sys

sys.dont_write_bytecode = True
sys.path[:0] = [sys.argv[1] + "/" + folder for folder in ("cuda", "common", "cpu")]
import rows

everything = rows.all_rows() + rows.small_rows()
assert len({row.name for row in everything}) == len(everything), "two workloads have the same name"
print("// -----\n".join(row.module for row in rows.all_rows()))
