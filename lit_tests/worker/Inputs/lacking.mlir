// Leaves LLVM 22 an instruction that it cannot select for a CPU without AVX-VNNI-INT8.
func.func @f(%sums: memref<4xi32>, %bytes: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %sum = vector.load %sums[%c0] : memref<4xi32>, vector<4xi32>
  %a = vector.load %bytes[%c0] : memref<16xi8>, vector<16xi8>
  %dot = x86vector.avx.dot.i8 %sum, %a, %a : vector<16xi8> -> vector<4xi32>
  vector.store %dot, %sums[%c0] : memref<4xi32>, vector<4xi32>
  return
}
