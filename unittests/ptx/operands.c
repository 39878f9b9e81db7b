//===- operands.c - The operands of an instruction
//------------------------------------------------===//

#include "unittests/ptx/parser.h"
#include "unittests/ptx/run.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint32_t slot;
} specials[] = {
    {"%tid.x", PTX_SLOT_TID},
    {"%tid.y", PTX_SLOT_TID + 1},
    {"%tid.z", PTX_SLOT_TID + 2},
    {"%ntid.x", PTX_SLOT_NTID},
    {"%ntid.y", PTX_SLOT_NTID + 1},
    {"%ntid.z", PTX_SLOT_NTID + 2},
    {"%ctaid.x", PTX_SLOT_CTAID},
    {"%ctaid.y", PTX_SLOT_CTAID + 1},
    {"%ctaid.z", PTX_SLOT_CTAID + 2},
    {"%nctaid.x", PTX_SLOT_NCTAID},
    {"%nctaid.y", PTX_SLOT_NCTAID + 1},
    {"%nctaid.z", PTX_SLOT_NCTAID + 2},
    {"%laneid", PTX_SLOT_LANEID},
    {"%warpid", PTX_SLOT_WARPID},
    {"%nwarpid", PTX_SLOT_NWARPID},
    {"%lanemask_eq", PTX_SLOT_LANEMASK_EQ},
    {"%lanemask_lt", PTX_SLOT_LANEMASK_LT},
    {"%lanemask_le", PTX_SLOT_LANEMASK_LE},
    {"%lanemask_gt", PTX_SLOT_LANEMASK_GT},
    {"%lanemask_ge", PTX_SLOT_LANEMASK_GE},
    {"%dynamic_smem_size", PTX_SLOT_DYNAMIC_BYTES},
    {"%total_smem_size", PTX_SLOT_TOTAL_BYTES},
    {"%clusterid.x", PTX_SLOT_CLUSTERID},
    {"%clusterid.y", PTX_SLOT_CLUSTERID + 1},
    {"%clusterid.z", PTX_SLOT_CLUSTERID + 2},
    {"%nclusterid.x", PTX_SLOT_NCLUSTERID},
    {"%nclusterid.y", PTX_SLOT_NCLUSTERID + 1},
    {"%nclusterid.z", PTX_SLOT_NCLUSTERID + 2},
    {"%cluster_ctaid.x", PTX_SLOT_CLUSTER_CTAID},
    {"%cluster_ctaid.y", PTX_SLOT_CLUSTER_CTAID + 1},
    {"%cluster_ctaid.z", PTX_SLOT_CLUSTER_CTAID + 2},
    {"%cluster_nctaid.x", PTX_SLOT_CLUSTER_NCTAID},
    {"%cluster_nctaid.y", PTX_SLOT_CLUSTER_NCTAID + 1},
    {"%cluster_nctaid.z", PTX_SLOT_CLUSTER_NCTAID + 2},
    {"%cluster_ctarank", PTX_SLOT_CLUSTER_CTARANK},
    {"%cluster_nctarank", PTX_SLOT_CLUSTER_NCTARANK},
    {"%smid", PTX_SLOT_ZERO},
    {"%gridid", PTX_SLOT_ZERO},
};

static bool find_special(const ptx_token *name, ptx_value *out) {
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (ptx_token_is(name, specials[i].name)) {
      *out = (ptx_value){
          .kind = PTX_VALUE_REGISTER, .slot = specials[i].slot, .type = PTX_B64, .token = *name};
      return true;
    }
  return false;
}

// The number at the end of `text` behind the first `prefix` characters, without zeros before it.
static bool read_index(const ptx_token *name, size_t prefix, uint32_t *out) {
  size_t digits = name->length - prefix;
  if (!digits || digits > 9 || (name->text[prefix] == '0' && digits > 1))
    return false;
  *out = 0;
  for (size_t i = prefix; i < name->length; i++) {
    if (name->text[i] < '0' || name->text[i] > '9')
      return false;
    *out = *out * 10 + (uint32_t)(name->text[i] - '0');
  }
  return true;
}

static bool find_register(const ptx_parser *parser, const ptx_token *name, ptx_value *out) {
  for (size_t i = parser->register_count; i--;) {
    const ptx_registers *r = &parser->registers[i];
    uint32_t index = 0;
    if (name->length < r->length || memcmp(name->text, r->name, r->length))
      continue;
    if (r->is_range ? !read_index(name, r->length, &index) || index >= r->count
                    : name->length != r->length)
      continue;
    *out = (ptx_value){
        .kind = PTX_VALUE_REGISTER, .slot = r->first + index, .type = r->type, .token = *name};
    return true;
  }
  return false;
}

static bool is_named(const ptx_variable *variable, const ptx_token *name) {
  return strlen(variable->name) == name->length &&
         !memcmp(variable->name, name->text, name->length);
}

const ptx_variable *ptx_find_variable(const ptx_parser *parser, const ptx_token *name) {
  for (size_t i = parser->variable_count; i--;)
    if (is_named(&parser->variables[i], name))
      return &parser->variables[i];
  for (size_t i = parser->module->variable_count; i--;)
    if (is_named(&parser->module->variables[i], name))
      return &parser->module->variables[i];
  return NULL;
}

