// Scalars between tasks: of what a task made, of arguments, at places that are data, of a tensor
// that is overwritten behind them, and tensors made of scalars.
#all = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

func.func @scale(%x: tensor<64x32xf32>, %s: tensor<f32>) -> tensor<64x32xf32> {
  %scale = tensor.extract %s[] : tensor<f32>
  %empty = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %scale : f32
    linalg.yield %p : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

func.func @of_sum(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %sums_empty = tensor.empty() : tensor<64xf32>
  %sums_init = linalg.fill ins(%zero : f32) outs(%sums_empty : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.reduce ins(%x : tensor<64x32xf32>) outs(%sums_init : tensor<64xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %t = arith.addf %in, %acc : f32
      linalg.yield %t : f32
    }
  %one = tensor.extract %sums[%c3] : tensor<64xf32>
  %half = arith.constant 0.5 : f32
  %scale = arith.mulf %one, %half : f32
  %empty = tensor.empty() : tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%empty : tensor<64x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.addf %in, %scale : f32
    linalg.yield %p : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

func.func @at_place(%x: tensor<16xf32>, %at: tensor<4xi32>) -> tensor<16xf32> {
  %c2 = arith.constant 2 : index
  %word = tensor.extract %at[%c2] : tensor<4xi32>
  %fifteen = arith.constant 15 : i32
  %in_range = arith.andi %word, %fifteen : i32
  %place = arith.index_cast %in_range : i32 to index
  %one = tensor.extract %x[%place] : tensor<16xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%empty : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.subf %in, %one : f32
    linalg.yield %p : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

func.func @overwritten(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %twice = linalg.add ins(%x, %x : tensor<16xf32>, tensor<16xf32>) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %one = tensor.extract %twice[%c1] : tensor<16xf32>
  %changed = tensor.insert %seven into %twice[%c1] : tensor<16xf32>
  %other = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%other : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.subf %in, %one : f32
    linalg.yield %p : f32
  } -> tensor<16xf32>
  return %changed, %r : tensor<16xf32>, tensor<16xf32>
}

func.func @elements(%x: tensor<16xf32>) -> tensor<3xf32> {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %a = tensor.extract %x[%c1] : tensor<16xf32>
  %b = tensor.extract %x[%c5] : tensor<16xf32>
  %sum = arith.addf %a, %b : f32
  %r = tensor.from_elements %a, %b, %sum : tensor<3xf32>
  return %r : tensor<3xf32>
}
