//===- cbor.c -----------------------------------------------------------------===//

#include "support/cbor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The first three bits of a value; what is in the other five, or in the bytes after them, depends
// on it.
typedef enum major {
  MAJOR_UNSIGNED = 0, // the number
  MAJOR_NEGATIVE = 1, // -1 less the number
  MAJOR_TEXT = 3,     // its length
  MAJOR_ARRAY = 4,    // how many values it has
  MAJOR_MAP = 5,      // how many pairs
  MAJOR_SIMPLE = 7,   // which of these it is
} major;

enum { SIMPLE_FALSE = 20, SIMPLE_TRUE = 21, SIMPLE_NULL = 22, SIMPLE_DOUBLE = 27 };

// Arguments below ONE_BYTE are in the first byte; from there on it says how many bytes they take.
enum { ONE_BYTE = 24, EIGHT_BYTES = 27 };

#define DEEPEST 32

//===- Writing ----------------------------------------------------------------===//

static void append_big_endian(tune_string_builder *bytes, uint64_t number, int size) {
  char text[8];
  for (int i = 0; i < size; ++i)
    text[i] = (char)(number >> 8 * (size - 1 - i) & 0xff);
  tune_string_builder_append_bytes(bytes, text, (size_t)size);
}

static void append_first(tune_string_builder *bytes, major kind, int rest) {
  char first = (char)(kind << 5 | rest);
  tune_string_builder_append_bytes(bytes, &first, 1);
}

static void append_head(tune_string_builder *bytes, major kind, uint64_t argument) {
  if (argument < ONE_BYTE) {
    append_first(bytes, kind, (int)argument);
    return;
  }
  int power = argument <= UINT8_MAX    ? 0
              : argument <= UINT16_MAX ? 1
              : argument <= UINT32_MAX ? 2
                                       : 3;
  append_first(bytes, kind, ONE_BYTE + power);
  append_big_endian(bytes, argument, 1 << power);
}

static void append_text(tune_string_builder *bytes, const char *text, size_t length) {
  append_head(bytes, MAJOR_TEXT, length);
  if (length)
    tune_string_builder_append_bytes(bytes, text, length);
}

static void append_integer(tune_string_builder *bytes, json_int_t number) {
  if (number >= 0)
    append_head(bytes, MAJOR_UNSIGNED, (uint64_t)number);
  else
    append_head(bytes, MAJOR_NEGATIVE, ~(uint64_t)number);
}

static void append_real(tune_string_builder *bytes, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  append_first(bytes, MAJOR_SIMPLE, SIMPLE_DOUBLE);
  append_big_endian(bytes, bits, sizeof bits);
}

static void append_array(tune_string_builder *bytes, const json_t *array) {
  size_t count = json_array_size(array);
  append_head(bytes, MAJOR_ARRAY, count);
  for (size_t i = 0; i < count; ++i)
    tune_cbor_append(bytes, json_array_get(array, i));
}

static void append_object(tune_string_builder *bytes, const json_t *object) {
  const char *name;
  json_t *value;
  append_head(bytes, MAJOR_MAP, json_object_size(object));
  json_object_foreach((json_t *)object, name, value) {
    append_text(bytes, name, strlen(name));
    tune_cbor_append(bytes, value);
  }
}

void tune_cbor_append(tune_string_builder *bytes, const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    append_object(bytes, value);
    break;
  case JSON_ARRAY:
    append_array(bytes, value);
    break;
  case JSON_STRING:
    append_text(bytes, json_string_value(value), json_string_length(value));
    break;
  case JSON_INTEGER:
    append_integer(bytes, json_integer_value(value));
    break;
  case JSON_REAL:
    append_real(bytes, json_real_value(value));
    break;
  case JSON_TRUE:
    append_first(bytes, MAJOR_SIMPLE, SIMPLE_TRUE);
    break;
  case JSON_FALSE:
    append_first(bytes, MAJOR_SIMPLE, SIMPLE_FALSE);
    break;
  case JSON_NULL:
    append_first(bytes, MAJOR_SIMPLE, SIMPLE_NULL);
    break;
  }
}

//===- Reading ----------------------------------------------------------------===//

typedef struct source {
  const uint8_t *at, *end;
  int depth;
  bool is_wrong; // else what failed is memory
} source;

