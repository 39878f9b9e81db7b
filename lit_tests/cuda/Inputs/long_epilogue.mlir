// A convolution of whole lines and, after it, GELU out of the polynomials that StableHLO makes of erf.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d2 + d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d0, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<1x80x300xf32>, %arg1: tensor<384x80x3xf32>, %arg2: tensor<384xf32>) -> tensor<1x384x300xf32> {
    %cst = arith.constant 0.707106769 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant -1.000000e+00 : f32
    %cst_2 = arith.constant -0.0142647391 : f32
    %cst_3 = arith.constant -0.00737332925 : f32
    %cst_4 = arith.constant -0.00168282702 : f32
    %cst_5 = arith.constant -2.13374049E-4 : f32
    %cst_6 = arith.constant -1.45660715E-5 : f32
    %cst_7 = arith.constant -0.0160960332 : f32
    %cst_8 = arith.constant -2.954600e-03 : f32
    %cst_9 = arith.constant -7.34990637E-4 : f32
    %cst_10 = arith.constant -5.69250624E-5 : f32
    %cst_11 = arith.constant -2.10102394E-6 : f32
    %cst_12 = arith.constant 2.77068146E-8 : f32
    %cst_13 = arith.constant -2.72614237E-10 : f32
    %cst_14 = arith.constant 4.000000e+00 : f32
    %cst_15 = arith.constant -4.000000e+00 : f32
    %cst_16 = arith.constant 5.000000e-01 : f32
    %cst_17 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1] high[0, 0, 1] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst_17 : f32
    } : tensor<1x80x300xf32> to tensor<1x80x302xf32>
    %0 = tensor.empty() : tensor<1x384x300xf32>
    %1 = linalg.fill ins(%cst_17 : f32) outs(%0 : tensor<1x384x300xf32>) -> tensor<1x384x300xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["reduction", "parallel", "parallel", "reduction", "parallel"]} ins(%padded, %arg1 : tensor<1x80x302xf32>, tensor<384x80x3xf32>) outs(%1 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      %36 = arith.addf %out, %35 : f32
      linalg.yield %36 : f32
    } -> tensor<1x384x300xf32>
    %expanded = tensor.expand_shape %arg2 [[0, 1]] output_shape [384, 1] : tensor<384xf32> into tensor<384x1xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<384x1xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x384x300xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.addf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.mulf %in, %cst_16 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %6 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel", "parallel"]} outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<1x384x300xf32>
    %7 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %6 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.maximumf %in, %cst_15 : f32
      %36 = arith.minimumf %35, %cst_14 : f32
      linalg.yield %36 : f32
    } -> tensor<1x384x300xf32>
    %9 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.mulf %in, %cst_13 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %11 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_12 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %13 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_11 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %14 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_10 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %16 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_9 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_8 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %21 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_7 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %22 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.mulf %in, %cst_6 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_5 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_4 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %27 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_3 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %9 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_2 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %21 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30, %29 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.divf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.maximumf %in, %cst_1 : f32
      %36 = arith.minimumf %35, %cst_0 : f32
      linalg.yield %36 : f32
    } -> tensor<1x384x300xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %cst_0 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %5 : tensor<1x384x300xf32>, tensor<1x384x300xf32>) outs(%0 : tensor<1x384x300xf32>) {
    ^bb0(%in: f32, %in_18: f32, %out: f32):
      %35 = arith.mulf %in, %in_18 : f32
      linalg.yield %35 : f32
    } -> tensor<1x384x300xf32>
    return %34 : tensor<1x384x300xf32>
  }
}
