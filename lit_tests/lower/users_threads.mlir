// Threads that a module has itself wait where they did: what the second loop reads the first has written.
// RUN: tune-opt %s --tune-lower="threads=2" | FileCheck %s
// CHECK: omp.parallel
// CHECK: omp.wsloop {
// CHECK: omp.wsloop nowait {
// CHECK: omp.terminator
func.func @main(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %one, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        %j = arith.subi %c64, %i : index
        %k = arith.subi %j, %c1 : index
        %v = memref.load %a[%k] : memref<64xf32>
        memref.store %v, %a[%k] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
