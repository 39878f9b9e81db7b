// tune-lower goes on to the dialect of a device, without one being here, and print-stages shows what each
// step leaves. Stock MLIR takes the result.
// RUN: tune-opt %s --tune-lower="target=vulkan:generic print-stages" -o %t.vulkan.mlir 2> %t.stages
// RUN: FileCheck %s --input-file=%t.stages --check-prefixes=STAGES,SPIRV-STAGES
// RUN: FileCheck %s --input-file=%t.vulkan.mlir --check-prefix=SPIRV
// RUN: mlir-opt %t.vulkan.mlir -o /dev/null
// RUN: env TUNE_CUDA_LOADER=/nowhere tune-opt %s --tune-lower="target=cuda:sm_80 print-stages" -o %t.cuda.mlir 2> %t.stages
// RUN: FileCheck %s --input-file=%t.stages --check-prefixes=STAGES,NVVM-STAGES
// RUN: FileCheck %s --input-file=%t.cuda.mlir --check-prefix=NVVM
// RUN: mlir-opt %t.cuda.mlir --gpu-module-to-binary=format=isa -o - | FileCheck %s --check-prefix=PTX

// STAGES: // -----// tune-lower: tensors //----- //
// STAGES: scf.forall {{.*}} shared_outs
// STAGES: vector.contract
// STAGES: // -----// tune-lower: schedule //----- //
// STAGES-NOT: tensor<
// STAGES: vector.contract
// STAGES: // -----// tune-lower: launches //----- //
// STAGES: gpu.launch
// STAGES-NOT: scf.forall
// STAGES: // -----// tune-lower: loops //----- //
// STAGES: // -----// tune-lower: pieces //----- //
// STAGES-NOT: vector.contract
// STAGES: // -----// tune-lower: plain //----- //
// STAGES-NOT: call @tune_task
// STAGES: // -----// tune-lower: kernels //----- //
// STAGES: gpu.launch_func @main_kernel::@main_kernel
// STAGES: gpu.func @main_kernel
// SPIRV-STAGES: // -----// tune-lower: spirv //----- //
// NVVM-STAGES: // -----// tune-lower: nvvm //----- //

// SPIRV: gpu.launch_func @main_kernel::@main_kernel
// SPIRV: spirv.module @__spv__main_kernel
// SPIRV: spirv.EntryPoint "GLCompute" @main_kernel

// NVVM: gpu.launch_func @main_kernel::@main_kernel
// NVVM: gpu.module @main_kernel [#nvvm.target<{{.*}}chip = "sm_80"
// NVVM: llvm.func @main_kernel
// PTX: .visible .entry main_kernel

// The CPU has its own end, and a function for a device has to be the only one.
// RUN: tune-opt %s --tune-lower=print-stages 2> %t.stages | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.func @main
// RUN: FileCheck %s --input-file=%t.stages --check-prefix=CPU
// CPU: // -----// tune-lower: tensors //----- //
// CPU: // -----// tune-lower: schedule //----- //
// RUN: sed -e 's/@main/@first/' %s > %t.two.mlir && echo 'func.func @second() { return }' >> %t.two.mlir
// RUN: not tune-opt %t.two.mlir --tune-lower=target=vulkan:generic -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: tune-lower: several functions and no @main: name one of @first, @second
// RUN: tune-opt %t.two.mlir --tune-lower="target=vulkan:generic function=first" | FileCheck %s --check-prefix=FIRST
// FIRST: gpu.launch_func @first_kernel::@first_kernel
// FIRST-NOT: @second
// RUN: not tune-opt %t.two.mlir --tune-lower=function=first -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: error: tune-lower: function=first: all functions are lowered

func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
