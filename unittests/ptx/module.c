//===- module.c - The declarations of a module
//--------------------------------------------------===//

#include "unittests/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST (UINT64_C(1) << 30) // of a variable

bool ptx_parser_has_failed(const ptx_parser *parser) { return !tune_status_is_ok(parser->status); }

bool ptx_parser_refuse(ptx_parser *parser, const ptx_token *token, const char *format, ...) {
  if (ptx_parser_has_failed(parser))
    return false;
  const char *end = parser->module->text + parser->module->length, *start = token->text;
  while (start > parser->module->text && start[-1] != '\n')
    start--;
  start += strspn(start, " \t");
  size_t length = 0;
  while (start + length < end && start[length] != '\n' && length < 160)
    length++;
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  parser->status = tune_status_make(TUNE_INVALID_ARGUMENT, "PTX line %u, `%.*s`: %s", token->line,
                                    (int)length, start, text);
  return false;
}

bool ptx_parser_out_of_memory(ptx_parser *parser) {
  if (!ptx_parser_has_failed(parser))
    parser->status = tune_status_out_of_memory("reading PTX");
  return false;
}

bool ptx_expect(ptx_parser *parser, const char *text) {
  if (ptx_tokens_take(&parser->tokens, text))
    return true;
  const ptx_token *token = &parser->tokens.token;
  if (token->kind == PTX_TOKEN_END)
    return ptx_parser_refuse(parser, token, "the text ends where `%s` was expected", text);
  return ptx_parser_refuse(parser, token, "`%s` was expected, not `%.*s`", text, (int)token->length,
                           token->text);
}

bool ptx_expect_name(ptx_parser *parser, ptx_token *out_name) {
  *out_name = parser->tokens.token;
  if (out_name->kind != PTX_TOKEN_NAME)
    return ptx_parser_refuse(parser, out_name, "a name was expected, not `%.*s`",
                             (int)out_name->length, out_name->text);
  ptx_tokens_advance(&parser->tokens);
  return true;
}

bool ptx_expect_count(ptx_parser *parser, uint64_t most, uint64_t *out_count) {
  const ptx_token *token = &parser->tokens.token;
  if (ptx_token_number(token, out_count) != PTX_INTEGER || *out_count > most)
    return ptx_parser_refuse(parser, token, "a number up to %llu was expected, not `%.*s`",
                             (unsigned long long)most, (int)token->length, token->text);
  ptx_tokens_advance(&parser->tokens);
  return true;
}

static bool parse_alignment(ptx_parser *parser, size_t *out) {
  uint64_t alignment;
  if (!ptx_expect_count(parser, 4096, &alignment))
    return false;
  if (!alignment || alignment & (alignment - 1))
    return ptx_parser_refuse(parser, &parser->tokens.token, "an alignment is a power of two");
  *out = alignment;
  return true;
}

// What of a parameter's pointer is told: .ptr .global .align 16
static bool parse_pointee(ptx_parser *parser) {
  static const char *const spaces[] = {".global", ".const", ".shared", ".local"};
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
    ptx_tokens_take(&parser->tokens, spaces[i]);
  size_t unused;
  return !ptx_tokens_take(&parser->tokens, ".align") || parse_alignment(parser, &unused);
}

bool ptx_parse_declaration(ptx_parser *parser, ptx_declaration *out) {
  ptx_tokens *tokens = &parser->tokens;
  *out = (ptx_declaration){.elements = 1};
  if (ptx_tokens_take(tokens, ".align") && !parse_alignment(parser, &out->alignment))
    return false;
  ptx_token type;
  if (!ptx_expect_name(parser, &type))
    return false;
  out->type = ptx_type_from_name(type.text + 1, type.length - 1);
  if (out->type == PTX_NONE || out->type == PTX_PRED)
    return ptx_parser_refuse(parser, &type, "`%.*s` is no type of a variable", (int)type.length,
                             type.text);
  if (ptx_tokens_take(tokens, ".ptr") && !parse_pointee(parser))
    return false;
  if (!ptx_expect_name(parser, &out->name))
    return false;
  while (ptx_tokens_take(tokens, "[")) {
    uint64_t count = 0;
    out->is_array = true;
    if (ptx_tokens_take(tokens, "]")) {
      out->has_no_size = true;
      continue;
    }
    if (!ptx_expect_count(parser, BYTES_MOST / 16 / out->elements, &count) ||
        !ptx_expect(parser, "]"))
      return false;
    out->elements *= count;
    if (!count) {
      out->has_no_size = true;
      out->elements = 1;
    }
  }
  out->bytes = out->has_no_size ? 0 : out->elements * ptx_type_bytes(out->type);
  if (!out->alignment)
    out->alignment = ptx_type_bytes(out->type);
  return true;
}

