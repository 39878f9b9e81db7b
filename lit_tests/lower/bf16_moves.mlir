// Vectors of 8 n + 1 elements of bf16 that are moved only: LLVM's back end for avx512_bf16 aborts on
// them ("soft promote"), so they move as integers.
// RUN: tune-worker --build=%s --cpu=znver4 --features=+avx512bf16 --emit=obj -o %t.o
// RUN: tune-worker --build=%s --cpu=sapphirerapids --features=+avx512bf16 --emit=obj -o %t.o
// RUN: tune-worker --build=%s --cpu=znver4 --features=+avx512bf16 --emit=mlir -o - | FileCheck %s

// Other CPUs have none of them in registers: LLVM moves them element by element, unless as integers.
// RUN: tune-worker --build=%s --cpu=x86-64-v3 --emit=mlir -o - | FileCheck %s --check-prefix=ALL
// RUN: tune-worker --build=%s --cpu=x86-64-v3 --emit=obj -o %t.o
// ALL-LABEL: llvm.func {{.*}}@main
// ALL: llvm.load {{.*}} -> vector<9xi16>
// ALL: llvm.load {{.*}} -> vector<10xi16>
// ALL-NOT: vector<33xbf16>
// ALL: llvm.bitcast {{.*}} : vector<25xi16> to vector<25xbf16>

// Others are left as they are, and so is what computes.
// CHECK-LABEL: llvm.func {{.*}}@main
// CHECK: llvm.load {{.*}} -> vector<9xi16>
// CHECK: llvm.store {{.*}} : vector<9xi16>
// CHECK: llvm.load {{.*}} -> vector<10xbf16>
// CHECK: llvm.load {{.*}} -> vector<17xi16>
// CHECK: llvm.br {{.*}}vector<17xi16>
// CHECK-NOT: vector<33xbf16>
// CHECK: llvm.load {{.*}} -> vector<25xi16>
// CHECK: llvm.bitcast {{.*}} : vector<25xi16> to vector<25xbf16>
// CHECK: llvm.fpext {{.*}} : vector<25xbf16> to vector<25xf32>
func.func @main(%a: memref<64xbf16>, %b: memref<64xbf16>, %f: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // Copied, with elements taken out and put in.
  %v9 = vector.load %a[%c0] : memref<64xbf16>, vector<9xbf16>
  vector.store %v9, %b[%c3] : memref<64xbf16>, vector<9xbf16>
  %v10 = vector.load %a[%c0] : memref<64xbf16>, vector<10xbf16>
  vector.store %v10, %b[%c3] : memref<64xbf16>, vector<10xbf16>
  %v17 = vector.load %a[%c0] : memref<64xbf16>, vector<17xbf16>
  %last = vector.extract %v17[16] : bf16 from vector<17xbf16>
  memref.store %last, %b[%c1] : memref<64xbf16>
  %put = vector.insert %last, %v17[2] : bf16 into vector<17xbf16>
  // Carried by a loop, with a vector that is not odd.
  %carried, %even = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %put, %e = %v10) -> (vector<17xbf16>, vector<10xbf16>) {
    vector.store %x, %b[%i] : memref<64xbf16>, vector<17xbf16>
    vector.store %e, %b[%i] : memref<64xbf16>, vector<10xbf16>
    %next = vector.load %a[%i] : memref<64xbf16>, vector<17xbf16>
    %other = vector.load %a[%i] : memref<64xbf16>, vector<10xbf16>
    scf.yield %next, %other : vector<17xbf16>, vector<10xbf16>
  }
  vector.store %carried, %b[%c0] : memref<64xbf16>, vector<17xbf16>
  vector.store %even, %b[%c0] : memref<64xbf16>, vector<10xbf16>
  // Shuffled to and from sizes that are not odd.
  %v16 = vector.extract_strided_slice %v17 {offsets = [1], sizes = [16], strides = [1]} : vector<17xbf16> to vector<16xbf16>
  %v33 = vector.shuffle %v16, %v17 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32] : vector<16xbf16>, vector<17xbf16>
  vector.store %v33, %b[%c0] : memref<64xbf16>, vector<33xbf16>
  // Converted.
  %v25 = vector.load %a[%c0] : memref<64xbf16>, vector<25xbf16>
  vector.store %v25, %b[%c3] : memref<64xbf16>, vector<25xbf16>
  %wide = arith.extf %v25 : vector<25xbf16> to vector<25xf32>
  vector.store %wide, %f[%c0] : memref<64xf32>, vector<25xf32>
  return
}
