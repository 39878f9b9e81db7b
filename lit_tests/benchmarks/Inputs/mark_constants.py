"""Marks the weights of a module as benchmarks/networks/export.py does; argument 1 is its marks.py."""

import runpy
import sys

MODULE = """
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<4xf32>) -> tensor<2x4xf32> {
    %0 = tensor.empty() : tensor<2x4xf32>
    %1 = linalg.broadcast ins(%arg2 : tensor<4xf32>) outs(%0 : tensor<2x4xf32>) dimensions = [0]
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<2x3xf32>, tensor<3x4xf32>) outs(%1 : tensor<2x4xf32>) -> tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
}
"""
print(runpy.run_path(sys.argv[1])["mark_constants"](MODULE, 1))