bool ptx_add_variable(ptx_parser *parser, const ptx_variable *variable, const ptx_token *name) {
  ptx_variable **variables = parser->function ? &parser->variables : &parser->module->variables;
  size_t *count = parser->function ? &parser->variable_count : &parser->module->variable_count;
  char *copy = strndup(name->text, name->length);
  if (!copy || !ptx_grow(variables, *count, sizeof **variables)) {
    free(copy);
    return ptx_parser_out_of_memory(parser);
  }
  (*variables)[*count] = *variable;
  (*variables)[(*count)++].name = copy;
  return true;
}

// A number, or the address of a variable that came before, as `bytes` bytes at `to`.
static bool parse_initial_value(ptx_parser *parser, uint8_t *to, size_t bytes) {
  ptx_tokens *tokens = &parser->tokens;
  bool is_minus = ptx_tokens_take(tokens, "-");
  bool is_generic = ptx_tokens_take(tokens, "generic");
  if (is_generic && !ptx_expect(parser, "("))
    return false;
  uint64_t bits;
  if (tokens->token.kind == PTX_TOKEN_NAME) {
    const ptx_variable *variable = ptx_find_variable(parser, &tokens->token);
    if (!variable || variable->space != PTX_GLOBAL || bytes != 8)
      return ptx_parser_refuse(parser, &tokens->token, "no such variable of global memory");
    bits = variable->address;
  } else if (ptx_token_number(&tokens->token, &bits) == PTX_NOT_A_NUMBER) {
    return ptx_parser_refuse(parser, &tokens->token, "a value was expected");
  }
  bits = is_minus ? -bits : bits;
  memcpy(to, &bits, bytes < 8 ? bytes : 8);
  ptx_tokens_advance(tokens);
  return !is_generic || ptx_expect(parser, ")");
}

// Nested braces are as good as none: elements lie one after the other.
static bool parse_initial_values(ptx_parser *parser, const ptx_declaration *declaration,
                                 uint8_t *to) {
  ptx_tokens *tokens = &parser->tokens;
  size_t size = ptx_type_bytes(declaration->type), depth = 0;
  uint8_t *end = to + declaration->bytes;
  do {
    while (ptx_tokens_take(tokens, "{"))
      depth++;
    if (to + size > end)
      return ptx_parser_refuse(parser, &tokens->token, "more values than the variable has");
    if (!parse_initial_value(parser, to, size))
      return false;
    to += size;
    while (depth && ptx_tokens_take(tokens, "}"))
      depth--;
  } while (ptx_tokens_take(tokens, ","));
  return !depth || ptx_expect(parser, "}");
}

static bool place_global(ptx_parser *parser, const ptx_declaration *declaration,
                         ptx_variable *variable) {
  size_t alignment = declaration->alignment < 16 ? 16 : declaration->alignment;
  size_t bytes = (declaration->bytes + alignment) / alignment * alignment;
  uint8_t *memory = aligned_alloc(alignment, bytes);
  if (!memory)
    return ptx_parser_out_of_memory(parser);
  memset(memory, 0, bytes);
  variable->address = (uint64_t)(uintptr_t)memory;
  if (!ptx_add_variable(parser, variable, &declaration->name)) {
    free(memory);
    return false;
  }
  parser->status = ptx_memory_add(parser->module->memory, memory, declaration->bytes);
  return !ptx_parser_has_failed(parser) && (!ptx_tokens_take(&parser->tokens, "=") ||
                                            parse_initial_values(parser, declaration, memory));
}

