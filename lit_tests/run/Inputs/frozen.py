"""Prints a module whose weights are constants of it."""

ROWS, DEPTH, COLUMNS = 24, 48, 50
WEIGHTS = ", ".join(
    "[%s]" % ", ".join("%.1f" % ((3 * k + 5 * j) % 7 - 3) for j in range(COLUMNS)) for k in range(DEPTH))

print("""func.func @main(%%x: tensor<%dx%dxf32>) -> tensor<%dx%dxf32> {
  %%w = arith.constant dense<[%s]> : tensor<%dx%dxf32>
  %%zero = arith.constant 0.0 : f32
  %%empty = tensor.empty() : tensor<%dx%dxf32>
  %%init = linalg.fill ins(%%zero : f32) outs(%%empty : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>
  %%y = linalg.matmul ins(%%x, %%w : tensor<%dx%dxf32>, tensor<%dx%dxf32>)
                     outs(%%init : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>
  return %%y : tensor<%dx%dxf32>
}""" % (ROWS, DEPTH, ROWS, COLUMNS, WEIGHTS, DEPTH, COLUMNS, *[ROWS, COLUMNS] * 3, ROWS, DEPTH, DEPTH,
        COLUMNS, *[ROWS, COLUMNS] * 3))
