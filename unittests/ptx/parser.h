//===- parser.h - Reading a module -----------------------------------------------------------===//
//
// What module.c (declarations), body.c (statements of a function) and operation.c (operands)
// share. All of it stops at the first thing that is wrong, which is in `status`.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_PARSER_H
#define TUNE_UNITTESTS_PTX_PARSER_H

#include "unittests/ptx/operation.h"

// .reg .b32 %r<count>, or one register.
typedef struct ptx_registers {
  const char *name;
  size_t length;
  bool is_range;
  uint32_t count, first;
  ptx_type type;
  unsigned scope;
} ptx_registers;

typedef struct ptx_label {
  const char *name;
  size_t length;
  size_t index; // of the instruction behind it
  unsigned scope;
} ptx_label;

// Where a label, which may come later, belongs.
typedef struct ptx_fixup {
  ptx_token label;
  size_t instruction;
  ptx_branches *branches; // NULL: the instruction's target; else this one of theirs
  size_t branch;
  unsigned scope;
} ptx_fixup;

// name: .branchtargets …
typedef struct ptx_branch_list {
  ptx_token name;
  ptx_branches *branches;
} ptx_branch_list;

struct ptx_parser {
  ptx_module *module;
  ptx_tokens tokens;
  tune_status status;

  ptx_function *function; // the rest is of this one
  ptx_registers *registers;
  size_t register_count;
  uint32_t next_register; // slot
  ptx_variable *variables;
  size_t variable_count;
  ptx_label *labels;
  size_t label_count;
  ptx_fixup *fixups;
  size_t fixup_count;
  ptx_branch_list *branch_lists;
  size_t branch_list_count;
  unsigned *scopes; // the parent of each; 0 is the function's
  size_t scope_count;
  unsigned scope;    // the one that is open
  uint32_t *buckets; // of constants, by their hash: index + 1
  size_t bucket_count;
};

// False, with the status set. `token` says the line.
bool ptx_parser_refuse(ptx_parser *parser, const ptx_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool ptx_parser_has_failed(const ptx_parser *parser);
bool ptx_parser_out_of_memory(ptx_parser *parser);

// Goes past `text`, or refuses what is there.
bool ptx_expect(ptx_parser *parser, const char *text);
bool ptx_expect_name(ptx_parser *parser, ptx_token *out_name);
bool ptx_expect_count(ptx_parser *parser, uint64_t most, uint64_t *out_count);
// "name", "name[n]" or, with an alignment and an initial value, the rest of a declaration behind
// its space.
typedef struct ptx_declaration {
  ptx_token name;
  ptx_type type;
  size_t alignment, bytes, elements;
  bool is_array, has_no_size;
} ptx_declaration;
bool ptx_parse_declaration(ptx_parser *parser, ptx_declaration *out);
// Adds a variable to the function's, or outside of one to the module's.
bool ptx_add_variable(ptx_parser *parser, const ptx_variable *variable, const ptx_token *name);

// From "{" to "}".
bool ptx_parse_body(ptx_parser *parser);
// An instruction, with its guard, up to ";".
bool ptx_parse_instruction(ptx_parser *parser);
// The end of a function leaves it, as ret does.
bool ptx_append_return(ptx_parser *parser);

const ptx_variable *ptx_find_variable(const ptx_parser *parser, const ptx_token *name);
uint32_t ptx_add_constant(ptx_parser *parser, uint64_t bits, ptx_relocation relocation);
bool ptx_add_fixup(ptx_parser *parser, const ptx_fixup *fixup);

#endif // TUNE_UNITTESTS_PTX_PARSER_H