// .global, .const or .shared, outside of functions.
static bool parse_module_variable(ptx_parser *parser, ptx_space space, bool is_extern) {
  ptx_declaration declaration;
  if (!ptx_parse_declaration(parser, &declaration))
    return false;
  ptx_variable variable = {
      .space = space, .bytes = declaration.bytes, .alignment = declaration.alignment};
  if (space == PTX_SHARED) {
    variable.is_dynamic = declaration.has_no_size;
    size_t *end = &parser->module->shared_bytes;
    if (!variable.is_dynamic) {
      if (parser->module->function_count)
        return ptx_parser_refuse(parser, &declaration.name,
                                 "shared variables of the module come before its functions");
      size_t start =
          (*end + declaration.alignment - 1) / declaration.alignment * declaration.alignment;
      variable.address = start + PTX_SHARED_START;
      *end = start + declaration.bytes;
    }
    return ptx_add_variable(parser, &variable, &declaration.name) && ptx_expect(parser, ";");
  }
  if (is_extern)
    return ptx_parser_refuse(parser, &declaration.name, "the module does not define the variable");
  return place_global(parser, &declaration, &variable) && ptx_expect(parser, ";");
}

// "(.param .b32 a, .param .align 8 .b8 b[16])", whose memory goes behind what the function has.
static bool parse_parameters(ptx_parser *parser, ptx_parameter **out, size_t *out_count) {
  ptx_function *function = parser->function;
  if (ptx_tokens_take(&parser->tokens, ")"))
    return true;
  do {
    ptx_declaration declaration;
    if (!ptx_expect(parser, ".param") || !ptx_parse_declaration(parser, &declaration))
      return false;
    size_t alignment = declaration.alignment;
    size_t start = (function->param_bytes + alignment - 1) / alignment * alignment;
    function->param_bytes = start + declaration.bytes;
    ptx_variable variable = {
        .space = PTX_PARAM, .address = start, .bytes = declaration.bytes, .alignment = alignment};
    if (!ptx_add_variable(parser, &variable, &declaration.name))
      return false;
    if (!ptx_grow(out, *out_count, sizeof **out))
      return ptx_parser_out_of_memory(parser);
    (*out)[(*out_count)++] = (ptx_parameter){start, declaration.bytes};
  } while (ptx_tokens_take(&parser->tokens, ","));
  return ptx_expect(parser, ")");
}

// .maxntid 64, 2, 1 and the like, up to the body.
static bool parse_directives(ptx_parser *parser) {
  static const char *const counted[] = {".maxntid",       ".reqntid", ".minnctapersm",
                                        ".maxnctapersm",  ".maxnreg", ".reqnctapercluster",
                                        ".maxclusterrank"};
  ptx_tokens *tokens = &parser->tokens;
  for (;;) {
    size_t which = 0;
    while (which < sizeof counted / sizeof *counted && !ptx_tokens_take(tokens, counted[which]))
      which++;
    if (which == sizeof counted / sizeof *counted) {
      if (ptx_tokens_take(tokens, ".noreturn") || ptx_tokens_take(tokens, ".explicitcluster"))
        continue;
      if (!ptx_tokens_take(tokens, ".pragma"))
        return true;
      ptx_tokens_advance(tokens);
      if (!ptx_expect(parser, ";"))
        return false;
      continue;
    }
    uint64_t product = 1, count;
    bool is_cluster = !strcmp(counted[which], ".reqnctapercluster");
    unsigned dimension = 0;
    do {
      if (!ptx_expect_count(parser, 1u << 20, &count))
        return false;
      product *= count;
      if (is_cluster && dimension < 3)
        parser->function->cluster[dimension++] = (unsigned)count;
    } while (product <= 1u << 20 && ptx_tokens_take(tokens, ","));
    if (is_cluster && parser->module->architecture < 90)
      return ptx_parser_refuse(parser, &tokens->token, "clusters are there from sm_90 on");
    if (is_cluster && (!product || product > PTX_CLUSTER_MOST))
      return ptx_parser_refuse(parser, &tokens->token, "a cluster has 1 to %d groups",
                               PTX_CLUSTER_MOST);
    if (which < 2 && product && product < parser->function->group_limit)
      parser->function->group_limit = (unsigned)product;
  }
}