static bool parse_value(ptx_parser *parser, ptx_value *out) {
  ptx_tokens *tokens = &parser->tokens;
  bool is_inverted = ptx_tokens_take(tokens, "!");
  bool is_minus = !is_inverted && ptx_tokens_take(tokens, "-");
  ptx_token token = tokens->token;
  *out = (ptx_value){.token = token};
  if (token.kind == PTX_TOKEN_NUMBER) {
    out->kind = PTX_VALUE_LITERAL;
    out->number = ptx_token_number(&token, &out->bits);
    if (out->number == PTX_NOT_A_NUMBER || is_inverted)
      return ptx_parser_refuse(parser, &token, "`%.*s` is no number", (int)token.length,
                               token.text);
    if (is_minus && out->number == PTX_INTEGER)
      out->bits = -out->bits;
    else if (is_minus)
      out->bits ^= out->number == PTX_FLOAT_BITS ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
  } else if (token.kind != PTX_TOKEN_NAME || is_minus) {
    return ptx_parser_refuse(parser, &token, "an operand was expected, not `%.*s`",
                             (int)token.length, token.text);
  } else if (ptx_token_is(&token, "_")) {
    out->kind = PTX_VALUE_SINK;
  } else if (!find_register(parser, &token, out) && !find_special(&token, out)) {
    out->symbol = ptx_find_variable(parser, &token);
    out->kind = out->symbol ? PTX_VALUE_SYMBOL : PTX_VALUE_NAME;
  }
  out->is_negated = is_inverted;
  ptx_tokens_advance(tokens);
  return true;
}

// The next value of the operand, which is the last of the operation's so far.
static bool add_value(ptx_parser *parser, ptx_operation *operation, ptx_operand *out) {
  if (operation->value_count == PTX_VALUES)
    return ptx_parser_refuse(parser, &parser->tokens.token, "more than %u elements of operands",
                             PTX_VALUES);
  out->count++;
  return parse_value(parser, &operation->values[operation->value_count++]);
}

static bool parse_values(ptx_parser *parser, ptx_operation *operation, ptx_operand *out,
                         const char *end) {
  if (ptx_tokens_take(&parser->tokens, end))
    return true;
  do
    if (!add_value(parser, operation, out))
      return false;
  while (ptx_tokens_take(&parser->tokens, ","));
  return ptx_expect(parser, end);
}

// "+4", "-4", "+-4" behind a base.
static bool parse_offset(ptx_parser *parser, int64_t *out) {
  ptx_tokens *tokens = &parser->tokens;
  *out = 0;
  bool has_plus = ptx_tokens_take(tokens, "+"), has_minus = ptx_tokens_take(tokens, "-");
  if (!has_plus && !has_minus)
    return true;
  uint64_t bits;
  if (ptx_token_number(&tokens->token, &bits) != PTX_INTEGER)
    return ptx_parser_refuse(parser, &tokens->token, "an offset was expected");
  *out = (int64_t)(has_minus ? -bits : bits);
  ptx_tokens_advance(tokens);
  return true;
}

// Behind "[": an address, and of a tensor map the coordinates.
static bool parse_address(ptx_parser *parser, ptx_operation *operation, ptx_operand *out) {
  ptx_tokens *tokens = &parser->tokens;
  out->kind = PTX_OPERAND_ADDRESS;
  if (!add_value(parser, operation, out) || !parse_offset(parser, &out->offset))
    return false;
  if (ptx_tokens_take(tokens, ",") &&
      (!ptx_expect(parser, "{") || !parse_values(parser, operation, out, "}")))
    return false;
  return ptx_expect(parser, "]");
}

static bool parse_operand(ptx_parser *parser, ptx_operation *operation, ptx_operand *out) {
  ptx_tokens *tokens = &parser->tokens;
  *out = (ptx_operand){.kind = PTX_OPERAND_VALUE,
                       .values = &operation->values[operation->value_count]};
  if (ptx_tokens_take(tokens, "{")) {
    out->kind = PTX_OPERAND_VECTOR;
    return parse_values(parser, operation, out, "}");
  }
  if (ptx_tokens_take(tokens, "(")) {
    out->kind = PTX_OPERAND_LIST;
    return parse_values(parser, operation, out, ")");
  }
  if (ptx_tokens_take(tokens, "["))
    return parse_address(parser, operation, out);
  if (!add_value(parser, operation, out))
    return false;
  if (out->values[0].kind == PTX_VALUE_SYMBOL) { // name+4
    int64_t offset;
    if (!parse_offset(parser, &offset))
      return false;
    out->values[0].bits = (uint64_t)offset;
  }
  if (ptx_tokens_take(tokens, "|")) {
    out->kind = PTX_OPERAND_PAIR;
    return add_value(parser, operation, out);
  }
  return true;
}