static json_t *wrong(source *from) {
  from->is_wrong = true;
  return NULL;
}

// False where the bytes end before it does.
static bool read_head(source *from, major *out_kind, int *out_rest, uint64_t *out_argument) {
  if (from->at == from->end)
    return false;
  *out_kind = (major)(*from->at >> 5);
  *out_rest = *from->at++ & 31;
  *out_argument = (uint64_t)*out_rest;
  if (*out_rest < ONE_BYTE)
    return true;
  if (*out_rest > EIGHT_BYTES || from->end - from->at < 1 << (*out_rest - ONE_BYTE))
    return false;
  *out_argument = 0;
  for (int size = 1 << (*out_rest - ONE_BYTE); size > 0; --size)
    *out_argument = *out_argument << 8 | *from->at++;
  return true;
}

static json_t *read_text(source *from, uint64_t length) {
  if (length > (size_t)(from->end - from->at))
    return wrong(from);
  errno = 0;
  json_t *text = json_stringn((const char *)from->at, length);
  from->at += length;
  return text || errno == ENOMEM ? text : wrong(from); // it is not UTF-8
}

static json_t *read_value(source *from);

static json_t *read_array(source *from, uint64_t count) {
  json_t *array = json_array();
  for (uint64_t i = 0; array && i < count; ++i)
    if (json_array_append_new(array, read_value(from)) != 0) {
      json_decref(array);
      return NULL;
    }
  return array;
}

// Adds a pair to `object`, unless it has one of that name.
static bool read_pair(source *from, json_t *object) {
  json_t *name = read_value(from);
  const char *text = json_string_value(name);
  bool is_name = text && strlen(text) == json_string_length(name) && !json_object_get(object, text);
  from->is_wrong = from->is_wrong || (name && !is_name);
  bool is_set = is_name && json_object_set_new_nocheck(object, text, read_value(from)) == 0;
  json_decref(name);
  return is_set;
}

static json_t *read_object(source *from, uint64_t count) {
  json_t *object = json_object();
  for (uint64_t i = 0; object && i < count; ++i)
    if (!read_pair(from, object)) {
      json_decref(object);
      return NULL;
    }
  return object;
}

static json_t *read_simple(source *from, int rest, uint64_t argument) {
  double number;
  switch (rest) {
  case SIMPLE_FALSE:
    return json_false();
  case SIMPLE_TRUE:
    return json_true();
  case SIMPLE_NULL:
    return json_null();
  case SIMPLE_DOUBLE:
    memcpy(&number, &argument, sizeof number);
    return number - number == 0 ? json_real(number) : wrong(from); // finite
  default:
    return wrong(from);
  }
}

static json_t *read_kind(source *from, major kind, int rest, uint64_t argument) {
  switch (kind) {
  case MAJOR_UNSIGNED:
    return argument <= INT64_MAX ? json_integer((json_int_t)argument) : wrong(from);
  case MAJOR_NEGATIVE:
    return argument <= INT64_MAX ? json_integer(-1 - (json_int_t)argument) : wrong(from);
  case MAJOR_TEXT:
    return read_text(from, argument);
  case MAJOR_ARRAY:
    return read_array(from, argument);
  case MAJOR_MAP:
    return read_object(from, argument);
  case MAJOR_SIMPLE:
    return read_simple(from, rest, argument);
  default:
    return wrong(from);
  }
}

static json_t *read_value(source *from) {
  major kind;
  int rest;
  uint64_t argument;
  if (from->depth == DEEPEST || !read_head(from, &kind, &rest, &argument))
    return wrong(from);
  ++from->depth;
  json_t *value = read_kind(from, kind, rest, argument);
  --from->depth;
  return value;
}

tune_status tune_cbor_read(const void *bytes, size_t size, json_t **out_value) {
  source from = {.at = bytes, .end = (const uint8_t *)bytes + size};
  *out_value = read_value(&from);
  if (*out_value && from.at == from.end)
    return TUNE_OK;
  bool lacks_memory = !*out_value && !from.is_wrong;
  json_decref(*out_value);
  *out_value = NULL;
  return lacks_memory ? tune_status_out_of_memory("reading CBOR")
                      : tune_status_make(TUNE_DATA_LOSS, "not the CBOR of a JSON value");
}
