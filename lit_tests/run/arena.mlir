// What tasks hand to each other, and their temporaries, lie in one block, also where they are called
// in loops and branches. Memory that is returned, that of an unknown size and that among several
// blocks stay apart. (The widths of @chain are 512, 256, 384 and 128.)
// RUN: tune-run %s --function=chain --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,CHAIN
// RUN: tune-run %s --function=chain --db= --strict --check --time=0.01 --threads=2 | FileCheck %s --check-prefixes=OK
// RUN: tune-run %s --function=chain --db= --time=0.01 --format=json | FileCheck %s --check-prefix=JSON
// RUN: tune-run %s --function=looped --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,LOOPED
// RUN: tune-run %s --function=branched --db= --strict --check --time=0.01 --seed=1 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=branched --db= --strict --check --time=0.01 --seed=2 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=blocks --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=open --db= --strict --check --time=0.01 | FileCheck %s --check-prefix=OK
// RUN: tune-run %s --function=alone --db= --strict --check --time=0.01 | FileCheck %s --check-prefixes=OK,ALONE
// OK: Check {{ *}}ok
// How much temporaries take depends on the CPU; no more is taken than is needed at once.
// CHAIN: Memory in between {{ *}}[[SIZE:[0-9.]+ kB]]; [[SIZE]] are needed at once, {{[0-9.]+}} kB by themselves
// JSON: "arena": {
// JSON-NEXT: "size": [[BYTES:[0-9]+]],
// JSON-NEXT: "bound": [[BYTES]],
// JSON-NEXT: "separate": {{[0-9]+}}
// LOOPED: Memory in between
// ALONE-NOT: Memory in between

// One allocation for the result, and one for the block.
// RUN: tune-run %s --function=chain --db= --emit=llvm -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=ONCE
// ONCE: define {{.*}}@chain(
// ONCE: call {{.*}}alloc
// ONCE: call {{.*}}alloc
// ONCE-NOT: call {{.*}}alloc
// ONCE: }

func.func private @step(%a: tensor<256x256xf32>) -> tensor<256x256xf32> attributes {no_inline} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %m = linalg.matmul ins(%a, %a : tensor<256x256xf32>, tensor<256x256xf32>)
      outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  %s = linalg.softmax dimension(1) ins(%m : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %s : tensor<256x256xf32>
}
func.func @chain(%x: tensor<64x64xf32>, %w0: tensor<64x512xf32>, %w1: tensor<512x256xf32>, %w2: tensor<256x384xf32>, %w3: tensor<384x128xf32>, %w4: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x512xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %m0 = linalg.matmul ins(%x, %w0 : tensor<64x64xf32>, tensor<64x512xf32>)
      outs(%f0 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %e1 = tensor.empty() : tensor<64x256xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %m1 = linalg.matmul ins(%m0, %w1 : tensor<64x512xf32>, tensor<512x256xf32>)
      outs(%f1 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %e2 = tensor.empty() : tensor<64x384xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x384xf32>) -> tensor<64x384xf32>
  %m2 = linalg.matmul ins(%m1, %w2 : tensor<64x256xf32>, tensor<256x384xf32>)
      outs(%f2 : tensor<64x384xf32>) -> tensor<64x384xf32>
  %e3 = tensor.empty() : tensor<64x128xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %m3 = linalg.matmul ins(%m2, %w3 : tensor<64x384xf32>, tensor<384x128xf32>)
      outs(%f3 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %e4 = tensor.empty() : tensor<64x64xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m4 = linalg.matmul ins(%m3, %w4 : tensor<64x128xf32>, tensor<128x64xf32>)
      outs(%f4 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %m4 : tensor<64x64xf32>
}
func.func @looped(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %first = call @step(%a) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %first) -> tensor<256x256xf32> {
    %0 = func.call @step(%x) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = func.call @step(%0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %1 : tensor<256x256xf32>
  }
  %2 = call @step(%r) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %2 : tensor<256x256xf32>
}
func.func @branched(%a: tensor<256x256xf32>, %c: i1) -> tensor<256x256xf32> {
  %0 = call @step(%a) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = scf.if %c -> tensor<256x256xf32> {
    %1 = func.call @step(%0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %1 : tensor<256x256xf32>
  } else {
    %2 = func.call @step(%a) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %2 : tensor<256x256xf32>
  }
  %3 = call @step(%r) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %3 : tensor<256x256xf32>
}
func.func @open(%a: tensor<?x96xf32>, %b: tensor<96x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%d) : tensor<?x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %m = linalg.matmul ins(%a, %b : tensor<?x96xf32>, tensor<96x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  %n = linalg.matmul ins(%m, %b : tensor<?x96xf32>, tensor<96x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %n : tensor<?x96xf32>
}
func.func @alone(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %m = linalg.exp ins(%a : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %m : tensor<256x256xf32>
}
func.func @blocks(%a: tensor<256x256xf32>, %c: i1) -> tensor<256x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %a) -> tensor<256x256xf32> {
   %q = scf.execute_region -> tensor<256x256xf32> {
    %0 = func.call @step(%y) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    cf.cond_br %c, ^bb1, ^bb2
   ^bb1:
    %1 = func.call @step(%0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %2 = func.call @step(%1) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    cf.br ^bb3(%2 : tensor<256x256xf32>)
   ^bb2:
    %3 = func.call @step(%0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    cf.br ^bb3(%3 : tensor<256x256xf32>)
   ^bb3(%5: tensor<256x256xf32>):
    %6 = func.call @step(%0) : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %e = tensor.empty() : tensor<256x256xf32>
    %4 = linalg.add ins(%6, %5 : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %4 : tensor<256x256xf32>
   }
   scf.yield %q : tensor<256x256xf32>
  }
  %3 = func.call @step(%r) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %3 : tensor<256x256xf32>
}
