//===- members.c - Structs as JSON objects, by tables of their members -------===//

#include "formats/members.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What all lists begin with, whatever their items are.
typedef struct any_list {
  void *items;
  size_t count;
} any_list;

static const void *field_of(const tune_member *member, const void *structure) {
  return (const char *)structure + member->offset;
}

static any_list list_of(const tune_member *member, const void *structure) {
  any_list list;
  memcpy(&list, field_of(member, structure), sizeof list);
  return list;
}

static size_t size_of_item(const tune_member *member) {
  switch (member->kind) {
  case TUNE_MEMBER_TEXTS:
    return sizeof(const char *);
  case TUNE_MEMBER_INTS:
    return sizeof(int);
  case TUNE_MEMBER_NUMBERS:
    return sizeof(double);
  case TUNE_MEMBER_SHAPE:
    return sizeof(int64_t);
  case TUNE_MEMBER_SHAPES:
    return sizeof(tune_shape);
  default:
    return member->size;
  }
}

static bool is_list(const tune_member *member) {
  return member->kind == TUNE_MEMBER_TEXTS || member->kind == TUNE_MEMBER_INTS ||
         member->kind == TUNE_MEMBER_NUMBERS || member->kind == TUNE_MEMBER_STRUCTS ||
         member->kind == TUNE_MEMBER_SHAPE || member->kind == TUNE_MEMBER_SHAPES;
}

// The row of one shape of a list, which is an item as a whole.
static tune_member row_of_shape(const tune_member *member) {
  return (tune_member){.name = member->name, .kind = TUNE_MEMBER_SHAPE, .least = member->least};
}

static bool is_in_range(const tune_member *member, double value) {
  return value >= member->least && (!(member->most > 0) || value <= member->most);
}

//===- Writing ----------------------------------------------------------------===//

static tune_status out_of_memory(void) {
  return tune_status_out_of_memory(
      "out of memory, or a text that is not UTF-8, while writing JSON");
}

static tune_status write_members(const tune_member *members, size_t count, const void *structure,
                                 json_t *object);

static tune_status write_list(const tune_member *member, const void *structure, json_t **out_value);

static tune_status write_item(const tune_member *member, const void *item, json_t **out_value) {
  *out_value = NULL;
  if (member->kind == TUNE_MEMBER_STRUCTS)
    return tune_members_to_json(member->members, member->member_count, item, out_value);
  tune_member shape = row_of_shape(member);
  if (member->kind == TUNE_MEMBER_SHAPES)
    return write_list(&shape, item, out_value);
  if (member->kind == TUNE_MEMBER_SHAPE)
    *out_value = json_integer(*(const int64_t *)item);
  else if (member->kind == TUNE_MEMBER_INTS)
    *out_value = json_integer(*(const int *)item);
  else if (member->kind == TUNE_MEMBER_NUMBERS)
    *out_value = json_real(*(const double *)item);
  else
    *out_value = *(const char *const *)item ? json_string(*(const char *const *)item) : json_null();
  return *out_value ? TUNE_OK : out_of_memory();
}

static tune_status write_list(const tune_member *member, const void *structure,
                              json_t **out_value) {
  any_list list = list_of(member, structure);
  *out_value = json_array();
  tune_status status = *out_value ? TUNE_OK : out_of_memory();
  for (size_t i = 0; i < list.count && tune_status_is_ok(status); ++i) {
    json_t *item;
    status = write_item(member, (const char *)list.items + i * size_of_item(member), &item);
    if (tune_status_is_ok(status) && json_array_append_new(*out_value, item) != 0)
      status = out_of_memory();
  }
  if (!tune_status_is_ok(status)) {
    json_decref(*out_value);
    *out_value = NULL;
  }
  return status;
}

