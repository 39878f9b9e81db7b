//===- c_header.c -------------------------------------------------------------===//

#include "tools/tune-run/c_header.h"

#include "formats/signature.h"
#include "support/string_builder.h"

#include <ctype.h>
#include <string.h>

// How C writes an element. 16-bit floats have no type that every compiler knows.
static const char *c_type(tune_element_type type) {
  switch (type) {
  case TUNE_F16:
  case TUNE_BF16:
    return "uint16_t";
  case TUNE_F32:
    return "float";
  case TUNE_F64:
    return "double";
  case TUNE_I1:
    return "uint8_t";
  case TUNE_I8:
    return "int8_t";
  case TUNE_I16:
    return "int16_t";
  case TUNE_I32:
    return "int32_t";
  case TUNE_I64:
  case TUNE_INDEX:
    break;
  }
  return "int64_t";
}

// "mm.v2/main" gives "mm_v2_main": what is no letter of an identifier is a '_'.
static void append_identifier(tune_string_builder *text, const char *name, bool upper) {
  for (const char *c = name; *c; ++c) {
    char letter = isalnum((unsigned char)*c) ? *c : '_';
    if (upper)
      letter = (char)toupper((unsigned char)letter);
    tune_string_builder_append_bytes(text, &letter, 1);
  }
}

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// A comment must not be ended from within.
static void append_comment(tune_string_builder *text, const char *words) {
  for (const char *c = words; *c; ++c)
    tune_string_builder_append_bytes(text, *c == '/' && c != words && c[-1] == '*' ? "_" : c, 1);
}

static void append_how_to_link(tune_string_builder *text, const c_header_options *options) {
  const char *openmp = options->threads > 1 ? " -lomp" : "";
  if (strcmp(options->form, "so") == 0)
    tune_string_builder_append(text, " * Link with it, or load it by dlopen.\n");
  else
    tune_string_builder_appendf(
        text, " * %s with libtune_runtime.a -lm%s%s.\n",
        strcmp(options->form, "llvm") == 0 ? "Compile it, and link" : "Link it", openmp,
        strcmp(options->form, "asm") == 0 ? "; a C compiler takes it as it is" : "");
}

static void append_value(tune_string_builder *text, const char *name, size_t index,
                         const tune_value_type *type, const char *access) {
  char type_text[TUNE_VALUE_TYPE_TEXT];
  tune_value_type_to_text(type, type_text);
  tune_string_builder_appendf(text, " *   %s%zu  %s%s%s%s\n", name, index,
                              type->is_scalar ? "" : "tensor<", type_text,
                              type->is_scalar ? "" : ">", access);
}

static void append_introduction(tune_string_builder *text, const c_header_options *options,
                                const tune_signature *signature) {
  tune_string_builder_append(text, "/* ");
  append_comment(text, file_name(options->output));
  tune_string_builder_append(text, ": @");
  append_comment(text, options->function);
  tune_string_builder_append(text, " of ");
  append_comment(text, file_name(options->module));
  tune_string_builder_appendf(text, ", for %lld thread%s. Made by tune-run.\n",
                              (long long)options->threads, options->threads == 1 ? "" : "s");
  append_how_to_link(text, options);
  tune_string_builder_append(text, " *\n");
  for (size_t i = 0; i < signature->argument_count; ++i)
    append_value(text, "argument", i, &signature->arguments[i],
                 signature->arguments[i].is_readwrite  ? ", read and written"
                 : signature->arguments[i].is_scalar   ? ""
                 : signature->arguments[i].is_constant ? ", read, constant"
                                                       : ", read");
  for (size_t i = 0; i < signature->result_count; ++i)
    append_value(text, "result", i, &signature->results[i],
                 ", made by the call; tune_runtime_free(result.allocated) gives it back");
  if (options->packs_ahead)
    tune_string_builder_append(
        text,
        " *\n * Constant arguments are packed once, by tune_prepack, and what that gives back is\n"
        " * handed to every call. They have to stay the same, and where they are, meanwhile.\n");
  tune_string_builder_append(text, " *\n * Dimensions written ? are known only at run time. "
                                   "16-bit floats are their bits.\n */\n");
}

