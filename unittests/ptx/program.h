//===- program.h - A module as it is run ----------------------------------------------------===//
//
// The inside of ptx.h. A function is an array of instructions whose operands are slots: places in
// the array of 64-bit words that each of its calls has,
//
//     [one, sink, what %tid and the like are][registers][constants]
//
// where constants are the literals and addresses in the text, copied in when the call begins, so
// that every operand is read alike. A slot holds its value in its low bits; what is above is
// anything, and whoever reads it looks at as many bits as the type has.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_PROGRAM_H
#define TUNE_UNITTESTS_PTX_PROGRAM_H

#include "unittests/ptx/ptx.h"
#include "unittests/ptx/tokens.h"
#include "unittests/ptx/types.h"

#include <stdbool.h>

typedef struct ptx_thread ptx_thread;
typedef struct ptx_warp ptx_warp;
typedef struct ptx_instruction ptx_instruction;
typedef struct ptx_function ptx_function;

typedef enum ptx_outcome {
  PTX_GO,
  PTX_WAIT_WARP,  // for the rest of the warp to come to the instruction
  PTX_WAIT_GROUP, // at a barrier
  PTX_EXIT,
  PTX_STOP, // the launch has failed, and says why
} ptx_outcome;

// What an instruction does to a thread, whose `pc` is at the next one already.
typedef ptx_outcome (*ptx_execute)(ptx_thread *thread, const ptx_instruction *instruction);
// What an instruction does to the lanes of `mask`, which all wait at one of its kind.
typedef ptx_outcome (*ptx_collective)(ptx_warp *warp, uint32_t mask);

enum { // slots
  PTX_SLOT_ONE,
  PTX_SLOT_SINK, // what "_" stands for
  PTX_SLOT_TID,
  PTX_SLOT_NTID = PTX_SLOT_TID + 3,
  PTX_SLOT_CTAID = PTX_SLOT_NTID + 3,
  PTX_SLOT_NCTAID = PTX_SLOT_CTAID + 3,
  PTX_SLOT_LANEID = PTX_SLOT_NCTAID + 3,
  PTX_SLOT_WARPID,
  PTX_SLOT_NWARPID,
  PTX_SLOT_LANEMASK_EQ,
  PTX_SLOT_LANEMASK_LT,
  PTX_SLOT_LANEMASK_LE,
  PTX_SLOT_LANEMASK_GT,
  PTX_SLOT_LANEMASK_GE,
  PTX_SLOT_DYNAMIC_BYTES,
  PTX_SLOT_TOTAL_BYTES,
  PTX_SLOT_CLUSTERID,
  PTX_SLOT_NCLUSTERID = PTX_SLOT_CLUSTERID + 3,
  PTX_SLOT_CLUSTER_CTAID = PTX_SLOT_NCLUSTERID + 3,
  PTX_SLOT_CLUSTER_NCTAID = PTX_SLOT_CLUSTER_CTAID + 3,
  PTX_SLOT_CLUSTER_CTARANK = PTX_SLOT_CLUSTER_NCTAID + 3,
  PTX_SLOT_CLUSTER_NCTARANK,
  PTX_SLOT_ZERO, // %smid, %gridid, …
  PTX_SLOT_REGISTERS,
};
#define PTX_CONSTANT                                                                               \
  0x80000000u // marks a slot while the function is read: the constant of this index

typedef enum ptx_space { // those that may be memory that outlives a launch come first
  PTX_GENERIC,
  PTX_GLOBAL, // and .const: memory of the process
  PTX_SHARED,
  PTX_LOCAL,
  PTX_PARAM,
} ptx_space;

// In generic addresses the upper four bits name the space; global ones are the process's own.
#define PTX_WINDOW_SHIFT 60
#define PTX_SHARED_WINDOW (UINT64_C(1) << PTX_WINDOW_SHIFT)
#define PTX_LOCAL_WINDOW (UINT64_C(2) << PTX_WINDOW_SHIFT)
#define PTX_PARAM_WINDOW (UINT64_C(3) << PTX_WINDOW_SHIFT)
// Where shared memory begins, so that an address of 0 is none.
#define PTX_SHARED_START 1024
// In addresses of shared::cluster what is above names the group, by its rank and 1; 0 is one's own.
#define PTX_CLUSTER_SHIFT 20