// Whether a field has what an absent member stands for.
static bool is_absent(const tune_member *member, const void *structure) {
  const void *field = field_of(member, structure);
  if (member->has)
    return !*((const bool *)structure + member->has);
  switch (member->kind) {
  case TUNE_MEMBER_TEXT:
    return !*(const char *const *)field;
  case TUNE_MEMBER_OBJECT:
    return !*(const json_t *const *)field;
  case TUNE_MEMBER_FLAG:
    return !*(const bool *)field;
  case TUNE_MEMBER_INTEGER:
    return !((double)*(const int64_t *)field >= member->least);
  case TUNE_MEMBER_NUMBER:
    return !(*(const double *)field >= member->least);
  default:
    return is_list(member) && list_of(member, structure).count == 0;
  }
}

static tune_status write_value(const tune_member *member, const void *structure,
                               json_t **out_value) {
  const void *field = field_of(member, structure);
  switch (member->kind) {
  case TUNE_MEMBER_TEXT:
    *out_value = json_string(*(const char *const *)field);
    break;
  case TUNE_MEMBER_OBJECT:
    *out_value = json_incref((json_t *)*(const json_t *const *)field);
    break;
  case TUNE_MEMBER_FLAG:
    *out_value = json_boolean(*(const bool *)field);
    break;
  case TUNE_MEMBER_INTEGER:
    *out_value = json_integer(*(const int64_t *)field);
    break;
  case TUNE_MEMBER_NUMBER:
    *out_value = json_real(*(const double *)field);
    break;
  case TUNE_MEMBER_GROUP:
    return tune_members_to_json(member->members, member->member_count, field, out_value);
  case TUNE_MEMBER_THREE: {
    const int64_t *numbers = field;
    *out_value =
        json_pack("[III]", (json_int_t)numbers[0], (json_int_t)numbers[1], (json_int_t)numbers[2]);
    break;
  }
  default:
    return write_list(member, structure, out_value);
  }
  return *out_value ? TUNE_OK : out_of_memory();
}

static tune_status write_member(const tune_member *member, const void *structure, json_t *object) {
  bool absent = is_absent(member, structure);
  if (member->kind == TUNE_MEMBER_PART)
    return absent ? TUNE_OK
                  : write_members(member->members, member->member_count,
                                  field_of(member, structure), object);
  // A list that has to be there is, also where it is empty.
  bool is_empty = is_list(member) && (member->is_needed || member->is_shown);
  bool is_false = member->kind == TUNE_MEMBER_FLAG && member->is_shown;
  absent = absent && !is_empty && !is_false;
  if (absent && !member->is_shown)
    return TUNE_OK;
  json_t *value = json_null();
  if (!absent)
    TUNE_RETURN_IF_ERROR(write_value(member, structure, &value));
  return json_object_set_new(object, member->name, value) == 0 ? TUNE_OK : out_of_memory();
}

static tune_status write_members(const tune_member *members, size_t count, const void *structure,
                                 json_t *object) {
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(write_member(&members[i], structure, object));
  return TUNE_OK;
}

tune_status tune_members_to_json(const tune_member *members, size_t count, const void *structure,
                                 json_t **out_object) {
  *out_object = json_object();
  if (!*out_object)
    return out_of_memory();
  tune_status status = write_members(members, count, structure, *out_object);
  if (!tune_status_is_ok(status)) {
    json_decref(*out_object);
    *out_object = NULL;
  }
  return status;
}

//===- Reading ----------------------------------------------------------------===//

// "0 to 4096" or "a number of at least 1".
static void describe_range(const tune_member *member, const char *what, char text[96]) {
  if (member->most > 0)
    snprintf(text, 96, "%.16g to %.16g", member->least, member->most);
  else if (member->least > -0x1p63)
    snprintf(text, 96, "%s of at least %.16g", what, member->least);
  else
    snprintf(text, 96, "%s", what);
}

