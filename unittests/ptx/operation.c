#include "unittests/ptx/operation.h"
#include "unittests/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ptx_refuse(ptx_operation *operation, const char *format, ...) {
  if (!tune_status_is_ok(operation->status))
    return;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  operation->status = tune_status_make(TUNE_INVALID_ARGUMENT, "%s", text);
}

bool ptx_take(ptx_operation *operation, const char *part) {
  for (unsigned i = 1; i < operation->part_count; i++)
    if (!operation->taken[i] && !strcmp(operation->parts[i], part))
      return operation->taken[i] = true;
  return false;
}

int ptx_take_one_of(ptx_operation *operation, const char *const *names) {
  for (unsigned i = 1; i < operation->part_count; i++)
    for (int k = 0; !operation->taken[i] && names[k]; k++)
      if (!strcmp(operation->parts[i], names[k])) {
        operation->taken[i] = true;
        return k;
      }
  return -1;
}

static ptx_type part_type(const ptx_operation *operation, unsigned part) {
  const char *name = operation->parts[part];
  return operation->taken[part] ? PTX_NONE : ptx_type_from_name(name, strlen(name));
}

bool ptx_has_type(const ptx_operation *operation) {
  for (unsigned i = 1; i < operation->part_count; i++)
    if (part_type(operation, i) != PTX_NONE)
      return true;
  return false;
}

ptx_type ptx_take_type(ptx_operation *operation) {
  for (unsigned i = 1; i < operation->part_count; i++) {
    ptx_type type = part_type(operation, i);
    if (type != PTX_NONE) {
      operation->taken[i] = true;
      return type;
    }
  }
  ptx_refuse(operation, "%s without a type", operation->parts[0]);
  return PTX_NONE;
}

bool ptx_expect_operands(ptx_operation *operation, unsigned least, unsigned most) {
  if (operation->operand_count >= least && operation->operand_count <= most)
    return true;
  if (least == most)
    ptx_refuse(operation, "%s has %u operands, not %u", operation->parts[0], least,
               operation->operand_count);
  else
    ptx_refuse(operation, "%s has %u to %u operands, not %u", operation->parts[0], least, most,
               operation->operand_count);
  return false;
}

