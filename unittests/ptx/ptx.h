//===- ptx.h - Running PTX without a GPU ---------------------------------------------------===//
//
// For tests: parses PTX text as LLVM's NVPTX back end writes it and runs its kernels on the
// processor, to find wrong results, wrong layouts of tensor-core operands, missing barriers and
// races before a GPU does. The memory of the device is that of this process.
//
// Each thread of a group has its own registers and its own place in the code, and runs until it
// waits: at a barrier, or at an instruction that a warp has together (shfl.sync, mma.sync,
// ldmatrix, …). Groups run one after the other, those of a cluster together. What a GPU leaves open
// is made to show:
//   - shared memory begins as bytes of 0xff (NaN in each floating-point type), registers as noise;
//   - what cp.async copies arrives when it is waited for; until then the bytes are 0xff, and to
//     read them is an error;
//   - products of warp groups (wgmma.mma_async) arrive when they are waited for; until then to
//   touch
//     their accumulators, or to write what they read, is an error, and so is what the proxy of
//     asynchronous accesses reads without a fence.proxy.async of who wrote it;
//   - shared memory that two threads touch, one of them writing, with no barrier (or within a warp:
//     no warp-wide instruction) between them is an error. Nothing is said of orders that atomics,
//     fences or volatile accesses may have made;
//   - what a group does to the shared memory of another one of its cluster (bulk copies to several
//     of them, arrivals at their mbarriers) is an error where nothing that is released and acquired
//     at the scope of the cluster says that the other one has made it ready, is done with it, and
//     is still there;
//   - each access of memory is checked against the ranges the caller gives, and for its alignment.
// Approximate instructions are exact but for tanh.approx, which is rounded to what the PTX ISA
// promises of it.
//
// What is known: see the tables `ptx_*_bindings`. Whatever else is there is refused when the module
// is loaded, by name and line.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_PTX_H
#define TUNE_UNITTESTS_PTX_PTX_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ptx_module ptx_module;
typedef struct ptx_function ptx_kernel;

// Parses `text` (`length` bytes; a NUL at its end is allowed), of which nothing is kept.
// INVALID_ARGUMENT names the line, and what of it is not known or not well-formed.
tune_status ptx_module_create(const char *text, size_t length, ptx_module **out_module);
void ptx_module_destroy(ptx_module *module);

// What .version and .target say: 80 for 8.0, and 90 for sm_90 or sm_90a.
unsigned ptx_module_version(const ptx_module *module);
unsigned ptx_module_architecture(const ptx_module *module);

// The kernel `name`, which lives as long as the module. NOT_FOUND otherwise.
tune_status ptx_module_find_kernel(ptx_module *module, const char *name, ptx_kernel **out_kernel);
// A variable of the module in .global or .const memory.
tune_status ptx_module_find_variable(ptx_module *module, const char *name, void **out_address,
                                     size_t *out_bytes);

size_t ptx_kernel_parameter_count(const ptx_kernel *kernel);
size_t ptx_kernel_parameter_bytes(const ptx_kernel *kernel, size_t index);
// Bytes of .shared variables, those of the group's whole; without what is given at launch.
size_t ptx_kernel_shared_bytes(const ptx_kernel *kernel);
size_t ptx_kernel_local_bytes(const ptx_kernel *kernel);
// Threads that a group may have: the product of .maxntid or .reqntid, 1024 without them.
unsigned ptx_kernel_group_limit(const ptx_kernel *kernel);

// Memory that kernels may touch: ranges that do not overlap.
typedef struct ptx_memory ptx_memory;
tune_status ptx_memory_create(ptx_memory **out_memory);
void ptx_memory_destroy(ptx_memory *memory);
tune_status ptx_memory_add(ptx_memory *memory, const void *start, size_t bytes);
// NOT_FOUND where no range begins at `start`.
tune_status ptx_memory_remove(ptx_memory *memory, const void *start);
// Whether all `bytes` at `start` are in one range.
bool ptx_memory_has(const ptx_memory *memory, const void *start, size_t bytes);

// What this driver's cuTensorMapEncodeTiled makes of a tensor, for cp.async.bulk.tensor. From the
// innermost dimension on.
#define PTX_TENSOR_RANK 5
#define PTX_TENSOR_MAGIC "tensor!"
typedef struct ptx_tensor_map {
  char magic[8];
  uint64_t address;
  uint64_t strides[PTX_TENSOR_RANK - 1]; // bytes, from the second dimension on
  uint32_t sizes[PTX_TENSOR_RANK];
  uint16_t box[PTX_TENSOR_RANK];
  uint16_t rank, element_bytes;
  uint16_t swizzle; // bytes of a row of the pattern: 0, 32, 64 or 128
  uint8_t unused[44];
} ptx_tensor_map;

typedef struct ptx_launch {
  unsigned groups[3];      // at least 1 each
  unsigned group_size[3];  //
  size_t dynamic_bytes;    // of shared memory
  void *const *parameters; // what parameter i points to is read, as cuLaunchKernel does
  ptx_memory *memory;      // besides the module's own variables
  uint64_t limit;          // instructions of all threads together; 0: 10^12
  unsigned sample;         // so many groups, spread over the grid; 0: all of them
  bool ignore_races;       // in shared memory
} ptx_launch;

typedef enum ptx_fault {
  PTX_FAULT_NONE,
  PTX_FAULT_LAUNCH,     // what was asked for cannot be launched: nothing ran
  PTX_FAULT_ADDRESS,    // outside of the memory it may touch
  PTX_FAULT_MISALIGNED, //
  PTX_FAULT_RACE,       // in shared memory
  PTX_FAULT_DEADLOCK,   // threads wait for others that never come
  PTX_FAULT_LIMIT,      // more instructions than allowed
  PTX_FAULT_TRAP,       // trap, or what no GPU defines
  PTX_FAULT_MEMORY,     // this process has no more of it
} ptx_fault;

typedef struct ptx_report {
  ptx_fault fault;
  uint64_t instructions; // of all threads
  size_t shared_bytes;   // static and dynamic, of a group
  // Reads of shared memory by ldmatrix beyond one for each matrix, as its rows are in the same
  // banks. Other instructions are not looked at.
  uint64_t bank_conflicts;
  // Whether a byte of global memory has another value than before; if none has, and none will have
  // when the kernel runs once more, there is no need to run it.
  bool has_changed_memory;
} ptx_report;

// Runs the kernel to its end. A failure names the kernel, the instruction with its line, the thread
// and the group, and what was wrong; `report->fault` says which kind. `report` is always filled.
tune_status ptx_kernel_launch(ptx_kernel *kernel, const ptx_launch *launch, ptx_report *report);

// How often threads have executed instructions whose name begins with `prefix` ("mma.sync",
// "ld.global") in the module since it was loaded.
uint64_t ptx_module_executed(const ptx_module *module, const char *prefix);

#endif // TUNE_UNITTESTS_PTX_PTX_H
