//===- pdl_writer.h - Writing PDL patterns as text ---------------------------===//
//
// Where no upstream transform makes the instructions that are wanted, a schedule brings its
// patterns along (transform.with_pdl_patterns), and remains a script of stock ops. These are the
// words they are written in. A pattern is
//
//   tune_pdl_begin_pattern, tune_pdl_operand ..., a line that binds %nest to the op it replaces,
//   tune_pdl_begin_rewrite, tune_pdl_operation and tune_pdl_constant ..., tune_pdl_end_pattern
//
// transform.pdl_match is meant to find ops, yet applies what follows pdl.rewrite. Its result
// is of ops that are gone: nothing may use it.
//
// Values are named without their "%". Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_PDL_WRITER_H
#define TUNE_TRANSFORMS_RULES_PDL_WRITER_H

#include "transforms/rules/schedule_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_pdl_attribute {
  const char *name, *value;
} tune_pdl_attribute;

#define TUNE_PDL_OPERANDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TUNE_PDL_NO_OPERANDS ((const char *const[]){NULL})
#define TUNE_PDL_ATTRIBUTES(...) ((const tune_pdl_attribute[]){__VA_ARGS__, {NULL, NULL}})

// A type, an attribute or the name of a value, made up on the way; what does not fit is cut off.
typedef struct tune_pdl_text {
  char text[160];
} tune_pdl_text;

tune_pdl_text tune_pdl_format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
// "tensor<1x2x?xf32>": of the kind "tensor", "memref" or "vector".
tune_pdl_text tune_pdl_type(const char *kind, const char *element, const int64_t *shape,
                            size_t rank);
// "array<i64: 1, 2, 3>".
tune_pdl_text tune_pdl_array(const int64_t *values, size_t count);
// A tensor of f32.
tune_pdl_text tune_pdl_tensor(const int64_t *shape, size_t rank);
// The same of extents that are listed.
#define TUNE_PDL_SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define TUNE_PDL_TYPE(KIND, ELEMENT, ...)                                                          \
  tune_pdl_type(KIND, ELEMENT, TUNE_PDL_SHAPE(__VA_ARGS__),                                        \
                sizeof TUNE_PDL_SHAPE(__VA_ARGS__) / sizeof *TUNE_PDL_SHAPE(__VA_ARGS__))
#define TUNE_PDL_TENSOR(...) TUNE_PDL_TYPE("tensor", "f32", __VA_ARGS__)

// Opens transform.with_pdl_patterns on writer->func.
void tune_pdl_begin_patterns(tune_writer *writer);
// Applies the patterns of these names, one after the other, and ends.
void tune_pdl_end_patterns(const char *const *names, size_t count, tune_writer *writer);

void tune_pdl_begin_pattern(tune_writer *writer, const char *name);
// %<name>, an operand of the type %<name>_type.
void tune_pdl_operand(tune_writer *writer, const char *name, const char *type);
// %<name>, a vector.load of `length` elements of the memref that `operand` is in. `place`, of
// TUNE_MAX_LOOPS + 2, gets the names of its operands, ended by NULL: "from" and one index a
// dimension.
void tune_pdl_load(tune_writer *writer, const char *name, const tune_operand *operand,
                   int64_t length, const char **place);
// %<name>, a linalg.fill with zero of the type %<name>_type, of f32. Once in a pattern.
void tune_pdl_zero_fill(tune_writer *writer, const char *name, const char *type);
void tune_pdl_begin_rewrite(tune_writer *writer);
// In a rewrite that makes ops of TOSA: a type of it, so that reading the script loads the dialect.
// Else its ops are unknown.
void tune_pdl_load_tosa(tune_writer *writer);
// %nest gives way to the op that made %<replacement>, or stays beside what is new (NULL).
void tune_pdl_end_pattern(tune_writer *writer, const char *replacement);

// `%result = pdl.operation "op"(operands) {attributes} -> type`, and its first result under the
// name `result`; without a type the op has none, and `result` but tells its lines apart. `operands`
// are names, ended by NULL; attributes (may be NULL) are ended by a NULL name.
void tune_pdl_operation(tune_writer *writer, const char *result, const char *op, const char *type,
                        const char *const *operands, const tune_pdl_attribute *attributes);
// %<result>, a tosa.matmul of the tensors of f32 `a` and `b`. Once in a pattern.
void tune_pdl_matmul(tune_writer *writer, const char *result, const char *type, const char *a,
                     const char *b);
// `%result = arith.constant value : type`.
void tune_pdl_constant(tune_writer *writer, const char *result, const char *type,
                       const char *value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_PDL_WRITER_H