static bool parse_guard(ptx_parser *parser, ptx_instruction *instruction) {
  ptx_value guard;
  instruction->guard = PTX_SLOT_ONE;
  if (!ptx_tokens_take(&parser->tokens, "@"))
    return true;
  if (!parse_value(parser, &guard))
    return false;
  if (guard.kind != PTX_VALUE_REGISTER || guard.type != PTX_PRED)
    return ptx_parser_refuse(parser, &guard.token, "a predicate was expected behind @");
  instruction->guard = guard.slot;
  instruction->guard_flip = guard.is_negated;
  return true;
}

static bool split_name(ptx_parser *parser, ptx_operation *operation, const ptx_token *name) {
  if (name->kind != PTX_TOKEN_NAME || name->length >= sizeof operation->name ||
      name->text[0] == '%' || name->text[0] == '.')
    return ptx_parser_refuse(parser, name, "an instruction was expected, not `%.*s`",
                             (int)name->length, name->text);
  memcpy(operation->name, name->text, name->length);
  for (char *part = operation->name; part;) {
    if (operation->part_count == PTX_PARTS)
      return ptx_parser_refuse(parser, name, "the instruction's name has too many parts");
    operation->parts[operation->part_count++] = part;
    part = strchr(part, '.');
    if (part)
      *part++ = 0;
  }
  operation->taken[0] = true;
  return true;
}

static const ptx_binding *find_binding(const char *name) {
  static const ptx_binding *const tables[] = {
      ptx_integer_bindings, ptx_bit_bindings,     ptx_float_bindings,  ptx_compare_bindings,
      ptx_convert_bindings, ptx_move_bindings,    ptx_memory_bindings, ptx_atomic_bindings,
      ptx_async_bindings,   ptx_control_bindings, ptx_warp_bindings,   ptx_matrix_bindings,
      ptx_wgmma_bindings,   ptx_bulk_bindings,    ptx_cluster_bindings};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const ptx_binding *binding = tables[i]; binding->name; binding++)
      if (!strcmp(binding->name, name))
        return binding;
  return NULL;
}

// Gives what the parser has read to whoever knows the instruction.
static tune_status bind(ptx_operation *operation) {
  const ptx_binding *binding = find_binding(operation->parts[0]);
  if (!binding)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the emulator does not know the instruction %s",
                            operation->parts[0]);
  binding->bind(operation);
  for (unsigned i = 0; i < operation->part_count; i++)
    if (!operation->taken[i])
      ptx_refuse(operation, "the emulator does not know `.%s` of %s", operation->parts[i],
                 operation->parts[0]);
  if (!operation->instruction->execute)
    ptx_refuse(operation, "the emulator does not know this kind of %s", operation->parts[0]);
  return operation->status;
}

static ptx_instruction *append(ptx_parser *parser) {
  ptx_function *function = parser->function;
  if (!ptx_grow(&function->code, function->code_count, sizeof *function->code)) {
    ptx_parser_out_of_memory(parser);
    return NULL;
  }
  ptx_instruction *instruction = &function->code[function->code_count];
  memset(instruction, 0, sizeof *instruction);
  return instruction;
}

bool ptx_append_return(ptx_parser *parser) {
  ptx_instruction *instruction = append(parser);
  if (!instruction)
    return false;
  const ptx_token *end = &parser->tokens.token;
  instruction->execute = ptx_return;
  instruction->text = instruction->name = end->text;
  instruction->text_length = instruction->name_length = (uint32_t)end->length;
  instruction->line = end->line;
  parser->function->code_count++;
  return true;
}

bool ptx_parse_instruction(ptx_parser *parser) {
  ptx_tokens *tokens = &parser->tokens;
  const char *start = tokens->token.text;
  unsigned line = tokens->token.line;
  ptx_instruction *instruction = append(parser);
  if (!instruction || !parse_guard(parser, instruction))
    return false;
  ptx_token name = tokens->token;
  ptx_operation *operation = calloc(1, sizeof *operation);
  if (!operation)
    return ptx_parser_out_of_memory(parser);
  operation->parser = parser;
  operation->instruction = instruction;
  bool is_good = split_name(parser, operation, &name);
  ptx_tokens_advance(tokens);
  const unsigned most = sizeof operation->operands / sizeof *operation->operands;
  if (is_good && !ptx_tokens_at(tokens, ";"))
    do {
      is_good =
          operation->operand_count < most
              ? parse_operand(parser, operation, &operation->operands[operation->operand_count++])
              : ptx_parser_refuse(parser, &name, "more than %u operands", most);
    } while (is_good && ptx_tokens_take(tokens, ","));
  instruction->text = start;
  instruction->text_length = (uint32_t)(tokens->token.text - start);
  instruction->name = name.text;
  instruction->name_length = (uint32_t)name.length;
  instruction->line = line;
  if (is_good)
    is_good = ptx_expect(parser, ";");
  if (is_good) {
    tune_status status = bind(operation);
    if (!tune_status_is_ok(status)) {
      is_good = ptx_parser_refuse(parser, &name, "%s", tune_status_get_message(status));
      tune_status_free(status);
    }
  }
  free(operation);
  is_good = is_good && !ptx_parser_has_failed(parser);
  if (is_good)
    parser->function->code_count++;
  return is_good;
}
