//===- members.h - Structs as JSON objects, by tables of their members -------===//
//
// A message is a struct, and a table says which of its fields is which member of the JSON object:
// the name of a member stands in its row alone, which reads and writes it. The row takes the name
// and the type from the field, so that the three are the same:
//
//     typedef struct limits { double seconds, bytes; } limits;
//     static const tune_member limits_members[] = {{TUNE_MEMBER(limits, seconds), .least = 1e-3},
//                                                  {TUNE_MEMBER(limits, bytes)}};
//     TUNE_FORMAT_DEFINE(limits, limits_members)   // limits_to_json, _from_json and _deinit
//
// | field            | JSON                                                     | absent   |
// | const char *     | a string                                                 | NULL     |
// | const json_t *   | an object, taken as it is                                | NULL     |
// | bool             | true or false                                            | false    |
// | int64_t, double  | an integer, a number, in the row's range                 | otherwise |
// | tune_text_list, tune_int_list, tune_number_list | an array of these         | empty, and no
// items | | tune_shape       | an array of integers, of 64 bits                         | empty |
// | tune_shape_list  | an array of such arrays                                  | empty    |
// | int64_t[3]       | an array of three positive integers                      | as it was |
// | a struct (TUNE_GROUP) | an object of its own, {} where it is absent         |          |
// | a struct (TUNE_PART)  | members of the same object                          |          |
// | a struct (TUNE_OPTIONAL_PART) | the same, all of them or none, as the first says |     |
// | a list of structs (TUNE_STRUCTS) | an array of objects                      | empty    |
//
// Null is as good as absent, and so is, when it is written, what the table calls absent and a
// number below the least one; any row may have a flag beside it instead, TUNE_OPTIONAL; and a row
// may want something written all the same. Members that no row knows are no business of the
// reader.
//
// Ownership: texts and objects of what was read are borrowed from the JSON, and have to be while it
// is used; lists are its own, until it is deinitialized. What is written may borrow all of it.
// Threads: any; tables are constant.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MEMBERS_H
#define TUNE_FORMATS_MEMBERS_H

#include "support/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_text_list {
  const char **items; // NULL only where the row says that there may be gaps: null
  size_t count;
} tune_text_list;

typedef struct tune_int_list {
  int *items;
  size_t count;
} tune_int_list;

typedef struct tune_number_list {
  double *items;
  size_t count;
} tune_number_list;

// Sizes of the dimensions of a tensor.
typedef struct tune_shape {
  int64_t *items;
  size_t count;
} tune_shape;

typedef struct tune_shape_list {
  tune_shape *items;
  size_t count;
} tune_shape_list;

typedef enum tune_member_kind {
  TUNE_MEMBER_TEXT,
  TUNE_MEMBER_OBJECT,
  TUNE_MEMBER_FLAG,
  TUNE_MEMBER_INTEGER,
  TUNE_MEMBER_NUMBER,
  TUNE_MEMBER_TEXTS,
  TUNE_MEMBER_INTS,
  TUNE_MEMBER_NUMBERS,
  TUNE_MEMBER_SHAPE,
  TUNE_MEMBER_SHAPES,
  TUNE_MEMBER_THREE,
  TUNE_MEMBER_GROUP,
  TUNE_MEMBER_PART,
  TUNE_MEMBER_STRUCTS,
} tune_member_kind;

typedef struct tune_member tune_member;
struct tune_member {
  const char *name;
  tune_member_kind kind;
  size_t offset;              // in the struct
  const tune_member *members; // of a struct
  size_t member_count;
  size_t size;      // of a struct in a list
  size_t has;       // where the bool is that says whether it is there; 0: none
  bool is_needed;   // it is an error where it is absent
  bool is_shown;    // it is written also where it is absent: null, false or an empty list
  bool has_gaps;    // of a list of texts: null is one, too
  double least;     // of numbers, those of lists too
  double most;      // 0: there is none
  double otherwise; // a number that is absent
};