// Where the function was declared before, the definition takes its place.
static bool add_function(ptx_parser *parser, ptx_function *function) {
  ptx_module *module = parser->module;
  for (size_t i = 0; i < module->function_count; i++)
    if (!strcmp(module->functions[i]->name, function->name)) {
      ptx_function *other = module->functions[i];
      if (function->is_defined && other->is_defined)
        return ptx_parser_refuse(parser, &parser->tokens.token, "%s is defined twice",
                                 function->name);
      if (function->is_defined)
        module->functions[i] = function;
      ptx_function_destroy(function->is_defined ? other : function);
      parser->function = NULL;
      return true;
    }
  if (!ptx_grow(&module->functions, module->function_count, sizeof *module->functions))
    return ptx_parser_out_of_memory(parser);
  module->functions[module->function_count++] = function;
  parser->function = NULL;
  return true;
}

static void forget_parameters(ptx_parser *parser) {
  for (size_t i = 0; i < parser->variable_count; i++)
    free(parser->variables[i].name);
  parser->variable_count = 0;
  free(parser->variables);
  parser->variables = NULL;
}

static bool parse_function(ptx_parser *parser, bool is_kernel) {
  ptx_function *function = calloc(1, sizeof *function);
  if (!function)
    return ptx_parser_out_of_memory(parser);
  parser->function = function;
  function->module = parser->module;
  function->is_kernel = is_kernel;
  function->group_limit = 1024;
  function->cluster[0] = function->cluster[1] = function->cluster[2] = 1;
  function->shared_alignment = 16;
  ptx_token name;
  if (!is_kernel && ptx_tokens_take(&parser->tokens, "(") &&
      !parse_parameters(parser, &function->results, &function->result_count))
    return false;
  if (!ptx_expect_name(parser, &name))
    return false;
  function->name = strndup(name.text, name.length);
  if (!function->name)
    return ptx_parser_out_of_memory(parser);
  if (ptx_tokens_take(&parser->tokens, "(") &&
      !parse_parameters(parser, &function->parameters, &function->parameter_count))
    return false;
  if (!parse_directives(parser))
    return false;
  if (ptx_tokens_take(&parser->tokens, ";")) {
    forget_parameters(parser);
    return add_function(parser, function);
  }
  function->is_defined = true;
  return ptx_parse_body(parser) && add_function(parser, function);
}

static bool parse_head(ptx_parser *parser) {
  ptx_module *module = parser->module;
  ptx_tokens *tokens = &parser->tokens;
  ptx_token name = tokens->token;
  if (!ptx_tokens_take(tokens, ".version"))
    return ptx_parser_refuse(parser, &name, "PTX begins with .version");
  unsigned major, minor;
  char text[16];
  snprintf(text, sizeof text, "%.*s", (int)tokens->token.length, tokens->token.text);
  if (sscanf(text, "%u.%u", &major, &minor) != 2 || major > 99 || minor > 9)
    return ptx_parser_refuse(parser, &tokens->token, "a version as in 8.0 was expected");
  module->version = 10 * major + minor;
  ptx_tokens_advance(tokens);
  if (!ptx_expect(parser, ".target") || !ptx_expect_name(parser, &name))
    return false;
  snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
  if (sscanf(text, "sm_%u", &module->architecture) != 1)
    return ptx_parser_refuse(parser, &name, "a target as in sm_80 was expected");
  module->is_for_one = text[strlen(text) - 1] == 'a';
  while (ptx_tokens_take(tokens, ","))
    ptx_tokens_advance(tokens);
  if (!ptx_tokens_take(tokens, ".address_size"))
    return true;
  uint64_t size;
  if (!ptx_expect_count(parser, 64, &size))
    return false;
  return size == 64 || ptx_parser_refuse(parser, &name, "addresses have 64 bits");
}

// Debug information: .file to the end of its line, .section to the end of its braces.
static bool skip_debug(ptx_parser *parser) {
  ptx_tokens *tokens = &parser->tokens;
  unsigned line = tokens->token.line;
  bool is_section = ptx_tokens_at(tokens, ".section");
  while (tokens->token.kind != PTX_TOKEN_END &&
         (is_section ? !ptx_tokens_take(tokens, "}") : tokens->token.line == line))
    ptx_tokens_advance(tokens);
  return true;
}

