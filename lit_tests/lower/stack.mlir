// Buffers on the stack leave loops, which would never give them back: for the beginning of the
// function, or of the body of the loop that threads divide among them.
// RUN: tune-opt %s --tune-lower | FileCheck %s
// RUN: tune-opt %s --tune-lower="threads=2" | FileCheck %s --check-prefix=THREADS

// CHECK-LABEL: llvm.func @deep
// CHECK-NOT: llvm.br
// CHECK: llvm.alloca
// CHECK: llvm.br
// CHECK-NOT: llvm.alloca
// THREADS-LABEL: llvm.func @deep
// THREADS-NOT: llvm.alloca
// THREADS: omp.loop_nest
// THREADS: llvm.alloca
// THREADS: llvm.cond_br
// THREADS-NOT: llvm.alloca
func.func @deep(%x: memref<100000x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.forall (%i) in (100000) {
    scf.for %j = %c0 to %c4 step %c1 {
      %room = memref.alloca() : memref<8xf32>
      %row = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<100000x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      memref.copy %row, %room : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32>
      memref.copy %room, %row : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
    }
  }
  return
}