static uint64_t hash_of(uint64_t bits, ptx_relocation relocation) {
  uint64_t hash = (bits ^ ((uint64_t)relocation << 61)) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint32_t *find_bucket(ptx_parser *parser, uint64_t bits, ptx_relocation relocation) {
  const ptx_constant *constants = parser->function->constants;
  for (uint64_t at = hash_of(bits, relocation);; at++) {
    uint32_t *bucket = &parser->buckets[at & (parser->bucket_count - 1)];
    if (!*bucket ||
        (constants[*bucket - 1].bits == bits && constants[*bucket - 1].relocation == relocation))
      return bucket;
  }
}

// Twice the buckets, at least; they are never more than half full.
static bool grow_buckets(ptx_parser *parser) {
  const ptx_function *function = parser->function;
  size_t count = parser->bucket_count ? 2 * parser->bucket_count : 256;
  uint32_t *buckets = calloc(count, sizeof *buckets);
  if (!buckets)
    return ptx_parser_out_of_memory(parser);
  free(parser->buckets);
  parser->buckets = buckets;
  parser->bucket_count = count;
  for (size_t i = 0; i < function->constant_count; i++)
    *find_bucket(parser, function->constants[i].bits, function->constants[i].relocation) =
        (uint32_t)i + 1;
  return true;
}

uint32_t ptx_add_constant(ptx_parser *parser, uint64_t bits, ptx_relocation relocation) {
  ptx_function *function = parser->function;
  if (2 * function->constant_count >= parser->bucket_count && !grow_buckets(parser))
    return PTX_SLOT_ONE;
  uint32_t *bucket = find_bucket(parser, bits, relocation);
  if (!*bucket) {
    if (!ptx_grow(&function->constants, function->constant_count, sizeof *function->constants)) {
      ptx_parser_out_of_memory(parser);
      return PTX_SLOT_ONE;
    }
    function->constants[function->constant_count++] = (ptx_constant){bits, relocation};
    *bucket = (uint32_t)function->constant_count;
  }
  return PTX_CONSTANT | (*bucket - 1);
}

uint32_t ptx_constant_slot(ptx_operation *operation, uint64_t bits) {
  return ptx_add_constant(operation->parser, bits, PTX_FIXED);
}

// The literal's bits as those of `type`: a double is rounded to a float where one is wanted.
static uint64_t literal_bits(ptx_operation *operation, const ptx_value *value, ptx_type type) {
  if (value->number == PTX_DOUBLE_BITS && type == PTX_F32) {
    double wide;
    memcpy(&wide, &value->bits, sizeof wide);
    float narrow = (float)wide;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if ((value->number == PTX_DOUBLE_BITS && ptx_type_bits(type) != 64) ||
      (value->number == PTX_FLOAT_BITS && ptx_type_bits(type) != 32))
    ptx_refuse(operation, "a literal of %s has the wrong size", ptx_type_name(type));
  return value->bits;
}

static uint32_t symbol_slot(ptx_operation *operation, const ptx_value *value) {
  const ptx_variable *symbol = value->symbol;
  ptx_function *function = operation->parser->function;
  if (symbol->space == PTX_SHARED && !symbol->is_dynamic &&
      function->shared_end < symbol->address - PTX_SHARED_START + symbol->bytes)
    function->shared_end = symbol->address - PTX_SHARED_START + symbol->bytes;
  if (symbol->space == PTX_SHARED && function->shared_alignment < symbol->alignment)
    function->shared_alignment = symbol->alignment;
  return ptx_add_constant(operation->parser, symbol->address + value->bits,
                          symbol->is_dynamic           ? PTX_DYNAMIC_BASE
                          : symbol->space == PTX_LOCAL ? PTX_LOCAL_BASE
                                                       : PTX_FIXED);
}

// Predicates go with predicates; the other registers need only be as wide as the type.
static void check_register(ptx_operation *operation, const ptx_value *value, ptx_type type) {
  if ((value->type == PTX_PRED) != (type == PTX_PRED) ||
      ptx_type_bits(value->type) < ptx_type_bits(type))
    ptx_refuse(operation, "`%.*s` is a register of %s where one of %s was expected",
               (int)value->token.length, value->token.text, ptx_type_name(value->type),
               ptx_type_name(type));
}

static const ptx_value *element_of(ptx_operation *operation, unsigned index, unsigned element) {
  static const ptx_value none = {.kind = PTX_VALUE_NAME};
  if (index < operation->operand_count && element < operation->operands[index].count)
    return &operation->operands[index].values[element];
  ptx_refuse(operation, "%s has too few operands, or elements of them", operation->parts[0]);
  return &none;
}

static void use_value(ptx_operation *operation, const ptx_value *value, ptx_type type,
                      unsigned slot) {
  uint32_t *out = &operation->instruction->slot[slot];
  if (value->is_negated)
    ptx_refuse(operation, "`!` is not expected here");
  if (value->kind == PTX_VALUE_REGISTER) {
    check_register(operation, value, type);
    *out = value->slot;
  } else if (value->kind == PTX_VALUE_LITERAL) {
    *out = ptx_constant_slot(operation, literal_bits(operation, value, type));
  } else if (value->kind == PTX_VALUE_SYMBOL) {
    *out = symbol_slot(operation, value);
  } else {
    ptx_refuse(operation, "`%.*s` is not declared", (int)value->token.length, value->token.text);
  }
}

void ptx_use_element(ptx_operation *operation, unsigned index, unsigned element, ptx_type type,
                     unsigned slot) {
  use_value(operation, element_of(operation, index, element), type, slot);
}

// One value and no vector or address.
static bool expect_value(ptx_operation *operation, unsigned index) {
  if (index < operation->operand_count && operation->operands[index].kind == PTX_OPERAND_VALUE)
    return true;
  ptx_refuse(operation, "operand %u of %s is not what was expected", index + 1,
             operation->parts[0]);
  return false;
}

void ptx_use(ptx_operation *operation, unsigned index, ptx_type type, unsigned slot) {
  if (expect_value(operation, index))
    ptx_use_element(operation, index, 0, type, slot);
}

void ptx_define_element(ptx_operation *operation, unsigned index, unsigned element, ptx_type type,
                        unsigned slot) {
  const ptx_value *value = element_of(operation, index, element);
  if (value->kind == PTX_VALUE_SINK) {
    operation->instruction->slot[slot] = PTX_SLOT_SINK;
  } else if (value->kind == PTX_VALUE_REGISTER && value->slot >= PTX_SLOT_REGISTERS) {
    check_register(operation, value, type);
    operation->instruction->slot[slot] = value->slot;
  } else {
    ptx_refuse(operation, "`%.*s` is no register to write to", (int)value->token.length,
               value->token.text);
  }
}

void ptx_define(ptx_operation *operation, unsigned index, ptx_type type, unsigned slot) {
  if (expect_value(operation, index))
    ptx_define_element(operation, index, 0, type, slot);
}

void ptx_lay_down(ptx_operation *operation, ptx_type type, unsigned count, ptx_execute execute) {
  if (!ptx_expect_operands(operation, count + 1, count + 1))
    return;
  ptx_define(operation, 0, type, 0);
  for (unsigned k = 1; k <= count; k++)
    ptx_use(operation, k, type, k);
  operation->instruction->execute = execute;
}

void ptx_use_address(ptx_operation *operation, unsigned index, unsigned slot) {
  if (index >= operation->operand_count || operation->operands[index].kind != PTX_OPERAND_ADDRESS) {
    ptx_refuse(operation, "operand %u of %s has to be an address in [ ]", index + 1,
               operation->parts[0]);
    return;
  }
  const ptx_operand *operand = &operation->operands[index];
  const ptx_value *value = &operand->values[0];
  use_value(operation, value, PTX_B32, slot);
  operation->instruction->offset[slot] = operand->offset;
  operation->instruction->base_is_32[slot] =
      value->kind == PTX_VALUE_REGISTER && ptx_type_bits(value->type) == 32;
}

uint64_t ptx_literal(ptx_operation *operation, unsigned index) {
  const ptx_value *value = element_of(operation, index, 0);
  if (!expect_value(operation, index) || value->kind != PTX_VALUE_LITERAL ||
      value->number != PTX_INTEGER) {
    ptx_refuse(operation, "operand %u of %s has to be a literal", index + 1, operation->parts[0]);
    return 0;
  }
  return value->bits;
}

void *ptx_function_keep(ptx_operation *operation, size_t bytes) {
  ptx_function *function = operation->parser->function;
  void *memory = calloc(1, bytes);
  if (!memory || !ptx_grow(&function->kept, function->kept_count, sizeof *function->kept)) {
    free(memory);
    ptx_parser_out_of_memory(operation->parser);
    return NULL;
  }
  function->kept[function->kept_count++] = memory;
  return memory;
}

bool ptx_is_for(const ptx_operation *operation, unsigned architecture) {
  const ptx_module *module = operation->parser->module;
  return module->is_for_one && module->architecture == architecture;
}

static bool expect_name(ptx_operation *operation, unsigned index, ptx_token *out) {
  const ptx_value *value = element_of(operation, index, 0);
  *out = value->token;
  if (expect_value(operation, index) && value->kind == PTX_VALUE_NAME)
    return true;
  ptx_refuse(operation, "operand %u of %s has to be a name", index + 1, operation->parts[0]);
  return false;
}

void ptx_use_label(ptx_operation *operation, unsigned index) {
  ptx_parser *parser = operation->parser;
  ptx_fixup fixup = {.instruction = parser->function->code_count, .scope = parser->scope};
  if (expect_name(operation, index, &fixup.label))
    ptx_add_fixup(parser, &fixup);
}

void ptx_use_branches(ptx_operation *operation, unsigned index) {
  const ptx_parser *parser = operation->parser;
  ptx_token name;
  if (!expect_name(operation, index, &name))
    return;
  for (size_t i = 0; i < parser->branch_list_count; i++)
    if (parser->branch_lists[i].name.length == name.length &&
        !memcmp(parser->branch_lists[i].name.text, name.text, name.length))
      operation->instruction->more = parser->branch_lists[i].branches;
  if (!operation->instruction->more)
    ptx_refuse(operation, "no branch targets `%.*s`", (int)name.length, name.text);
}

// Where the variables that an operand (a, b) names are in param memory.
static void use_parameters(ptx_operation *operation, unsigned index, ptx_parameter **out,
                           size_t *out_count) {
  const ptx_operand *operand = &operation->operands[index];
  for (unsigned i = 0; i < operand->count; i++) {
    const ptx_value *value = &operand->values[i];
    if (value->kind != PTX_VALUE_SYMBOL || value->symbol->space != PTX_PARAM) {
      ptx_refuse(operation, "`%.*s` is no .param variable", (int)value->token.length,
                 value->token.text);
      return;
    }
    if (!ptx_grow(out, *out_count, sizeof **out)) {
      ptx_parser_out_of_memory(operation->parser);
      return;
    }
    (*out)[(*out_count)++] = (ptx_parameter){value->symbol->address, value->symbol->bytes};
  }
}

void ptx_use_call(ptx_operation *operation) {
  ptx_function *function = operation->parser->function;
  ptx_token name;
  unsigned at = operation->operand_count && operation->operands[0].kind == PTX_OPERAND_LIST;
  if (!expect_name(operation, at, &name))
    return;
  if (operation->operand_count > at + 2 || (operation->operand_count == at + 2 &&
                                            operation->operands[at + 1].kind != PTX_OPERAND_LIST)) {
    ptx_refuse(operation, "only calls as in `call (result), name, (arguments)` are known");
    return;
  }
  ptx_call *call = calloc(1, sizeof *call);
  if (!call || !ptx_grow(&function->calls, function->call_count, sizeof *function->calls)) {
    free(call);
    ptx_parser_out_of_memory(operation->parser);
    return;
  }
  function->calls[function->call_count++] = call;
  operation->instruction->more = call;
  call->place = name;
  call->callee_name = strndup(name.text, name.length);
  if (!call->callee_name)
    ptx_parser_out_of_memory(operation->parser);
  if (at)
    use_parameters(operation, 0, &call->results, &call->result_count);
  if (operation->operand_count == at + 2)
    use_parameters(operation, at + 1, &call->arguments, &call->argument_count);
}
