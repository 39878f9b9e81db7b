//===- fake_cuda.h - The inside of the driver that tests use
//-------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_FAKE_CUDA_H
#define TUNE_UNITTESTS_PTX_FAKE_CUDA_H

#include "targets/cuda/cuda_api.h"
#include "targets/cuda/cuda_architecture.h"
#include "unittests/ptx/ptx.h"

#include <stdint.h>

#pragma GCC visibility push(default)
CUDA_FUNCTIONS(CUDA_DEFINE_PROTOTYPE)
CUDA_LATER_FUNCTIONS(CUDA_DEFINE_PROTOTYPE)
#pragma GCC visibility pop

#define PARAMETERS_MOST 64

struct CUmod_st {
  ptx_module *module;
  struct CUfunc_st *functions; // that were asked for
};

struct CUfunc_st {
  ptx_kernel *kernel;
  bool is_only_timed;     // not run
  int dynamic_bytes;      // that a launch may ask for
  struct fake_node *idle; // the last launch that has left memory as it was
  uint64_t idle_version;
  double idle_seconds;
  struct CUfunc_st *next;
};

// A launch, or (without a kernel) a copy.
typedef struct fake_node {
  CUfunction function;
  ptx_launch launch;
  void *parameters[PARAMETERS_MOST]; // each on the heap
  size_t parameter_count;
  void *to;
  const void *from;
  size_t bytes;
  struct fake_node *next;
} fake_node;

struct CUgraph_st {
  fake_node *first, **last;
};

struct CUgraphExec_st {
  CUgraph graph; // a copy of what it was made from
};

struct CUstream_st {
  CUgraph capturing;
  double seconds; // since it was made
};

struct CUevent_st {
  double seconds;
};

struct CUctx_st {
  int unused;
};

// The device.
typedef struct fake_driver {
  bool is_initialized;
  ptx_memory *memory;
  size_t used;
  CUresult failure;          // for good
  struct CUstream_st stream; // NULL's
  uint64_t version;          // of the memory: another one after each change
} fake_driver;
extern fake_driver driver;

// Whether TUNE_FAKE_CUDA_FAULT is `name`.
bool fake_has_fault(const char *name);
// TUNE_FAKE_CUDA_ARCH's; NULL where there is no such one.
const cuda_architecture *fake_architecture(void);

// What all calls give from now on; `text` is what cuGetErrorString says of it.
void fake_fail(CUresult result, const char *text);
// Success, or what has been failed with.
CUresult fake_state(void);
#define RETURN_IF_FAILED()                                                                         \
  do {                                                                                             \
    CUresult state_ = fake_state();                                                                \
    if (state_ != CUDA_SUCCESS)                                                                    \
      return state_;                                                                               \
  } while (0)

static inline void *fake_pointer(CUdeviceptr address) { return (void *)(uintptr_t)address; }
// Whether all of it is in one allocation.
bool fake_is_there(CUdeviceptr address, size_t size);
void fake_node_destroy(fake_node *node);

#endif // TUNE_UNITTESTS_PTX_FAKE_CUDA_H
