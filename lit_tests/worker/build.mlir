// What `tune-worker --build` writes, of one payload and schedule.

// The space, with defaults marked.
// RUN: tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --emit=space | FileCheck %s --check-prefix=SPACE
// SPACE: mc (linalg, ordered): 8 16* 32
// SPACE-NEXT: nr (linalg, ordered): 8* 16
// SPACE-NEXT: loop (linalg): for* forall
// SPACE-NEXT: where mc * nr <= 256  // the tile has to stay in the registers

// The decided script has nothing of ours in it but names, and stock mlir-opt does the same with it.
// RUN: tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --config mc=32,loop=forall --emit=script -o %t.script.mlir
// RUN: FileCheck %s --check-prefix=SCRIPT --input-file=%t.script.mlir
// SCRIPT-NOT: #tune
// SCRIPT-NOT: transform.tune
// SCRIPT-NOT: smt
// SCRIPT: transform.param.constant 32 : i64 {tune.knob = "mc"}
// SCRIPT-NEXT: transform.param.constant 8 : i64 {tune.knob = "nr"}
// SCRIPT-NOT: tile_using_for %
// SCRIPT: tile_using_forall
// SCRIPT-NOT: #tune
// SCRIPT-NOT: transform.tune
// SCRIPT-NOT: smt
// RUN: mlir-opt %S/Inputs/matmul.mlir --transform-preload-library=transform-library-paths=%t.script.mlir --transform-interpreter -o %t.replayed.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULED --input-file=%t.replayed.mlir
// RUN: tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --config mc=32,loop=forall --emit=scheduled | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: scf.forall
// SCHEDULED: linalg.matmul {{.*}}tensor<32x64xf32>, tensor<64x8xf32>

// Code of each kind.
// RUN: tune-worker --build %S/Inputs/matmul.mlir --emit=mlir | FileCheck %s --check-prefix=MLIR
// MLIR: llvm.func @mm
// MLIR: llvm.func @_mlir_ciface_mm
// RUN: tune-worker --build %S/Inputs/matmul.mlir --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: define internal {{.*}}void @mm(
// LLVM: define void @tune_entry(ptr
// RUN: tune-worker --build %S/Inputs/matmul.mlir --emit=asm | FileCheck %s --check-prefix=ASM
// ASM: .globl tune_entry
// RUN: tune-worker --build %S/Inputs/matmul.mlir --emit=so --timing -o %t.so 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: transform {{.*}} ms, lower {{.*}}, optimize {{.*}}, codegen {{.*}}, link {{.*}}; {{[0-9]+}} bytes, digest {{[0-9a-f]+$}}

// Another machine's code.
// RUN: tune-worker --build %S/Inputs/matmul.mlir --triple=aarch64-linux-gnu --cpu=neoverse-n1 --emit=asm | FileCheck %s --check-prefix=ARM
// ARM: fmla v

// RUN: tune-worker --build %S/Inputs/matmul.mlir --emit=signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: "entry": "tune_entry"
// SIGNATURE: "access": "read"
// SIGNATURE: "access": "read"
// SIGNATURE: "access": "readwrite"
// SIGNATURE: "results": []

// A config that a constraint rejects is built, since a person asked for it, but not in silence.
// RUN: tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --config mc=32,nr=16 --emit=scheduled 2>&1 | FileCheck %s --check-prefix=VIOLATED
// VIOLATED: tune-worker: warning: the config violates {{.*}}: the tile has to stay in the registers
