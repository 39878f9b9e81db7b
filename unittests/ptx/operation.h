//===- operation.h - From the words of an instruction to what runs
//------------------------------===//
//
// The parser splits an instruction into the parts of its name and its operands; the binding that is
// registered for the first part picks the function that runs it and lays down its slots. Each part
// of the name has to be taken by somebody, or the instruction is refused.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_OPERATION_H
#define TUNE_UNITTESTS_PTX_OPERATION_H

#include "unittests/ptx/program.h"
#include "unittests/ptx/tokens.h"

#define PTX_PARTS 24
#define PTX_VALUES 192 // of all operands: wgmma has up to 128 accumulators

typedef enum ptx_value_kind {
  PTX_VALUE_REGISTER,
  PTX_VALUE_LITERAL,
  PTX_VALUE_SYMBOL, // the address of a variable
  PTX_VALUE_NAME,   // of a label or function, or of nothing
  PTX_VALUE_SINK,
} ptx_value_kind;

typedef struct ptx_value {
  ptx_value_kind kind;
  uint32_t slot;              // of a register
  ptx_type type;              // of a register
  ptx_number number;          // of a literal
  uint64_t bits;              // of a literal; of a symbol what to add
  const ptx_variable *symbol; // borrowed for the time of the binding
  bool is_negated;            // !p
  ptx_token token;
} ptx_value;

typedef enum ptx_operand_kind {
  PTX_OPERAND_VALUE,
  PTX_OPERAND_VECTOR,  // {a, b}
  PTX_OPERAND_PAIR,    // a|b
  PTX_OPERAND_ADDRESS, // [a+4], or [a, {b, c}] of a tensor map: the coordinates come behind a
  PTX_OPERAND_LIST,    // (a, b)
} ptx_operand_kind;

typedef struct ptx_operand {
  ptx_operand_kind kind;
  ptx_value *values; // of the operation's
  unsigned count;
  int64_t offset;
} ptx_operand;

typedef struct ptx_parser ptx_parser;

typedef struct ptx_operation {
  ptx_parser *parser;
  ptx_instruction *instruction;
  char name[128]; // with NULs for dots
  const char *parts[PTX_PARTS];
  bool taken[PTX_PARTS];
  unsigned part_count;
  ptx_operand operands[8];
  unsigned operand_count;
  ptx_value values[PTX_VALUES];
  unsigned value_count;
  tune_status status; // the first thing wrong
} ptx_operation;

typedef struct ptx_binding {
  const char *name;
  void (*bind)(ptx_operation *operation);
} ptx_binding;

// Each ends with a NULL name.
extern const ptx_binding ptx_integer_bindings[], ptx_bit_bindings[], ptx_float_bindings[],
    ptx_compare_bindings[], ptx_convert_bindings[], ptx_move_bindings[], ptx_memory_bindings[],
    ptx_atomic_bindings[], ptx_async_bindings[], ptx_control_bindings[], ptx_warp_bindings[],
    ptx_matrix_bindings[], ptx_wgmma_bindings[], ptx_bulk_bindings[], ptx_cluster_bindings[];

// The operation is not known, or not well-formed: said once, with the line, by the parser.
void ptx_refuse(ptx_operation *operation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Whether the name has this part; it is taken.
bool ptx_take(ptx_operation *operation, const char *part);
// The first part not yet taken that is one of `names` (NULL at the end): its index, or -1.
int ptx_take_one_of(ptx_operation *operation, const char *const *names);
// The first type not yet taken; refuses and PTX_NONE without one.
ptx_type ptx_take_type(ptx_operation *operation);
bool ptx_has_type(const ptx_operation *operation);
// Refuses an operation with fewer or more operands.
bool ptx_expect_operands(ptx_operation *operation, unsigned least, unsigned most);

// Lays down operand `index` (or element `element` of it) of this type in instruction->slot[slot].
// Refuses what is no register or literal, and a register that is too narrow.
void ptx_use(ptx_operation *operation, unsigned index, ptx_type type, unsigned slot);
void ptx_use_element(ptx_operation *operation, unsigned index, unsigned element, ptx_type type,
                     unsigned slot);
// The same for what is written: a register or "_".
void ptx_define(ptx_operation *operation, unsigned index, ptx_type type, unsigned slot);
void ptx_define_element(ptx_operation *operation, unsigned index, unsigned element, ptx_type type,
                        unsigned slot);
// The usual form: operand 0 is written, `count` others are read, all of this type and in slots of
// the same numbers; `execute` is what runs it, where there are as many.
void ptx_lay_down(ptx_operation *operation, ptx_type type, unsigned count, ptx_execute execute);
// The base of an address in slot[slot], 0 or 1, its offset in instruction->offset[slot].
void ptx_use_address(ptx_operation *operation, unsigned index, unsigned slot);
// A literal's value; refuses what is none.
uint64_t ptx_literal(ptx_operation *operation, unsigned index);
// The slot of a constant.
uint32_t ptx_constant_slot(ptx_operation *operation, uint64_t bits);

// Memory of `bytes` zeroes that lives as long as the function; NULL where there is none, which is
// said.
void *ptx_function_keep(ptx_operation *operation, size_t bytes);
// Whether the module is for this architecture alone, as with .target sm_90a.
bool ptx_is_for(const ptx_operation *operation, unsigned architecture);

// For control flow: a label of the function, a function, a list of labels.
void ptx_use_label(ptx_operation *operation, unsigned index);
void ptx_use_branches(ptx_operation *operation, unsigned index);
void ptx_use_call(ptx_operation *operation);
// Takes the name's space of memory; PTX_GENERIC without one.
ptx_space ptx_take_space(ptx_operation *operation);
// add, mul, min and others of floating-point types, whose names they share with integers'.
void ptx_bind_float(ptx_operation *operation);
// bar.warp.sync, of which "bar" and "warp" are taken.
void ptx_bind_warp_barrier(ptx_operation *operation);
// barrier.cluster, of which all of this is taken.
void ptx_bind_cluster_barrier(ptx_operation *operation);
// cp.async.bulk, of which all of this is taken.
void ptx_bind_bulk_copy(ptx_operation *operation);

#endif // TUNE_UNITTESTS_PTX_OPERATION_H
