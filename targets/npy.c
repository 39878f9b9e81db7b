//===- npy.c - NumPy's file format for one array -----------------------------------===//

#include "targets/npy.h"
#include "support/file.h"
#include "support/string_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// What a type is called in a header: first as it is written, then also read.
static const char *const descriptions[TUNE_ELEMENT_TYPE_COUNT][2] = {
    [TUNE_F16] = {"<f2", "<f2"},   [TUNE_BF16] = {"<u2", "|V2"}, [TUNE_F32] = {"<f4", "<f4"},
    [TUNE_F64] = {"<f8", "<f8"},   [TUNE_I1] = {"|b1", "|b1"},   [TUNE_I8] = {"|i1", "|u1"},
    [TUNE_I16] = {"<i2", "<u2"},   [TUNE_I32] = {"<i4", "<u4"},  [TUNE_I64] = {"<i8", "<u8"},
    [TUNE_INDEX] = {"<i8", "<u8"},
};

typedef struct header {
  char description[8];
  bool is_fortran_order;
  size_t rank;
  int64_t shape[TUNE_RANK_LIMIT];
} header;

//===- The header's text, a Python dictionary of three known entries --------------===//

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_blanks(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n'))
    ++c->at;
}

static bool accept(cursor *c, const char *token) {
  skip_blanks(c);
  size_t length = strlen(token);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, token, length) != 0)
    return false;
  c->at += length;
  return true;
}

static bool read_string(cursor *c, char *out_text, size_t capacity) {
  skip_blanks(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
    return false;
  char quote = *c->at++;
  size_t length = 0;
  while (c->at < c->end && *c->at != quote) {
    if (length + 1 == capacity)
      return false;
    out_text[length++] = *c->at++;
  }
  out_text[length] = '\0';
  return c->at < c->end && *c->at++ == quote;
}

static bool read_size(cursor *c, int64_t *out_size) {
  skip_blanks(c);
  *out_size = 0;
  const char *begin = c->at;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at)
    if (__builtin_mul_overflow(*out_size, 10, out_size) ||
        __builtin_add_overflow(*out_size, *c->at - '0', out_size))
      return false;
  return c->at > begin;
}

static bool read_shape(cursor *c, header *out) {
  if (!accept(c, "("))
    return false;
  while (!accept(c, ")")) {
    if (out->rank == TUNE_RANK_LIMIT || !read_size(c, &out->shape[out->rank]))
      return false;
    ++out->rank;
    if (!accept(c, ",")) // of one dimension it is "(5,)", of more "(5, 6)"
      return out->rank > 1 && accept(c, ")");
  }
  return true;
}

static bool read_entries(cursor *c, header *out) {
  unsigned seen = 0;
  if (!accept(c, "{"))
    return false;
  while (!accept(c, "}")) {
    char key[16];
    unsigned entry = 0;
    if (!read_string(c, key, sizeof key) || !accept(c, ":"))
      return false;
    if (strcmp(key, "descr") == 0) {
      entry = 1;
      if (!read_string(c, out->description, sizeof out->description))
        return false;
    } else if (strcmp(key, "fortran_order") == 0) {
      entry = 2;
      out->is_fortran_order = accept(c, "True");
      if (!out->is_fortran_order && !accept(c, "False"))
        return false;
    } else if (strcmp(key, "shape") == 0) {
      entry = 4;
      if (!read_shape(c, out))
        return false;
    }
    if (entry == 0 || seen & entry)
      return false;
    seen |= entry;
    if (!accept(c, ","))
      return seen == 7 && accept(c, "}");
  }
  return seen == 7;
}

//===- Files ----------------------------------------------------------------------===//