// That the member is missing, or is something else than its row says.
static tune_status refuse(const tune_member *member) {
  static const char *const WHAT[] = {[TUNE_MEMBER_TEXT] = "a string",
                                     [TUNE_MEMBER_OBJECT] = "an object",
                                     [TUNE_MEMBER_GROUP] = "an object",
                                     [TUNE_MEMBER_FLAG] = "true or false",
                                     [TUNE_MEMBER_INTEGER] = "an integer",
                                     [TUNE_MEMBER_NUMBER] = "a number",
                                     [TUNE_MEMBER_TEXTS] = "an array of strings",
                                     [TUNE_MEMBER_INTS] = "an array of integers",
                                     [TUNE_MEMBER_NUMBERS] = "an array of numbers",
                                     [TUNE_MEMBER_SHAPE] = "an array of integers",
                                     [TUNE_MEMBER_SHAPES] = "an array of arrays of integers",
                                     [TUNE_MEMBER_THREE] = "an array of three positive integers",
                                     [TUNE_MEMBER_STRUCTS] = "an array of objects"};
  bool is_number = member->kind == TUNE_MEMBER_INTEGER || member->kind == TUNE_MEMBER_NUMBER;
  char range[96] = "";
  if (is_number)
    describe_range(member, WHAT[member->kind], range);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected %s%s", member->name,
                          is_number ? range : WHAT[member->kind],
                          member->has_gaps ? " or null" : "");
}

static tune_status read_list(const tune_member *member, const json_t *array, void *structure);

// What is wrong within an item is said of the list.
static tune_status refuse_if_invalid(const tune_member *member, tune_status status) {
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  tune_status_free(status);
  return refuse(member);
}

static tune_status read_item(const tune_member *member, const json_t *value, void *item) {
  double number = json_number_value(value);
  tune_member shape = row_of_shape(member);
  switch (member->kind) {
  case TUNE_MEMBER_SHAPES:
    return refuse_if_invalid(member, read_list(&shape, value, item));
  case TUNE_MEMBER_SHAPE:
    if (!json_is_integer(value) || !is_in_range(member, number))
      return refuse(member);
    *(int64_t *)item = json_integer_value(value);
    return TUNE_OK;
  case TUNE_MEMBER_STRUCTS:
    if (!json_is_object(value))
      return refuse(member);
    return tune_members_from_json(member->members, member->member_count, value, item);
  case TUNE_MEMBER_INTS:
    if (!json_is_integer(value) || !is_in_range(member, number) || number < INT_MIN ||
        number > INT_MAX)
      return refuse(member);
    *(int *)item = (int)number;
    return TUNE_OK;
  case TUNE_MEMBER_NUMBERS:
    if (!json_is_number(value) || !is_in_range(member, number))
      return refuse(member);
    *(double *)item = number;
    return TUNE_OK;
  default:
    if (!json_is_string(value) && !(member->has_gaps && json_is_null(value)))
      return refuse(member);
    *(const char **)item = json_string_value(value);
    return TUNE_OK;
  }
}

// Of "argument", which is one of "arguments".
static int length_of_one(const char *name) {
  size_t length = strlen(name);
  return (int)(length > 1 && name[length - 1] == 's' ? length - 1 : length);
}

static tune_status read_list(const tune_member *member, const json_t *array, void *structure) {
  if (!json_is_array(array))
    return refuse(member);
  size_t count = json_array_size(array), size = size_of_item(member);
  // One more than needed, so that an empty one is no empty allocation.
  any_list list = {.items = calloc(count + 1, size)};
  if (!list.items)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading \"%s\"", member->name);
  tune_status status = TUNE_OK;
  while (list.count < count && tune_status_is_ok(status)) {
    status = read_item(member, json_array_get(array, list.count),
                       (char *)list.items + list.count * size);
    if (!tune_status_is_ok(status) && member->kind == TUNE_MEMBER_STRUCTS)
      status = tune_status_annotate(status, "%.*s %zu", length_of_one(member->name), member->name,
                                    list.count);
    // A shape that was read in part is to be freed as well.
    list.count += tune_status_is_ok(status) || member->kind == TUNE_MEMBER_SHAPES;
  }
  memcpy((char *)structure + member->offset, &list, sizeof list); // freed with the whole
  return status;
}

static tune_status read_three(const tune_member *member, const json_t *array, int64_t *numbers) {
  for (size_t i = 0; i < 3; ++i) {
    const json_t *number = json_array_get(array, i);
    if (json_array_size(array) != 3 || !json_is_integer(number) || json_integer_value(number) < 1 ||
        !is_in_range(member, json_number_value(number)))
      return refuse(member);
    numbers[i] = json_integer_value(number);
  }
  return TUNE_OK;
}

