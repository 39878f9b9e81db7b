//===- body.c - The statements of a function
//----------------------------------------------------===//

#include "unittests/ptx/parser.h"

#include <stdlib.h>
#include <string.h>

#define REGISTERS_MOST (1u << 20) // of a function

// .reg .b32 %r<8>, %x;
static bool parse_registers(ptx_parser *parser) {
  ptx_token type_name, name;
  if (!ptx_expect_name(parser, &type_name))
    return false;
  ptx_type type = ptx_type_from_name(type_name.text + 1, type_name.length - 1);
  if (type == PTX_NONE)
    return ptx_parser_refuse(parser, &type_name, "a type was expected");
  if (type == PTX_B128)
    return ptx_parser_refuse(parser, &type_name, "registers of 128 bits are not known");
  do {
    if (!ptx_expect_name(parser, &name))
      return false;
    uint64_t count = 1;
    bool is_range = ptx_tokens_take(&parser->tokens, "<");
    if (is_range && (!ptx_expect_count(parser, REGISTERS_MOST, &count) || !ptx_expect(parser, ">")))
      return false;
    if (parser->next_register + count > REGISTERS_MOST)
      return ptx_parser_refuse(parser, &name, "more than %u registers", REGISTERS_MOST);
    if (!ptx_grow(&parser->registers, parser->register_count, sizeof *parser->registers))
      return ptx_parser_out_of_memory(parser);
    parser->registers[parser->register_count++] =
        (ptx_registers){name.text, name.length,  is_range, (uint32_t)count, parser->next_register,
                        type,      parser->scope};
    parser->next_register += (uint32_t)count;
  } while (ptx_tokens_take(&parser->tokens, ","));
  return ptx_expect(parser, ";");
}