// Finds the header's text and the data behind it.
static tune_status split_file(const char *bytes, size_t size, cursor *out_text, cursor *out_data) {
  if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
    return tune_status_make(TUNE_DATA_LOSS, "not an .npy file");
  const unsigned char *b = (const unsigned char *)bytes;
  size_t begin = 10, length = b[8] | (size_t)b[9] << 8;
  if ((b[6] != 1 && b[6] != 2) || b[7] != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "format version %d.%d is none of 1.0 and 2.0",
                            b[6], b[7]);
  if (b[6] == 2) {
    if (size < 12)
      return tune_status_make(TUNE_DATA_LOSS, "the header is cut");
    begin = 12;
    length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  }
  if (length > size - begin)
    return tune_status_make(TUNE_DATA_LOSS, "the header is cut");
  *out_text = (cursor){bytes + begin, bytes + begin + length};
  *out_data = (cursor){bytes + begin + length, bytes + size};
  return TUNE_OK;
}

// How numpy names what a header describes; the description itself where it is none of these.
static const char *numpy_name(const char *description) {
  static const char *const NAMES[][2] = {
      {"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"},    {"c8", "complex64"},
      {"i1", "int8"},    {"i2", "int16"},   {"i4", "int32"},      {"i8", "int64"},
      {"u1", "uint8"},   {"u2", "uint16"},  {"u4", "uint32"},     {"u8", "uint64"},
      {"b1", "bool"},    {"V2", "bf16"},    {"c16", "complex128"}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (*description && strcmp(description + 1, NAMES[i][0]) == 0)
      return NAMES[i][1];
  return description;
}

// Which type it is, which one is wanted, and what makes the one of the other.
static tune_status refuse_type(const header *h, tune_element_type wanted) {
  const char *found = numpy_name(h->description), *element = tune_element_type_name(wanted);
  const char *to = wanted == TUNE_BF16 ? "ml_dtypes.bfloat16"
                   : wanted == TUNE_I1 ? "bool"
                                       : numpy_name(descriptions[wanted][0]);
  const char *module = wanted == TUNE_BF16 || wanted == TUNE_I1 ? "" : "numpy.";
  bool is_complex = strncmp(found, "complex", 7) == 0;
  if (is_complex)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the array is %s where %s is wanted; save x.real.astype(%s%s)", found,
                            element, module, to);
  if (strcmp(found, "bf16") == 0)
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "the array is bf16 where %s is wanted; save x.view(ml_dtypes.bfloat16).astype(%s%s)",
        element, module, to);
  bool may_be_bf16 = strcmp(found, "uint16") == 0 && tune_element_type_is_float(wanted);
  tune_status status = tune_status_make(
      TUNE_INVALID_ARGUMENT, "the array is %s%s where %s is wanted; save x.astype(%s%s)",
      *h->description == '>' ? "big-endian " : "", found, element, module, to);
  if (!may_be_bf16)
    return status;
  return tune_status_join(tune_status_make(TUNE_INVALID_ARGUMENT,
                                           "%s, or of bits of bf16 "
                                           "x.view(ml_dtypes.bfloat16).astype(%s%s)",
                                           tune_status_get_message(status), module, to),
                          status);
}

static tune_status check_against(const header *h, const tune_value_type *expected) {
  const char *const *names = descriptions[expected->element];
  if (strcmp(h->description, names[0]) != 0 && strcmp(h->description, names[1]) != 0)
    return refuse_type(h, expected->element);
  if (!tune_value_type_allows(expected, h->rank, h->shape)) {
    tune_value_type found = *expected;
    found.rank = h->rank;
    memcpy(found.shape, h->shape, sizeof found.shape);
    char found_text[TUNE_VALUE_TYPE_TEXT], expected_text[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&found, found_text);
    tune_value_type_to_text(expected, expected_text);
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the array is %s, expected %s", found_text,
                            expected_text);
  }
  return TUNE_OK;
}

// The bytes that an array of `type` takes, or SIZE_MAX where that is more than there could be.
static size_t byte_size(const tune_value_type *type) {
  size_t size = tune_element_type_size(type->element);
  for (size_t i = 0; i < type->rank; ++i)
    if (__builtin_mul_overflow(size, (size_t)type->shape[i], &size))
      return SIZE_MAX;
  return size;
}

