#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @main(%arg0: memref<64x64xf32>, %arg1: memref<64x64xf32>) -> memref<64x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : vector<32x32xf32>
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
    scf.forall (%arg2, %arg3) = (0, 0) to (64, 64) step (32, 32) {
      %subview = memref.subview %alloc[%arg2, %arg3] [32, 32] [1, 1] : memref<64x64xf32> to memref<32x32xf32, strided<[64, 1], offset: ?>>
      %0 = scf.for %arg4 = %c0 to %c64 step %c16 iter_args(%arg5 = %cst_0) -> (vector<32x32xf32>) {
        %1 = vector.transfer_read %arg0[%arg2, %arg4], %cst {in_bounds = [true, true]} : memref<64x64xf32>, vector<32x16xf32>
        %2 = vector.transfer_read %arg1[%arg4, %arg3], %cst {in_bounds = [true, true]} : memref<64x64xf32>, vector<16x32xf32>
        %3 = vector.contract {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %1, %2, %arg5 : vector<32x16xf32>, vector<16x32xf32> into vector<32x32xf32>
        scf.yield %3 : vector<32x32xf32>
      }
      vector.transfer_write %0, %subview[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, strided<[64, 1], offset: ?>>
    } {tune.tile.stages = 3 : i64, tune.tile.tensor_cores = 0 : i64, tune.tile.warps_x = 1 : i64, tune.tile.warps_y = 2 : i64}
    return %alloc : memref<64x64xf32>
  }
}

