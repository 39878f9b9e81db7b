//===- array_file.c - Several arrays in one file -----------------------------===//

#include "tuning/arrays/array_file.h"

#include "support/file.h"
#include "support/string_builder.h"
#include "targets/npy.h"
#include "tuning/arrays/zip.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARRAYS 65536
// A header of safetensors that is larger is none.
#define LONGEST_HEADER ((uint64_t)100 << 20)
#define NO_NUMBER UINT64_MAX

typedef struct unpacking {
  const char *folder, *prefix;
  tune_array_file *arrays;
} unpacking;

//===- Items --------------------------------------------------------------------===//

// Names of files are made of letters, digits, dots, dashes and underscores.
static void append_file_name(const char *name, tune_string_builder *text) {
  for (size_t i = 0; name[i] && i < 64; ++i) {
    bool is_plain = isalnum((unsigned char)name[i]) || strchr("._-", name[i]);
    tune_string_builder_append_bytes(text, is_plain ? &name[i] : "_", 1);
  }
}

static tune_status add_item(unpacking *u, const char *name, size_t length,
                            tune_array_file_item **out_item) {
  tune_array_file *arrays = u->arrays;
  if (arrays->count == MOST_ARRAYS)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "there are more than %d arrays", MOST_ARRAYS);
  tune_array_file_item *items = realloc(arrays->items, (arrays->count + 1) * sizeof *items);
  if (!items)
    return tune_status_out_of_memory("unpacking arrays");
  arrays->items = items;
  tune_array_file_item *item = &items[arrays->count];
  *item = (tune_array_file_item){.name = strndup(name, length)};
  if (!item->name)
    return tune_status_out_of_memory("unpacking arrays");
  tune_string_builder path;
  tune_string_builder_init(&path);
  tune_string_builder_appendf(&path, "%s/%s%zu-", u->folder, u->prefix, arrays->count);
  append_file_name(item->name, &path);
  tune_string_builder_append(&path, ".npy");
  ++arrays->count;
  *out_item = item;
  return tune_string_builder_finish(&path, &item->path);
}

static tune_status take_zipped(void *user, const char *name, size_t length, const char *bytes,
                               size_t size) {
  static const char ending[] = ".npy";
  size_t ending_length = sizeof ending - 1;
  if (length > ending_length && memcmp(name + length - ending_length, ending, ending_length) == 0)
    length -= ending_length;
  tune_array_file_item *item;
  TUNE_RETURN_IF_ERROR(add_item(user, name, length, &item));
  return tune_file_write(item->path, bytes, size);
}

//===- safetensors --------------------------------------------------------------===//

static tune_status parse_type(const char *name, tune_element_type *out_type) {
  static const struct {
    const char *name;
    tune_element_type type;
  } types[] = {{"F64", TUNE_F64}, {"F32", TUNE_F32}, {"F16", TUNE_F16}, {"BF16", TUNE_BF16},
               {"I64", TUNE_I64}, {"I32", TUNE_I32}, {"I16", TUNE_I16}, {"I8", TUNE_I8},
               {"U64", TUNE_I64}, {"U32", TUNE_I32}, {"U16", TUNE_I16}, {"U8", TUNE_I8},
               {"BOOL", TUNE_I1}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (name && strcmp(name, types[i].name) == 0) {
      *out_type = types[i].type;
      return TUNE_OK;
    }
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "the type is '%s'; F64, F32, F16, BF16, integers of 8 to 64 bits and BOOL "
      "are read",
      name ? name : "none");
}

static tune_status read_type(const json_t *object, size_t size, tune_value_type *out_type) {
  const json_t *shape = json_object_get(object, "shape");
  *out_type = (tune_value_type){.rank = json_array_size(shape)};
  TUNE_RETURN_IF_ERROR(
      parse_type(json_string_value(json_object_get(object, "dtype")), &out_type->element));
  if (!json_is_array(shape) || out_type->rank > TUNE_RANK_LIMIT)
    return tune_status_make(TUNE_DATA_LOSS, "its \"shape\" is none");
  size_t bytes = tune_element_type_size(out_type->element);
  for (size_t i = 0; i < out_type->rank; ++i) {
    const json_t *dimension = json_array_get(shape, i);
    out_type->shape[i] = json_integer_value(dimension);
    if (!json_is_integer(dimension) || out_type->shape[i] < 0 ||
        __builtin_mul_overflow(bytes, (size_t)out_type->shape[i], &bytes))
      return tune_status_make(TUNE_DATA_LOSS, "its \"shape\" is none");
  }
  return bytes == size
             ? TUNE_OK
             : tune_status_make(TUNE_DATA_LOSS, "%zu bytes of data where its shape needs %zu", size,
                                bytes);
}

