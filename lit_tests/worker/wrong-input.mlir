// Each mistake has its message and exit status.

// RUN: not tune-worker --build %S/Inputs/missing.mlir --emit=llvm 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: missing.mlir

// RUN: echo 'module {' > %t.cut.mlir
// RUN: not tune-worker --build %t.cut.mlir --emit=llvm 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: cut.mlir:{{[0-9]+}}:{{[0-9]+}}: error:

// RUN: not tune-worker --build %S/Inputs/matmul.mlir --function=nn --emit=llvm 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: matmul.mlir:{{.*}}: no function @nn with a body; there is @mm

// RUN: not tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --config mr=3 --emit=llvm 2>&1 | FileCheck %s --check-prefix=KNOB
// KNOB: no knob "mr"; did you mean "mc"?
// RUN: not tune-worker --build %S/Inputs/matmul.mlir --schedule %S/Inputs/tile.mlir --config mc=3 --emit=llvm 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: knob "mc" has the value 3, not in its domain [8, 16, 32]

// RUN: not tune-worker --build %S/Inputs/matmul.mlir --config mc=3 --emit=llvm 2>&1 | FileCheck %s --check-prefix=NOSCHEDULE
// NOSCHEDULE: tune-worker: --config decides the knobs of a schedule: give --schedule
// RUN: not tune-worker --build %S/Inputs/matmul.mlir 2>&1 | FileCheck %s --check-prefix=NOOUTPUT
// NOOUTPUT: tune-worker: --emit=so writes a shared object: name it with -o
// RUN: not tune-worker --build %S/Inputs/matmul.mlir --emit=wasm 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: wasm
// RUN: not tune-worker --build %S/Inputs/matmul.mlir --triple=vax-dec-ultrix --emit=asm 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: tune-worker: no LLVM backend for vax-dec-ultrix

// Nothing to link with.
// RUN: env TUNE_LINKER=/nowhere/ld not tune-worker --build %S/Inputs/matmul.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=LINKER
// LINKER: tune-worker: $TUNE_LINKER: /nowhere/ld is not a program
// RUN: mkdir -p %t.empty
// RUN: not env PATH=%t.empty %tune-worker --build %S/Inputs/matmul.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=NOLINKER
// NOLINKER: tune-worker: no linker on the PATH: none of ld, ld.gold, ld.lld-22, ld.lld; install binutils or lld-22

// No room for the result.
// RUN: not tune-worker --build %S/Inputs/matmul.mlir --emit=obj -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: /dev/full