static bool uses_rank(const tune_signature *signature, size_t rank) {
  for (size_t i = 0; i < signature->argument_count; ++i)
    if (!signature->arguments[i].is_scalar && signature->arguments[i].rank == rank)
      return true;
  for (size_t i = 0; i < signature->result_count; ++i)
    if (signature->results[i].rank == rank)
      return true;
  return false;
}

// The descriptor of a rank, and a function that makes one of contiguous elements. Several headers
// of ours may be included together.
static void append_rank(tune_string_builder *text, size_t rank) {
  tune_string_builder_appendf(text, "\n#ifndef TUNE_TENSOR_%zu\n#define TUNE_TENSOR_%zu\n", rank,
                              rank);
  tune_string_builder_append(text, "typedef struct {\n"
                                   "  void *allocated;\n"
                                   "  void *aligned; /* the first element is at offset from it */\n"
                                   "  int64_t offset; /* in elements, as strides */\n");
  if (rank > 0)
    tune_string_builder_appendf(text, "  int64_t sizes[%zu];\n  int64_t strides[%zu];\n", rank,
                                rank);
  tune_string_builder_appendf(text, "} tune_tensor_%zu;\n\n", rank);
  tune_string_builder_appendf(text,
                              "/* Elements one after the other, the last dimension innermost. */\n"
                              "static inline tune_tensor_%zu tune_tensor_%zu_of(void *data",
                              rank, rank);
  for (size_t i = 0; i < rank; ++i)
    tune_string_builder_appendf(text, ", int64_t size%zu", i);
  tune_string_builder_appendf(text, ") {\n  tune_tensor_%zu tensor;\n", rank);
  tune_string_builder_append(text, "  tensor.allocated = tensor.aligned = data;\n"
                                   "  tensor.offset = 0;\n");
  for (size_t i = rank; i-- > 0;) {
    tune_string_builder_appendf(text, "  tensor.sizes[%zu] = size%zu;\n", i, i);
    if (i + 1 == rank)
      tune_string_builder_appendf(text, "  tensor.strides[%zu] = 1;\n", i);
    else
      tune_string_builder_appendf(text, "  tensor.strides[%zu] = tensor.strides[%zu] * size%zu;\n",
                                  i, i + 1, i + 1);
  }
  tune_string_builder_append(text, "  return tensor;\n}\n#endif\n");
}

static void append_parameters(tune_string_builder *text, const c_header_options *options,
                              const tune_signature *signature) {
  const char *separator = "";
  for (size_t i = 0; i < signature->argument_count; ++i) {
    const tune_value_type *type = &signature->arguments[i];
    if (type->is_scalar)
      tune_string_builder_appendf(text, "%s%s argument%zu", separator, c_type(type->element), i);
    else
      tune_string_builder_appendf(text, "%s%stune_tensor_%zu *argument%zu", separator,
                                  type->is_readwrite ? "" : "const ", type->rank, i);
    separator = ", ";
  }
  for (size_t i = 0; i < signature->result_count; ++i) {
    tune_string_builder_appendf(text, "%stune_tensor_%zu *result%zu", separator,
                                signature->results[i].rank, i);
    separator = ", ";
  }
  if (options->packs_ahead) {
    tune_string_builder_appendf(text, "%svoid *packed", separator);
    separator = ", ";
  }
  if (!*separator)
    tune_string_builder_append(text, "void");
}