static bool parse_top(ptx_parser *parser) {
  ptx_tokens *tokens = &parser->tokens;
  if (ptx_tokens_at(tokens, ".file") || ptx_tokens_at(tokens, ".loc") ||
      ptx_tokens_at(tokens, ".section"))
    return skip_debug(parser);
  bool is_extern = ptx_tokens_take(tokens, ".extern");
  if (!is_extern && !ptx_tokens_take(tokens, ".visible") && !ptx_tokens_take(tokens, ".weak"))
    ptx_tokens_take(tokens, ".common");
  if (ptx_tokens_take(tokens, ".entry"))
    return parse_function(parser, true);
  if (ptx_tokens_take(tokens, ".func"))
    return parse_function(parser, false);
  if (ptx_tokens_take(tokens, ".global") || ptx_tokens_take(tokens, ".const"))
    return parse_module_variable(parser, PTX_GLOBAL, is_extern);
  if (ptx_tokens_take(tokens, ".shared"))
    return parse_module_variable(parser, PTX_SHARED, is_extern);
  return ptx_parser_refuse(parser, &tokens->token, "the emulator does not know `%.*s` here",
                           (int)tokens->token.length, tokens->token.text);
}

// Finds what calls call, and what memory is used by way of them. Calls itself along calls, at most
// once a function.
static bool link_function(ptx_parser *parser, ptx_function *function) {
  function->is_visited = true;
  for (size_t i = 0; i < function->call_count; i++) {
    ptx_call *call = function->calls[i];
    ptx_function *callee =
        ptx_module_find_function(parser->module, call->callee_name, strlen(call->callee_name));
    if (!callee || !callee->is_defined)
      return ptx_parser_refuse(parser, &call->place, "the module does not define %s",
                               call->callee_name);
    bool fits = callee->parameter_count == call->argument_count &&
                callee->result_count == call->result_count;
    for (size_t k = 0; fits && k < call->argument_count; k++)
      fits = callee->parameters[k].bytes == call->arguments[k].bytes;
    for (size_t k = 0; fits && k < call->result_count; k++)
      fits = callee->results[k].bytes == call->results[k].bytes;
    if (!fits)
      return ptx_parser_refuse(parser, &call->place, "the call of %s does not fit its parameters",
                               call->callee_name);
    call->callee = callee;
    if (!callee->is_visited && !link_function(parser, callee))
      return false;
    if (function->shared_end < callee->shared_end)
      function->shared_end = callee->shared_end;
    if (function->shared_alignment < callee->shared_alignment)
      function->shared_alignment = callee->shared_alignment;
  }
  return true;
}

static bool parse_module(ptx_parser *parser) {
  if (!parse_head(parser))
    return false;
  while (parser->tokens.token.kind != PTX_TOKEN_END)
    if (!parse_top(parser))
      return false;
  for (size_t i = 0; i < parser->module->function_count; i++)
    if (!parser->module->functions[i]->is_visited &&
        !link_function(parser, parser->module->functions[i]))
      return false;
  return true;
}

tune_status ptx_module_create(const char *text, size_t length, ptx_module **out_module) {
  *out_module = NULL;
  ptx_module *module = calloc(1, sizeof *module);
  if (!module)
    return tune_status_out_of_memory("reading PTX");
  ptx_parser parser = {.module = module};
  length = strnlen(text, length);
  module->text = strndup(text, length);
  module->length = length;
  if (!module->text)
    ptx_parser_out_of_memory(&parser);
  else
    parser.status = ptx_memory_create(&module->memory);
  if (!ptx_parser_has_failed(&parser)) {
    ptx_tokens_init(&parser.tokens, module->text, length);
    parse_module(&parser);
  }
  if (ptx_parser_has_failed(&parser)) {
    forget_parameters(&parser);
    ptx_function_destroy(parser.function);
    ptx_module_destroy(module);
    return parser.status;
  }
  *out_module = module;
  return TUNE_OK;
}