#define PTX_CLUSTER_MOST 8 // groups of a cluster on every device that has clusters

#define PTX_OPERANDS 24

struct ptx_instruction {
  ptx_execute execute;
  ptx_collective collective; // of those that a warp has together
  uint32_t guard;            // @%p: a slot,
  uint32_t guard_flip;       // and 1 for @!%p
  uint32_t slot[PTX_OPERANDS];
  uint32_t mask;  // the slot of a collective's mask of lanes, 0: all 32, at this very instruction
  bool gathers;   // of a collective: it is for those that have come when no other lane can go on
  uint32_t count; // what it means is the instruction's own, as with all that follow
  uint32_t flags;
  int64_t offset[2]; // of the addresses whose bases are in slots 0 and 1
  const ptx_instruction *target;
  const void *more; // ptx_call, ptx_branches
  uint8_t type, from, space, mode;
  bool base_is_32[2]; // those are registers of 32 bits
  uint64_t executed;
  const char *text, *name; // of the module's, from its guard and from its name
  uint32_t text_length, name_length;
  uint32_t line;
};

// A variable or parameter. `address` is that in its space; of a parameter and a local variable that
// from the start of the call's.
typedef struct ptx_variable {
  char *name;
  ptx_space space;
  uint64_t address;
  size_t bytes, alignment;
  bool is_dynamic; // extern .shared: what the launch gives
  unsigned scope;  // 0: of the whole function or module
} ptx_variable;

// A constant that the call's own addresses, or the launch's, are added to.
typedef enum ptx_relocation { PTX_FIXED, PTX_LOCAL_BASE, PTX_DYNAMIC_BASE } ptx_relocation;

typedef struct ptx_constant {
  uint64_t bits;
  ptx_relocation relocation;
} ptx_constant;

typedef struct ptx_parameter {
  size_t offset, bytes;
} ptx_parameter;

// Bytes to copy from the caller's param memory to the callee's, and back.
typedef struct ptx_call {
  ptx_function *callee;
  char *callee_name;
  ptx_token place;                    // of the name
  ptx_parameter *arguments, *results; // in the caller's
  size_t argument_count, result_count;
} ptx_call;

typedef struct ptx_branches {
  const ptx_instruction **targets;
  size_t count;
} ptx_branches;

struct ptx_function {
  ptx_module *module;
  char *name;
  bool is_kernel, is_defined;
  ptx_parameter *parameters, *results; // in its own param memory
  size_t parameter_count, result_count;
  size_t param_bytes, local_bytes;
  size_t shared_end; // of what it and those it calls use, from the start of shared memory
  size_t shared_alignment;
  unsigned group_limit;
  unsigned cluster[3]; // groups of a cluster
  ptx_instruction *code;
  size_t code_count;
  ptx_constant *constants;
  size_t constant_count;
  size_t slot_count; // of all three kinds
  ptx_call **calls;
  size_t call_count;
  ptx_branches **branches;
  size_t branches_count;
  void **kept; // what instructions have as `more`
  size_t kept_count;
  bool is_visited; // when what calls use is added up
};

struct ptx_module {
  char *text;
  size_t length;
  unsigned version, architecture;
  bool is_for_one; // sm_90a
  ptx_function **functions;
  size_t function_count;
  ptx_variable *variables;
  size_t variable_count;
  size_t shared_bytes;
  ptx_memory *memory; // of its variables
};

// Grows `*array`, of `count` elements of `size` bytes, where it has no place for one more; place is
// made in powers of two. False, and all as it was, where memory ran out.
bool ptx_grow(void *array, size_t count, size_t size);

ptx_function *ptx_module_find_function(ptx_module *module, const char *name, size_t length);
void ptx_function_destroy(ptx_function *function);

#endif // TUNE_UNITTESTS_PTX_PROGRAM_H
