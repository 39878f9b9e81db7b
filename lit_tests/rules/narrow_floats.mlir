// Registers hold f16 and bf16 as f32: tiles are as large as those of f32, and sums over columns stay in registers by default.
// RUN: tune-opt %s --tune-print-space=target=null -o /dev/null 2>&1 | FileCheck %s
// CHECK: matmul 256x256x512 bf16
// CHECK: rule 'contraction'
// CHECK: fit the registers: mr * ((nr + [[REST:[0-9]+]]) / [[LANES:[0-9]+]])
// CHECK: matmul 256x256x512 f32
// CHECK: fit the registers: mr * ((nr + [[REST]]) / [[LANES]])
func.func @products(%a: tensor<256x512xbf16>, %b: tensor<512x256xbf16>, %c: tensor<256x256xbf16>,
                    %x: tensor<256x512xf32>, %y: tensor<512x256xf32>, %z: tensor<256x256xf32>)
    -> (tensor<256x256xbf16>, tensor<256x256xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<256x512xbf16>, tensor<512x256xbf16>) outs(%c : tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %1 = linalg.matmul ins(%x, %y : tensor<256x512xf32>, tensor<512x256xf32>) outs(%z : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0, %1 : tensor<256x256xbf16>, tensor<256x256xf32>
}

// CHECK: sum 4096 over 65536 bf16
// CHECK: columns {{ *}}vector {{ *}}[[COLUMNS:[0-9]+]] {{.*}}
// CHECK: block {{ *}}linalg {{ *}}[[COLUMNS]] {{.*}}
func.func @columns(%a: tensor<65536x4096xbf16>, %s: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<65536x4096xbf16>) outs(%s : tensor<4096xbf16>) {
  ^bb0(%x: bf16, %y: bf16):
    %r = arith.addf %x, %y : bf16
    linalg.yield %r : bf16
  } -> tensor<4096xbf16>
  return %0 : tensor<4096xbf16>
}
