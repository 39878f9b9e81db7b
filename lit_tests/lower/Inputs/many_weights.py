"""A chain of products of argument 0 with so many others."""

import sys

count, size = int(sys.argv[1]), "tensor<8x8xf32>"
arguments = ", ".join("%%w%d: %s" % (i, size) for i in range(count))
print("func.func @main(%%v0: %s, %s) -> %s {" % (size, arguments, size))
print("  %%e = tensor.empty() : %s" % size)
for i in range(count):
    print("  %%v%d = linalg.matmul ins(%%v%d, %%w%d : %s, %s) outs(%%w%d : %s) -> %s"
          % (i + 1, i, i, size, size, i, size, size))
print("  return %%v%d : %s\n}" % (count, size))