static tune_status read_value(const tune_member *member, const json_t *value, void *structure) {
  void *field = (char *)structure + member->offset;
  switch (member->kind) {
  case TUNE_MEMBER_TEXT:
    *(const char **)field = json_string_value(value);
    return json_is_string(value) ? TUNE_OK : refuse(member);
  case TUNE_MEMBER_OBJECT:
    *(const json_t **)field = value;
    return json_is_object(value) ? TUNE_OK : refuse(member);
  case TUNE_MEMBER_FLAG:
    *(bool *)field = json_is_true(value);
    return json_is_boolean(value) ? TUNE_OK : refuse(member);
  case TUNE_MEMBER_INTEGER:
    *(int64_t *)field = json_integer_value(value);
    return json_is_integer(value) && is_in_range(member, (double)json_integer_value(value))
               ? TUNE_OK
               : refuse(member);
  case TUNE_MEMBER_NUMBER:
    *(double *)field = json_number_value(value);
    return json_is_number(value) && is_in_range(member, json_number_value(value)) ? TUNE_OK
                                                                                  : refuse(member);
  case TUNE_MEMBER_THREE:
    return read_three(member, value, field);
  default:
    return read_list(member, value, structure);
  }
}

static tune_status read_members(const tune_member *members, size_t count, const json_t *object,
                                void *structure);

static tune_status read_member(const tune_member *member, const json_t *object, void *structure) {
  void *field = (char *)structure + member->offset;
  bool is_part = member->kind == TUNE_MEMBER_PART;
  const json_t *value = json_object_get(object, is_part ? member->members->name : member->name);
  bool is_there = value && !json_is_null(value);
  if (member->has)
    *((bool *)structure + member->has) = is_there;
  if (is_part)
    return member->has && !is_there
               ? TUNE_OK
               : read_members(member->members, member->member_count, object, field);
  if (member->kind == TUNE_MEMBER_GROUP) {
    if (is_there && !json_is_object(value))
      return refuse(member);
    if (member->has && !is_there)
      return TUNE_OK;
    return tune_status_annotate(
        read_members(member->members, member->member_count, is_there ? value : NULL, field), "%s",
        member->name);
  }
  if (is_there)
    return read_value(member, value, structure);
  if (member->kind == TUNE_MEMBER_INTEGER)
    *(int64_t *)field = (int64_t)member->otherwise;
  if (member->kind == TUNE_MEMBER_NUMBER)
    *(double *)field = member->otherwise;
  return member->is_needed ? refuse(member) : TUNE_OK;
}

static tune_status read_members(const tune_member *members, size_t count, const json_t *object,
                                void *structure) {
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(read_member(&members[i], object, structure));
  return TUNE_OK;
}

tune_status tune_members_from_json(const tune_member *members, size_t count, const json_t *object,
                                   void *structure) {
  tune_status status = read_members(members, count, object, structure);
  if (!tune_status_is_ok(status))
    tune_members_deinit(members, count, structure);
  return status;
}

void tune_members_deinit(const tune_member *members, size_t count, void *structure) {
  for (size_t i = 0; i < count; ++i) {
    const tune_member *member = &members[i];
    void *field = (char *)structure + member->offset;
    if (member->kind == TUNE_MEMBER_GROUP || member->kind == TUNE_MEMBER_PART)
      tune_members_deinit(member->members, member->member_count, field);
    if (!is_list(member))
      continue;
    any_list list = list_of(member, structure);
    tune_member shape = row_of_shape(member);
    bool is_of_shapes = member->kind == TUNE_MEMBER_SHAPES;
    for (size_t j = 0; (is_of_shapes || member->kind == TUNE_MEMBER_STRUCTS) && j < list.count; ++j)
      tune_members_deinit(is_of_shapes ? &shape : member->members,
                          is_of_shapes ? 1 : member->member_count,
                          (char *)list.items + j * size_of_item(member));
    free(list.items);
    memset(field, 0, sizeof list);
  }
}
