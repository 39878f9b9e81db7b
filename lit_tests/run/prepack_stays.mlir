// What is not packed ahead: a task that is called in a loop too, as its loop could not hand over what
// was packed; and a constant that the code writes over, which is copied.
// RUN: tune-run %s --function=looped --db= --time=0.01 | FileCheck %s --check-prefix=LOOPED
// LOOPED: Check {{ *}}ok
// LOOPED-NOT: Packed
// RUN: tune-run %s --function=overwritten --db= --time=0.01 | FileCheck %s --check-prefix=OVER
// OVER: Check {{ *}}ok
func.func @looped(%x: tensor<3x32x64xf32>, %y: tensor<32x64xf32>)
    -> (tensor<3x32x48xf32>, tensor<32x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<0.5> : tensor<64x48xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = tensor.empty() : tensor<32x48xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %2 = linalg.matmul ins(%y, %w : tensor<32x64xf32>, tensor<64x48xf32>)
      outs(%1 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %3 = tensor.empty() : tensor<3x32x48xf32>
  %4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%all = %3) -> tensor<3x32x48xf32> {
    %5 = tensor.extract_slice %x[%i, 0, 0] [1, 32, 64] [1, 1, 1]
        : tensor<3x32x64xf32> to tensor<32x64xf32>
    %6 = tensor.empty() : tensor<32x48xf32>
    %7 = linalg.fill ins(%zero : f32) outs(%6 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %8 = linalg.matmul ins(%5, %w : tensor<32x64xf32>, tensor<64x48xf32>)
        outs(%7 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %9 = tensor.insert_slice %8 into %all[%i, 0, 0] [1, 32, 48] [1, 1, 1]
        : tensor<32x48xf32> into tensor<3x32x48xf32>
    scf.yield %9 : tensor<3x32x48xf32>
  }
  return %4, %2 : tensor<3x32x48xf32>, tensor<32x48xf32>
}

func.func @overwritten(%x: tensor<32x64xf32>, %w: tensor<64x48xf32> {tune.constant},
                       %b: tensor<32x48xf32> {tune.constant}) -> tensor<32x48xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>)
      outs(%b : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
