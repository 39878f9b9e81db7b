// Comparisons of what was extended with constants that the narrow type has, at its ends, and with
// some that it does not have; of scalars and of vectors, and from either side.
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<64xi32>, %y: tensor<64xi16>) -> tensor<64x64xi32> {
  %one = arith.constant 1 : i64
  %least = arith.constant -2147483648 : i64
  %most = arith.constant 2147483647 : i64
  %beyond = arith.constant 2147483648 : i64
  %least_16 = arith.constant -32768 : i32
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<64x64xi32>
  %r = linalg.generic {indexing_maps = [#col, #row, #col, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %y : tensor<64xi32>, tensor<64xi32>, tensor<64xi16>)
      outs(%empty : tensor<64x64xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i16, %out: i32):
    %d = arith.subi %a, %b : i32
    %long = arith.extsi %d : i32 to i64
    %word = arith.extsi %c : i16 to i32
    %p0 = arith.cmpi sge, %long, %one : i64
    %p1 = arith.cmpi sgt, %least, %long : i64
    %p2 = arith.cmpi sle, %long, %most : i64
    %p3 = arith.cmpi slt, %long, %beyond : i64
    %p4 = arith.cmpi ult, %long, %one : i64
    %p5 = arith.cmpi eq, %word, %least_16 : i32
    %p6 = arith.cmpi ugt, %word, %zero : i32
    %w0 = arith.extui %p0 : i1 to i32
    %w1 = arith.extui %p1 : i1 to i32
    %w2 = arith.extui %p2 : i1 to i32
    %w3 = arith.extui %p3 : i1 to i32
    %w4 = arith.extui %p4 : i1 to i32
    %w5 = arith.extui %p5 : i1 to i32
    %w6 = arith.extui %p6 : i1 to i32
    %c2 = arith.constant 2 : i32
    %s1 = arith.muli %w0, %c2 : i32
    %t1 = arith.addi %s1, %w1 : i32
    %s2 = arith.muli %t1, %c2 : i32
    %t2 = arith.addi %s2, %w2 : i32
    %s3 = arith.muli %t2, %c2 : i32
    %t3 = arith.addi %s3, %w3 : i32
    %s4 = arith.muli %t3, %c2 : i32
    %t4 = arith.addi %s4, %w4 : i32
    %s5 = arith.muli %t4, %c2 : i32
    %t5 = arith.addi %s5, %w5 : i32
    %s6 = arith.muli %t5, %c2 : i32
    %t6 = arith.addi %s6, %w6 : i32
    linalg.yield %t6 : i32
  } -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