static size_t round_up(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// .local, .shared or .param variables of the function.
static bool parse_variable(ptx_parser *parser, ptx_space space) {
  ptx_declaration declaration;
  do {
    if (!ptx_parse_declaration(parser, &declaration))
      return false;
    if (declaration.has_no_size)
      return ptx_parser_refuse(parser, &declaration.name, "a size was expected");
    ptx_function *function = parser->function;
    if (space == PTX_SHARED && !function->is_kernel)
      return ptx_parser_refuse(parser, &declaration.name,
                               "shared variables of functions that are no kernels are not known");
    if (space == PTX_SHARED && function->shared_end < parser->module->shared_bytes)
      function->shared_end = parser->module->shared_bytes;
    size_t *end = space == PTX_LOCAL    ? &function->local_bytes
                  : space == PTX_SHARED ? &function->shared_end
                                        : &function->param_bytes;
    size_t start = round_up(*end, declaration.alignment);
    *end = start + declaration.bytes;
    if (space == PTX_SHARED && function->shared_alignment < declaration.alignment)
      function->shared_alignment = declaration.alignment;
    ptx_variable variable = {.space = space,
                             .address = start + (space == PTX_SHARED ? PTX_SHARED_START : 0),
                             .bytes = declaration.bytes,
                             .alignment = declaration.alignment,
                             .scope = parser->scope};
    if (!ptx_add_variable(parser, &variable, &declaration.name))
      return false;
  } while (ptx_tokens_take(&parser->tokens, ","));
  return ptx_expect(parser, ";");
}

static bool parse_label(ptx_parser *parser, const ptx_token *name) {
  for (size_t i = 0; i < parser->label_count; i++)
    if (parser->labels[i].scope == parser->scope && parser->labels[i].length == name->length &&
        !memcmp(parser->labels[i].name, name->text, name->length))
      return ptx_parser_refuse(parser, name, "the label is there already");
  if (!ptx_grow(&parser->labels, parser->label_count, sizeof *parser->labels))
    return ptx_parser_out_of_memory(parser);
  parser->labels[parser->label_count++] =
      (ptx_label){name->text, name->length, parser->function->code_count, parser->scope};
  return true;
}

// label: .branchtargets a, b, c;
static bool parse_branch_targets(ptx_parser *parser, const ptx_token *name) {
  ptx_function *function = parser->function;
  ptx_branches *branches = calloc(1, sizeof *branches);
  if (!branches || !ptx_grow(&function->branches, function->branches_count, sizeof(void *)) ||
      !ptx_grow(&parser->branch_lists, parser->branch_list_count, sizeof *parser->branch_lists)) {
    free(branches);
    return ptx_parser_out_of_memory(parser);
  }
  function->branches[function->branches_count++] = branches;
  parser->branch_lists[parser->branch_list_count++] = (ptx_branch_list){*name, branches};
  do {
    ptx_fixup fixup = {.branches = branches, .branch = branches->count, .scope = parser->scope};
    if (!ptx_expect_name(parser, &fixup.label) || !ptx_add_fixup(parser, &fixup))
      return false;
    if (!ptx_grow(&branches->targets, branches->count, sizeof *branches->targets))
      return ptx_parser_out_of_memory(parser);
    branches->targets[branches->count++] = NULL;
  } while (ptx_tokens_take(&parser->tokens, ","));
  return ptx_expect(parser, ";");
}

bool ptx_add_fixup(ptx_parser *parser, const ptx_fixup *fixup) {
  if (!ptx_grow(&parser->fixups, parser->fixup_count, sizeof *parser->fixups))
    return ptx_parser_out_of_memory(parser);
  parser->fixups[parser->fixup_count++] = *fixup;
  return true;
}

static const ptx_label *find_label(const ptx_parser *parser, const ptx_token *name,
                                   unsigned scope) {
  for (;; scope = parser->scopes[scope]) {
    for (size_t i = 0; i < parser->label_count; i++)
      if (parser->labels[i].scope == scope && parser->labels[i].length == name->length &&
          !memcmp(parser->labels[i].name, name->text, name->length))
        return &parser->labels[i];
    if (!scope)
      return NULL;
  }
}

static bool resolve_labels(ptx_parser *parser) {
  ptx_function *function = parser->function;
  for (size_t i = 0; i < parser->fixup_count; i++) {
    const ptx_fixup *fixup = &parser->fixups[i];
    const ptx_label *label = find_label(parser, &fixup->label, fixup->scope);
    if (!label)
      return ptx_parser_refuse(parser, &fixup->label, "no label `%.*s` in the function",
                               (int)fixup->label.length, fixup->label.text);
    const ptx_instruction *target = &function->code[label->index];
    if (fixup->branches)
      fixup->branches->targets[fixup->branch] = target;
    else
      function->code[fixup->instruction].target = target;
  }
  return true;
}

// Constants lie behind the registers, whose number is known only now.
static void place_constants(ptx_parser *parser) {
  ptx_function *function = parser->function;
  for (size_t i = 0; i < function->code_count; i++) {
    ptx_instruction *instruction = &function->code[i];
    for (unsigned k = 0; k < PTX_OPERANDS; k++)
      if (instruction->slot[k] & PTX_CONSTANT)
        instruction->slot[k] = (instruction->slot[k] & ~PTX_CONSTANT) + parser->next_register;
    if (instruction->mask & PTX_CONSTANT)
      instruction->mask = (instruction->mask & ~PTX_CONSTANT) + parser->next_register;
  }
  function->slot_count = parser->next_register + function->constant_count;
}

static bool open_scope(ptx_parser *parser) {
  if (!ptx_grow(&parser->scopes, parser->scope_count, sizeof *parser->scopes))
    return ptx_parser_out_of_memory(parser);
  parser->scopes[parser->scope_count] = parser->scope;
  parser->scope = (unsigned)parser->scope_count++;
  return true;
}

// What was declared in the scope ends with it; its labels stay, for branches that come before them.
static void close_scope(ptx_parser *parser) {
  while (parser->register_count &&
         parser->registers[parser->register_count - 1].scope == parser->scope)
    parser->register_count--;
  while (parser->variable_count &&
         parser->variables[parser->variable_count - 1].scope == parser->scope)
    free(parser->variables[--parser->variable_count].name);
  parser->scope = parser->scopes[parser->scope];
}

static bool parse_statement(ptx_parser *parser) {
  ptx_tokens *tokens = &parser->tokens;
  ptx_token token = tokens->token;
  if (ptx_tokens_take(tokens, ";"))
    return true;
  if (ptx_tokens_take(tokens, ".reg"))
    return parse_registers(parser);
  if (ptx_tokens_take(tokens, ".local"))
    return parse_variable(parser, PTX_LOCAL);
  if (ptx_tokens_take(tokens, ".shared"))
    return parse_variable(parser, PTX_SHARED);
  if (ptx_tokens_take(tokens, ".param"))
    return parse_variable(parser, PTX_PARAM);
  if (ptx_tokens_take(tokens, ".pragma")) {
    ptx_tokens_advance(tokens);
    return ptx_expect(parser, ";");
  }
  if (ptx_tokens_at(tokens, ".loc")) { // to the end of its line
    while (tokens->token.line == token.line && tokens->token.kind != PTX_TOKEN_END)
      ptx_tokens_advance(tokens);
    return true;
  }
  if (token.kind == PTX_TOKEN_NAME && token.text[0] != '.') {
    ptx_tokens after = *tokens;
    ptx_tokens_advance(&after);
    if (ptx_tokens_take(&after, ":")) {
      *tokens = after;
      if (ptx_tokens_take(tokens, ".branchtargets"))
        return parse_branch_targets(parser, &token);
      return parse_label(parser, &token);
    }
  }
  return ptx_parse_instruction(parser);
}

static void forget_function(ptx_parser *parser) {
  for (size_t i = 0; i < parser->variable_count; i++)
    free(parser->variables[i].name);
  free(parser->registers);
  free(parser->variables);
  free(parser->labels);
  free(parser->fixups);
  free(parser->branch_lists);
  free(parser->scopes);
  free(parser->buckets);
  parser->registers = NULL;
  parser->variables = NULL;
  parser->labels = NULL;
  parser->fixups = NULL;
  parser->branch_lists = NULL;
  parser->scopes = NULL;
  parser->buckets = NULL;
  parser->register_count = parser->variable_count = parser->label_count = parser->fixup_count =
      parser->branch_list_count = parser->scope_count = parser->bucket_count = 0;
}

static bool parse_statements(ptx_parser *parser) {
  ptx_tokens *tokens = &parser->tokens;
  parser->next_register = PTX_SLOT_REGISTERS;
  parser->scope = 0;
  if (!ptx_expect(parser, "{") || !open_scope(parser))
    return false;
  for (unsigned depth = 1; depth;) {
    if (tokens->token.kind == PTX_TOKEN_END)
      return ptx_parser_refuse(parser, &tokens->token,
                               "the text ends in the middle of the function %s",
                               parser->function->name);
    if (ptx_tokens_take(tokens, "{")) {
      depth++;
      if (!open_scope(parser))
        return false;
    } else if (ptx_tokens_at(tokens, "}")) {
      if (!--depth && !ptx_append_return(parser))
        return false;
      ptx_tokens_advance(tokens);
      if (depth)
        close_scope(parser);
    } else if (!parse_statement(parser)) {
      return false;
    }
  }
  return true;
}

bool ptx_parse_body(ptx_parser *parser) {
  bool is_good = parse_statements(parser) && resolve_labels(parser);
  if (is_good)
    place_constants(parser);
  forget_function(parser);
  return is_good;
}