// The first members of a row; a comma, and others of `tune_member` may follow.
#define TUNE_MEMBER(type, field)                                                                   \
  .name = #field, .offset = offsetof(type, field),                                                 \
  .kind = _Generic(((type *)0)->field,                                                             \
      const char *: TUNE_MEMBER_TEXT,                                                              \
      const json_t *: TUNE_MEMBER_OBJECT,                                                          \
      bool: TUNE_MEMBER_FLAG,                                                                      \
      int64_t: TUNE_MEMBER_INTEGER,                                                                \
      double: TUNE_MEMBER_NUMBER,                                                                  \
      tune_text_list: TUNE_MEMBER_TEXTS,                                                           \
      tune_int_list: TUNE_MEMBER_INTS,                                                             \
      tune_number_list: TUNE_MEMBER_NUMBERS,                                                       \
      tune_shape: TUNE_MEMBER_SHAPE,                                                               \
      tune_shape_list: TUNE_MEMBER_SHAPES,                                                         \
      int64_t *: TUNE_MEMBER_THREE)
// The same of a field that is there, whatever it holds, if `has_field`, not the first one, is true.
#define TUNE_OPTIONAL(type, field, has_field)                                                      \
  TUNE_MEMBER(type, field), .has = offsetof(type, has_field)
#define TUNE_MEMBERS_OF(table) .members = table, .member_count = sizeof table / sizeof *table
#define TUNE_GROUP(type, field, table)                                                             \
  .name = #field, .kind = TUNE_MEMBER_GROUP, .offset = offsetof(type, field), TUNE_MEMBERS_OF(table)
// The same of an object that need not be there, as `has_field`, which is not the first field, says.
#define TUNE_OPTIONAL_GROUP(type, field, has_field, table)                                         \
  TUNE_GROUP(type, field, table), .has = offsetof(type, has_field)
#define TUNE_PART(type, field, table)                                                              \
  .name = #field, .kind = TUNE_MEMBER_PART, .offset = offsetof(type, field), TUNE_MEMBERS_OF(table)
#define TUNE_OPTIONAL_PART(type, field, has_field, table)                                          \
  TUNE_PART(type, field, table), .has = offsetof(type, has_field)
// A list is a struct of `items`, a pointer, and `count`.
#define TUNE_STRUCTS(type, field, table)                                                           \
  .name = #field, .kind = TUNE_MEMBER_STRUCTS, .offset = offsetof(type, field),                    \
  .size = sizeof *((type *)0)->field.items, TUNE_MEMBERS_OF(table)

// Writes the fields of `structure` into a new object. OUT_OF_MEMORY also for a text that is not
// UTF-8, which JSON cannot have.
tune_status tune_members_to_json(const tune_member *members, size_t count, const void *structure,
                                 json_t **out_object);
// Reads them into a struct of zeros. INVALID_ARGUMENT names the member that is missing, of another
// type or out of its range: "limits: "seconds": expected a number of at least 0.001"; there is
// nothing to release then.
tune_status tune_members_from_json(const tune_member *members, size_t count, const json_t *object,
                                   void *structure);
// Frees the lists of a struct that was read.
void tune_members_deinit(const tune_member *members, size_t count, void *structure);

// The three functions of a struct's format, in its header and in its source.
#define TUNE_FORMAT_DECLARE(type)                                                                  \
  tune_status type##_to_json(const type *value, json_t **out_object);                              \
  tune_status type##_from_json(const json_t *object, type *out_value);                             \
  void type##_deinit(type *value);
#define TUNE_FORMAT_DEFINE(type, table)                                                            \
  tune_status type##_to_json(const type *value, json_t **out_object) {                             \
    return tune_members_to_json(table, sizeof table / sizeof *table, value, out_object);           \
  }                                                                                                \
  TUNE_FORMAT_DEFINE_READER(type, table)
#define TUNE_FORMAT_DEFINE_READER(type, table)                                                     \
  tune_status type##_from_json(const json_t *object, type *out_value) {                            \
    *out_value = (type){0};                                                                        \
    return tune_members_from_json(table, sizeof table / sizeof *table, object, out_value);         \
  }                                                                                                \
  void type##_deinit(type *value) {                                                                \
    tune_members_deinit(table, sizeof table / sizeof *table, value);                               \
  }

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_MEMBERS_H
