// What a product of narrow elements has copied that is no tile of sums is copied by loops: as one vector
// it became as many instructions as it has lines, and a build took minutes. On two CPUs, with and
// without an instruction for such products.
// RUN: tune-opt %s --tune-lower="until=schedule target=cpu:znver4" | FileCheck %s
// RUN: tune-opt %s --tune-lower="until=schedule target=cpu:znver3" | FileCheck %s
// CHECK-LABEL: func.func private @tune_task_0
// CHECK-NOT: vector.load {{.*}}21x40x16xi8
// CHECK: copy{{.*}}21x40x16xi8
// CHECK-NOT: vector.load {{.*}}21x40x16xi8
// CHECK: func.func @image
// RUN: tune-run %s --db= --strict --time=0.001 | FileCheck %s --check-prefix=OK
// OK: Check{{ +}}ok
func.func @image(%image: tensor<1x21x40x16xi8>, %filter: tensor<3x3x16x24xi8>)
    -> tensor<1x21x40x24xi32> {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i8
  %wide = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : i8
  } : tensor<1x21x40x16xi8> to tensor<1x23x42x16xi8>
  %empty = tensor.empty() : tensor<1x21x40x24xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x21x40x24xi32>) -> tensor<1x21x40x24xi32>
  %result = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>}
      ins(%wide, %filter : tensor<1x23x42x16xi8>, tensor<3x3x16x24xi8>)
      outs(%init : tensor<1x21x40x24xi32>) -> tensor<1x21x40x24xi32>
  return %result : tensor<1x21x40x24xi32>
}
