//===- cuda_api.h - Declarations of CUDA's driver API ------------------------===//
//
// NVIDIA's toolkit is not needed to build: the names, values and signatures of the driver API
// (libcuda.so.1) that are used here stand here, as the CUDA Driver API Reference Manual has them.
// Symbols are those of the ABI: where a header renames cuMemAlloc to cuMemAlloc_v2, it is the
// latter. All of them are there since CUDA 11.4, but for CUDA_LATER_FUNCTIONS.
//
// A stand-in for the driver, as tests use, exports the functions of both under their symbols, with
// CUDA_DEFINE_PROTOTYPE's prototypes.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_API_H
#define TUNE_TARGETS_CUDA_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr; // on the device; 0 is none
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

// Enums of the API are ints of C's ABI. Those of errors that are told apart here:
typedef int CUresult;
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_EXTERNAL_DEVICE = 911,
  CUDA_ERROR_UNKNOWN = 999,
};

// Of a device, for cuDeviceGetAttribute. Bytes, kHz and bits.
typedef int CUdevice_attribute;
enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

// Of a kernel, for cuFuncGetAttribute and cuFuncSetAttribute.
typedef int CUfunction_attribute;
enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1, // static
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,  // of a thread
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,          // of a thread
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

// Options of cuModuleLoadDataEx; a number is handed over in the place of the pointer.
typedef int CUjit_option;
enum {
  CU_JIT_ERROR_LOG_BUFFER = 5,            // char *
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6, // unsigned; written too: what was filled
  CU_JIT_OPTIMIZATION_LEVEL = 7,          // unsigned: 0 to 4, which it is by itself
  CU_JIT_CACHE_MODE = 14,                 // of loads: one of the next
};

enum {
  CU_JIT_CACHE_OPTION_NONE = 0, // as the compiler has it
  CU_JIT_CACHE_OPTION_CG = 1,   // not in the first cache
  CU_JIT_CACHE_OPTION_CA = 2,   // in the first, too
};

enum {
  CU_STREAM_DEFAULT = 0, // waits for work on the stream NULL, which waits for it
  CU_EVENT_DEFAULT = 0,
};

typedef int CUstreamCaptureMode;
enum { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };

// What the device's bulk copies read of a tensor: opaque, at a multiple of 64 bytes.
typedef struct CUtensorMap {
  _Alignas(64) uint64_t opaque[16];
} CUtensorMap;

// Enums of cuTensorMapEncodeTiled. Elements are only moved: unsigned ones of their size do for all.
enum {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, // zeroes
};

// X(name, symbol, parameters): each function returns a CUresult.
#define CUDA_FUNCTIONS(X)                                                                          \
  X(Init, cuInit, (unsigned int flags))                                                            \
  X(DriverGetVersion, cuDriverGetVersion, (int *version))                                          \
  X(GetErrorName, cuGetErrorName, (CUresult error, const char **name))                             \
  X(GetErrorString, cuGetErrorString, (CUresult error, const char **text))                         \
  X(DeviceGetCount, cuDeviceGetCount, (int *count))                                                \
  X(DeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                                      \
  X(DeviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device))                       \
  X(DeviceGetPCIBusId, cuDeviceGetPCIBusId, (char *id, int size, CUdevice device))                 \
  X(DeviceGetAttribute, cuDeviceGetAttribute,                                                      \
    (int *value, CUdevice_attribute attribute, CUdevice device))                                   \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                        \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))      \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                      \
  X(CtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                           \
  X(MemAlloc, cuMemAlloc_v2, (CUdeviceptr * address, size_t size))                                 \
  X(MemFree, cuMemFree_v2, (CUdeviceptr address))                                                  \
  X(MemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size))                  \
  X(MemcpyDtoH, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size))                        \
  X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                         \
    (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))                              \
  X(MemsetD8, cuMemsetD8_v2, (CUdeviceptr to, unsigned char byte, size_t size))                    \
  X(MemsetD8Async, cuMemsetD8Async,                                                                \
    (CUdeviceptr to, unsigned char byte, size_t size, CUstream stream))                            \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                                          \
    (CUmodule * module, const void *image, unsigned int count, CUjit_option *options,              \
     void **values))                                                                               \
  X(ModuleUnload, cuModuleUnload, (CUmodule module))                                               \
  X(ModuleGetFunction, cuModuleGetFunction,                                                        \
    (CUfunction * function, CUmodule module, const char *name))                                    \
  X(FuncGetAttribute, cuFuncGetAttribute,                                                          \
    (int *value, CUfunction_attribute attribute, CUfunction function))                             \
  X(FuncSetAttribute, cuFuncSetAttribute,                                                          \
    (CUfunction function, CUfunction_attribute attribute, int value))                              \
  X(LaunchKernel, cuLaunchKernel,                                                                  \
    (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,           \
     unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,  \
     CUstream stream, void **parameters, void **extra))                                            \
  X(StreamCreate, cuStreamCreate, (CUstream * stream, unsigned int flags))                         \
  X(StreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                          \
  X(StreamSynchronize, cuStreamSynchronize, (CUstream stream))                                     \
  X(StreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))      \
  X(StreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                      \
  X(GraphInstantiate, cuGraphInstantiateWithFlags,                                                 \
    (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                           \
  X(GraphUpload, cuGraphUpload, (CUgraphExec executable, CUstream stream))                         \
  X(GraphDestroy, cuGraphDestroy, (CUgraph graph))                                                 \
  X(GraphLaunch, cuGraphLaunch, (CUgraphExec executable, CUstream stream))                         \
  X(GraphExecDestroy, cuGraphExecDestroy, (CUgraphExec executable))                                \
  X(EventCreate, cuEventCreate, (CUevent * event, unsigned int flags))                             \
  X(EventDestroy, cuEventDestroy_v2, (CUevent event))                                              \
  X(EventRecord, cuEventRecord, (CUevent event, CUstream stream))                                  \
  X(EventSynchronize, cuEventSynchronize, (CUevent event))                                         \
  X(EventElapsedTime, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop))

// Those of later versions, which a driver may lack. Of CUDA 12.0:
#define CUDA_LATER_FUNCTIONS(X)                                                                    \
  X(TensorMapEncodeTiled, cuTensorMapEncodeTiled,                                                  \
    (CUtensorMap * map, int element, uint32_t rank, void *address, const uint64_t *sizes,          \
     const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,                \
     int interleave, int swizzle, int l2_promotion, int fill))

// CUDA_FUNCTIONS(CUDA_DEFINE_POINTER) within a struct: a pointer for each, named as in the table.
#define CUDA_DEFINE_POINTER(name, symbol, parameters) CUresult(*name) parameters;
// CUDA_FUNCTIONS(CUDA_DEFINE_PROTOTYPE): the prototypes of a library that is the driver.
#define CUDA_DEFINE_PROTOTYPE(name, symbol, parameters) CUresult symbol parameters;

#endif // TUNE_TARGETS_CUDA_CUDA_API_H
