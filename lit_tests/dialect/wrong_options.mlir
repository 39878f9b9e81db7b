// Wrong options of a pass end tune-opt with a message and status 1, before anything runs.
// RUN: not tune-opt %s --tune-verify=opn 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: tune-verify: option 'list': no such value: 'opn'; did you mean 'open'? The values are: none, open, chosen, all
// RUN: not tune-opt %s --tune-verify="lists=all" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: tune-verify: no such option: 'lists'; did you mean 'list'? The options are: list
// RUN: not tune-opt %s --tune-verify="list=open all" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: tune-verify: no such option: 'all'; {{.*}}the options are: list
// RUN: not tune-opt %s --tune-verify="list" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: tune-verify: option 'list' has no value: expected list=...
// RUN: not tune-opt %s --pass-pipeline='builtin.module(tune-verify{list=7})' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: tune-verify: option 'list': no such value: '7'; the values are: none, open, chosen, all
// RUN: not mlir-opt --load-pass-plugin=%plugin %s --pass-pipeline='builtin.module(tune-verify{list=7})' 2>&1 | FileCheck %s --check-prefix=PIPELINE

// Flags and files that do not exist are told by MLIR's own parser.
// RUN: not tune-opt %s --tune-verfy 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: Unknown command line argument '--tune-verfy'
// FLAG: Did you mean '--tune-verify'?
// RUN: not tune-opt %t.absent.mlir --tune-verify 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: cannot open input file '{{.*}}.absent.mlir'
// RUN: echo "this is no MLIR" > %t.txt
// RUN: not tune-opt %t.txt --tune-verify 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: .txt:1:1: error:

// The version is that of mlir-tune too.
// RUN: tune-opt --version | FileCheck %s --check-prefix=VERSION
// VERSION: LLVM version 22
// VERSION: tune-opt {{[0-9]+\.[0-9]+}}

// Each pass has its line in the help.
// RUN: tune-opt --help | FileCheck %s --check-prefix=HELP
// HELP: tune-opt: mlir-opt that tunes
// HELP: --tune-verify{{ *}}- Check the tuning choices in a module
// HELP-NEXT: --list=<word>{{ *}}- the choices to name in remarks
func.func private @f()