static tune_status take_tensor(unpacking *u, const char *name, const json_t *object,
                               const char *data, size_t size) {
  const json_t *offsets = json_object_get(object, "data_offsets");
  json_int_t begin = json_integer_value(json_array_get(offsets, 0));
  json_int_t end = json_integer_value(json_array_get(offsets, 1));
  if (json_array_size(offsets) != 2 || begin < 0 || end < begin || (uint64_t)end > size)
    return tune_status_make(TUNE_DATA_LOSS, "its data is not within the file");
  tune_buffer buffer = {.data = (char *)(uintptr_t)data + begin, .size = (size_t)(end - begin)};
  TUNE_RETURN_IF_ERROR(read_type(object, buffer.size, &buffer.type));
  tune_array_file_item *item;
  TUNE_RETURN_IF_ERROR(add_item(u, name, strlen(name), &item));
  return tune_npy_write(item->path, &buffer);
}

static tune_status read_safetensors(unpacking *u, const char *bytes, size_t size) {
  uint64_t length = 0;
  for (size_t i = 8; size >= 8 && i-- > 0;)
    length = length << 8 | (unsigned char)bytes[i];
  if (size < 8 || length > size - 8 || length > LONGEST_HEADER)
    return tune_status_make(TUNE_DATA_LOSS, "not a .safetensors file, or cut");
  json_error_t error;
  json_t *header = json_loadb(bytes + 8, length, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(header)) {
    json_decref(header);
    return tune_status_make(TUNE_DATA_LOSS, "its header is no JSON object");
  }
  tune_status status = TUNE_OK;
  const char *name;
  json_t *object;
  json_object_foreach(header, name, object) {
    if (strcmp(name, "__metadata__") == 0 || !tune_status_is_ok(status))
      continue;
    status = tune_status_annotate(
        take_tensor(u, name, object, bytes + 8 + length, size - 8 - length), "%s", name);
  }
  json_decref(header);
  return status;
}

//===- Order --------------------------------------------------------------------===//

// How long the word before the number at the end of a name is, and that number.
static size_t split_name(const char *name, uint64_t *out_number) {
  size_t length = strlen(name), word = length;
  while (word > 0 && isdigit((unsigned char)name[word - 1]))
    --word;
  *out_number = word < length && length - word < 19 ? strtoull(name + word, NULL, 10) : NO_NUMBER;
  return word;
}

static int compare_numbers(const void *left, const void *right) {
  uint64_t a, b;
  split_name(((const tune_array_file_item *)left)->name, &a);
  split_name(((const tune_array_file_item *)right)->name, &b);
  return a < b ? -1 : a > b;
}

static void sort_by_numbers(tune_array_file *arrays) {
  for (size_t i = 0; i < arrays->count; ++i) {
    uint64_t number;
    size_t word = split_name(arrays->items[i].name, &number);
    if (number == NO_NUMBER || split_name(arrays->items[0].name, &number) != word ||
        memcmp(arrays->items[i].name, arrays->items[0].name, word) != 0)
      return;
  }
  if (arrays->count > 1)
    qsort(arrays->items, arrays->count, sizeof *arrays->items, compare_numbers);
}

static int compare_names(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// A name stands for an argument: of two arrays of one name nobody knows which is meant.
static tune_status check_names(const tune_array_file *arrays) {
  if (arrays->count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "there is no array in it");
  const char **names = calloc(arrays->count, sizeof *names);
  if (!names)
    return tune_status_out_of_memory("unpacking arrays");
  for (size_t i = 0; i < arrays->count; ++i)
    names[i] = arrays->items[i].name;
  qsort(names, arrays->count, sizeof *names, compare_names);
  tune_status status = TUNE_OK;
  for (size_t i = 1; i < arrays->count && tune_status_is_ok(status); ++i)
    if (strcmp(names[i - 1], names[i]) == 0)
      status = tune_status_make(TUNE_INVALID_ARGUMENT, "two arrays have the name '%s'", names[i]);
  free(names);
  return status;
}

static bool ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), of = strlen(ending);
  return length >= of && strcmp(text + length - of, ending) == 0;
}

tune_status tune_array_file_unpack(const char *path, const char *folder, const char *prefix,
                                   tune_array_file *out_arrays) {
  *out_arrays = (tune_array_file){0};
  bool is_zip = ends_with(path, ".npz");
  if (!is_zip && !ends_with(path, ".safetensors"))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: several arrays are read from a .npz or .safetensors file", path);
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, &size));
  unpacking u = {folder, prefix, out_arrays};
  tune_status status =
      is_zip ? tune_zip_read(bytes, size, take_zipped, &u) : read_safetensors(&u, bytes, size);
  free(bytes);
  if (tune_status_is_ok(status))
    status = check_names(out_arrays);
  sort_by_numbers(out_arrays);
  return tune_status_annotate(status, "%s", path);
}

void tune_array_file_deinit(tune_array_file *arrays) {
  for (size_t i = 0; i < arrays->count; ++i) {
    free(arrays->items[i].name);
    free(arrays->items[i].path);
  }
  free(arrays->items);
  *arrays = (tune_array_file){0};
}