// Copies `data`, which has the first dimension innermost.
static void copy_transposed(const char *data, tune_buffer *buffer) {
  const tune_value_type *type = &buffer->type;
  size_t size = tune_element_type_size(type->element), rank = type->rank;
  size_t strides[TUNE_RANK_LIMIT], index[TUNE_RANK_LIMIT] = {0};
  for (size_t d = 0, stride = size; d < rank; ++d) {
    strides[d] = stride;
    stride *= (size_t)type->shape[d];
  }
  const char *from = data;
  for (size_t at = 0; at < buffer->size; at += size) {
    memcpy((char *)buffer->data + at, from, size);
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < (size_t)type->shape[d])
        break;
      from -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

static tune_status read_bytes(const char *bytes, size_t size, const tune_value_type *expected,
                              tune_buffer *out_buffer) {
  cursor text = {0}, data = {0};
  TUNE_RETURN_IF_ERROR(split_file(bytes, size, &text, &data));
  header h = {0};
  bool is_read = read_entries(&text, &h);
  skip_blanks(&text);
  if (!is_read || text.at != text.end)
    return tune_status_make(TUNE_DATA_LOSS, "the header is damaged");
  TUNE_RETURN_IF_ERROR(check_against(&h, expected));
  tune_value_type type = *expected;
  memcpy(type.shape, h.shape, sizeof type.shape);
  size_t wanted = byte_size(&type), found = (size_t)(data.end - data.at);
  if (wanted != found)
    return tune_status_make(TUNE_DATA_LOSS, "%zu bytes of data where the shape needs %zu", found,
                            wanted);
  for (size_t i = 0; type.element == TUNE_I1 && i < wanted; ++i)
    if ((unsigned char)data.at[i] > 1)
      return tune_status_make(TUNE_DATA_LOSS, "element %zu is no bool", i);
  TUNE_RETURN_IF_ERROR(tune_buffer_init(out_buffer, &type));
  if (h.is_fortran_order && h.rank > 1)
    copy_transposed(data.at, out_buffer);
  else
    memcpy(out_buffer->data, data.at, wanted);
  return TUNE_OK;
}

tune_status tune_npy_read(const char *path, const tune_value_type *expected,
                          tune_buffer *out_buffer) {
  return tune_npy_read_named(path, path, expected, out_buffer);
}

tune_status tune_npy_read_named(const char *path, const char *name, const tune_value_type *expected,
                                tune_buffer *out_buffer) {
  memset(out_buffer, 0, sizeof *out_buffer);
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, &size));
  tune_status status = read_bytes(bytes, size, expected, out_buffer);
  free(bytes);
  return tune_status_annotate(status, "%s", name);
}

static void append_header(const tune_value_type *type, tune_string_builder *builder) {
  tune_string_builder_appendf(builder, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                              descriptions[type->element][0]);
  for (size_t i = 0; i < type->rank; ++i)
    tune_string_builder_appendf(builder, i ? ", %" PRId64 : "%" PRId64, type->shape[i]);
  tune_string_builder_append(builder, type->rank == 1 ? ",), }" : "), }");
  // The data begins on 64 bytes, after a newline.
  while ((10 + builder->length + 1) % 64 != 0 && !builder->failed)
    tune_string_builder_append(builder, " ");
  tune_string_builder_append(builder, "\n");
}

tune_status tune_npy_write(const char *path, const tune_buffer *buffer) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  append_header(&buffer->type, &text);
  size_t length = text.length;
  // 16 dimensions and three entries stay far below the 64 KiB of version 1.
  unsigned char prefix[10] = {0, 0, 0, 0, 0, 0, 1, 0, length & 255, (unsigned char)(length >> 8)};
  memcpy(prefix, magic, sizeof magic);
  tune_string_builder file;
  tune_string_builder_init(&file);
  tune_string_builder_append_bytes(&file, (const char *)prefix, sizeof prefix);
  if (text.text)
    tune_string_builder_append_bytes(&file, text.text, length);
  tune_string_builder_append_bytes(&file, buffer->data, buffer->size);
  tune_status status = text.failed || file.failed ? tune_status_out_of_memory("writing %s", path)
                                                  : tune_file_write(path, file.text, file.length);
  tune_string_builder_deinit(&text);
  tune_string_builder_deinit(&file);
  return status;
}