// The function that is called once.
static void append_prepack(tune_string_builder *text, const c_header_options *options,
                           const tune_signature *signature) {
  const char *separator = "";
  tune_string_builder_append(text,
                             "\n/* Once, before the calls; tune_prepack_free(packed) takes it "
                             "back. */\nstatic inline void *tune_pack_");
  append_identifier(text, options->function, false);
  tune_string_builder_append(text, "(");
  for (size_t i = 0; i < signature->argument_count; ++i) {
    if (!signature->arguments[i].is_constant)
      continue;
    tune_string_builder_appendf(text, "%sconst tune_tensor_%zu *argument%zu", separator,
                                signature->arguments[i].rank, i);
    separator = ", ";
  }
  tune_string_builder_appendf(text, ") {\n  void *pointers[%zu] = {0};\n",
                              signature->argument_count);
  for (size_t i = 0; i < signature->argument_count; ++i)
    if (signature->arguments[i].is_constant)
      tune_string_builder_appendf(text, "  pointers[%zu] = (void *)argument%zu;\n", i, i);
  tune_string_builder_append(text, "  return tune_prepack(pointers);\n}\n");
}

static void append_call(tune_string_builder *text, const c_header_options *options,
                        const tune_signature *signature) {
  tune_string_builder_append(text, "\n/* Runs it. */\nstatic inline void tune_call_");
  append_identifier(text, options->function, false);
  tune_string_builder_append(text, "(");
  append_parameters(text, options, signature);
  tune_string_builder_append(text, ") {\n");
  if (signature->result_count) {
    tune_string_builder_append(text, "  struct {\n");
    for (size_t i = 0; i < signature->result_count; ++i)
      tune_string_builder_appendf(text, "    tune_tensor_%zu result%zu;\n",
                                  signature->results[i].rank, i);
    tune_string_builder_append(text, "  } results;\n");
  }
  tune_string_builder_appendf(text, "  void *pointers[%zu];\n",
                              signature->argument_count + 1 + options->packs_ahead);
  for (size_t i = 0; i < signature->argument_count; ++i)
    tune_string_builder_appendf(text, "  pointers[%zu] = (void *)%sargument%zu;\n", i,
                                signature->arguments[i].is_scalar ? "&" : "", i);
  tune_string_builder_appendf(text, "  pointers[%zu] = %s;\n", signature->argument_count,
                              signature->result_count ? "&results" : "0");
  if (options->packs_ahead)
    tune_string_builder_appendf(text, "  pointers[%zu] = packed;\n", signature->argument_count + 1);
  tune_string_builder_appendf(text, "  %s(pointers);\n", signature->entry);
  for (size_t i = 0; i < signature->result_count; ++i)
    tune_string_builder_appendf(text, "  *result%zu = results.result%zu;\n", i, i);
  tune_string_builder_append(text, "}\n");
}

static void append_guard(tune_string_builder *text, const char *before,
                         const c_header_options *options) {
  tune_string_builder_appendf(text, "%sTUNE_", before);
  append_identifier(text, file_name(options->output), true);
  tune_string_builder_append(text, "_H\n");
}

tune_status c_header_make(const c_header_options *options, char **out_text) {
  *out_text = NULL;
  tune_signature signature;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(options->signature, &signature));
  tune_string_builder text;
  tune_string_builder_init(&text);
  append_introduction(&text, options, &signature);
  append_guard(&text, "#ifndef ", options);
  append_guard(&text, "#define ", options);
  tune_string_builder_append(&text, "\n#include <stdint.h>\n");
  for (size_t rank = 0; rank <= TUNE_RANK_LIMIT; ++rank)
    if (uses_rank(&signature, rank))
      append_rank(&text, rank);
  tune_string_builder_appendf(&text,
                              "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                              "void %s(void **arguments);\n"
                              "void tune_runtime_free(void *memory);\n"
                              "%s"
                              "#ifdef __cplusplus\n}\n#endif\n",
                              signature.entry,
                              options->packs_ahead ? "void *tune_prepack(void **arguments);\n"
                                                     "void tune_prepack_free(void *packed);\n"
                                                   : "");
  if (options->packs_ahead)
    append_prepack(&text, options, &signature);
  append_call(&text, options, &signature);
  tune_string_builder_append(&text, "\n#endif\n");
  tune_signature_deinit(&signature);
  return tune_string_builder_finish(&text, out_text);
}
