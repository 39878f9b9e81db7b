//===- vector_legalization_test.c - Vectors as shaders have them ---------------------------===//

#include "transforms/lower/gpu/vectors/vector_legalization.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// A function of `ARGUMENTS` with a launch of 4 x 2 groups of 16 x 2, around `BODY`.
#define LAUNCH_WITH(ATTRIBUTES, ARGUMENTS, BODY)                                                   \
  "func.func @f(" ARGUMENTS ") attributes {" ATTRIBUTES "} {\n"                                    \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c2 = arith.constant 2 : index\n  %c4 = arith.constant 4 : index\n"                           \
  "  %c16 = arith.constant 16 : index\n  %zero = arith.constant 0.0 : f32\n"                       \
  "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c2, %gz = %c1)\n"                      \
  "      threads(%tx, %ty, %tz) in (%sx = %c16, %sy = %c2, %sz = %c1) {\n" BODY                    \
  "    gpu.terminator\n  }\n  return\n}\n"
#define LAUNCH(ARGUMENTS, BODY) LAUNCH_WITH("", ARGUMENTS, BODY)
// A product of 2 rows and 4 columns, both with 8 steps of the depth beside each other.
#define LAUNCH_DOT(WIDENED)                                                                        \
  LAUNCH_WITH(                                                                                     \
      "tune.gpu.dot = 1 : i64",                                                                    \
      "%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>",                         \
      "%p = arith.constant 0 : i8\n%z = arith.constant dense<0> : vector<2x4xi32>\n"               \
      "%v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : "                   \
      "memref<64x64xi8>, vector<2x8xi8>\n"                                                         \
      "%w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : "                   \
      "memref<64x64xi8>, vector<4x8xi8>\n" WIDENED                                                 \
      "%r = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, "              \
      "affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], "              \
      "iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = "                      \
      "#vector.kind<add>} %u, %s, %z : vector<2x8xi32>, vector<4x8xi32> into vector<2x4xi32>\n"    \
      "vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi32>, "      \
      "memref<64x64xi32>\n")
#define AB "%a: memref<64x64xf32>, %b: memref<64x64xf32>"
#define READ(TYPE)                                                                                 \
  "%v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]}"                       \
  " : memref<64x64xf32>, " TYPE "\n"
#define WRITE(VALUE, TYPE)                                                                         \
  "vector.transfer_write " VALUE ", %b[%c0, %c0] {in_bounds = [true, "                             \
  "true]} : " TYPE ", memref<64x64xf32>\n"

typedef struct pieces_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} pieces_case;

static const pieces_case CASES[] = {
    {{"rows of four are read and written as such",
      LAUNCH(AB, READ("vector<2x8xf32>") WRITE("%v", "vector<2x8xf32>")),
      {"builtin.unrealized_conversion_cast %arg0 : memref<64x64xf32> to "
       "memref<64x16xvector<4xf32>>",
       "memref.store"},
      "vector.transfer"},
     "memref.load",
     4},
    {{"others element by element",
      LAUNCH(AB, READ("vector<2x3xf32>") WRITE("%v", "vector<2x3xf32>")),
      {"memref.load %arg0"},
      "unrealized"},
     "memref.load",
     6},
    {{"a place that is no multiple of four",
      LAUNCH(AB, "%v = vector.transfer_read %a[%c0, %tx], %zero {in_bounds = [true, true]} : "
                 "memref<64x64xf32>, vector<1x4xf32>\n" WRITE("%v", "vector<1x4xf32>")),
      {"memref.load %arg0", "vector.from_elements", "to memref<64x16xvector<4xf32>>"},
      "vector.transfer"},
     "memref.load",
     4},
    {{"a multiple through an affine map is divided exactly",
      LAUNCH(AB, "%i = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1 * 4)>(%bx, %tx)\n"
                 "%v = vector.transfer_read %a[%ty, %i], %zero {in_bounds = [true, true]} : "
                 "memref<64x64xf32>, vector<1x4xf32>\n" WRITE("%v", "vector<1x4xf32>")),
      {"arith.muli"},
      "divui"},
     "memref.load",
     1},
    {{"one buffer is written in one way",
      LAUNCH(AB,
             READ("vector<1x4xf32>") WRITE(
                 "%v", "vector<1x4xf32>") "memref.store %zero, %b[%tx, %ty] : memref<64x64xf32>\n"),
      {"memref<64x16xvector<4xf32>>"},
      NULL},
     "memref.store",
     5},
    {{"what a loop carries is carried in pieces",
      LAUNCH(AB,
             READ("vector<2x4xf32>") "%r = scf.for %i = %c0 to %c16 step %c1 iter_args(%x = %v) -> "
                                     "(vector<2x4xf32>) {\n"
                                     "%y = arith.addf %x, %v : vector<2x4xf32>\n"
                                     "scf.yield %y : vector<2x4xf32>\n}\n" WRITE(
                                         "%r", "vector<2x4xf32>")),
      {"-> (vector<4xf32>, vector<4xf32>)", "scf.yield"},
      "vector<2x4xf32>"},
     "arith.addf",
     2},
    {{"and so is what a branch gives",
      LAUNCH(AB, READ("vector<2x4xf32>") "%c = arith.cmpi ult, %tx, %c2 : index\n"
                                         "%r = scf.if %c -> (vector<2x4xf32>) {\n scf.yield %v : "
                                         "vector<2x4xf32>\n"
                                         "} else {\n%y = math.exp %v : vector<2x4xf32>\n"
                                         "scf.yield %y : vector<2x4xf32>\n}\n" WRITE(
                                             "%r", "vector<2x4xf32>")),
      {"scf.if", "-> (vector<4xf32>, vector<4xf32>)"},
      "vector<2x4xf32>"},
     "math.exp",
     2},
    {{"products are multiplied and added in one",
      LAUNCH(AB "", READ("vector<2x4xf32>") "%w = vector.transfer_read %b[%c0, %c0], %zero "
                                            "{in_bounds = [true, true]} "
                                            ": memref<64x64xf32>, vector<4x4xf32>\n"
                                            "%z = arith.constant dense<0.0> : vector<2x4xf32>\n"
                                            "%r = vector.contract {indexing_maps = [affine_map<(m, "
                                            "n, k) -> (m, k)>, "
                                            "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) "
                                            "-> (m, n)>], "
                                            "iterator_types = [\"parallel\", \"parallel\", "
                                            "\"reduction\"], kind = "
                                            "#vector.kind<add>} %v, %w, %z : vector<2x4xf32>, "
                                            "vector<4x4xf32> into "
                                            "vector<2x4xf32>\n" WRITE("%r", "vector<2x4xf32>")),
      {"math.fma", "vector.extract", "vector.broadcast"},
      "vector.contract"},
     "math.fma",
     8},
    {{"with B transposed its elements are gathered",
      LAUNCH(AB "", READ("vector<2x4xf32>") "%w = vector.transfer_read %b[%c0, %c0], %zero "
                                            "{in_bounds = [true, true]} "
                                            ": memref<64x64xf32>, vector<4x4xf32>\n"
                                            "%z = arith.constant dense<0.0> : vector<2x4xf32>\n"
                                            "%r = vector.contract {indexing_maps = [affine_map<(m, "
                                            "n, k) -> (m, k)>, "
                                            "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) "
                                            "-> (m, n)>], "
                                            "iterator_types = [\"parallel\", \"parallel\", "
                                            "\"reduction\"], kind = "
                                            "#vector.kind<add>} %v, %w, %z : vector<2x4xf32>, "
                                            "vector<4x4xf32> into "
                                            "vector<2x4xf32>\n" WRITE("%r", "vector<2x4xf32>")),
      {"vector.from_elements"},
      "vector.contract"},
     "math.fma",
     8},
    {{"a maximum along rows",
      LAUNCH(AB ", %c: memref<64xf32>",
             READ("vector<2x8xf32>") "%z = arith.constant dense<0.0> : vector<2xf32>\n"
                                     "%r = vector.multi_reduction <maximumf>, %v, %z [1] : "
                                     "vector<2x8xf32> to "
                                     "vector<2xf32>\n"
                                     "vector.transfer_write %r, %c[%c0] {in_bounds = [true]} : "
                                     "vector<2xf32>, "
                                     "memref<64xf32>\n"),
      {"memref.store", NULL},
      "multi_reduction"},
     "arith.maximumf",
     10}, // for each of two rows: two pieces, four elements, what was there
    {{"a sum along columns",
      LAUNCH(AB ", %c: memref<64xf32>",
             READ("vector<4x8xf32>") "%z = arith.constant dense<0.0> : vector<8xf32>\n"
                                     "%r = vector.multi_reduction <add>, %v, %z [0] : "
                                     "vector<4x8xf32> to "
                                     "vector<8xf32>\n"
                                     "vector.transfer_write %r, %c[%c0] {in_bounds = [true]} : "
                                     "vector<8xf32>, "
                                     "memref<64xf32>\n"),
      {"memref<16xvector<4xf32>>"},
      "multi_reduction"},
     "arith.addf",
     8},
    {{"a transposed tile",
      LAUNCH(AB, READ("vector<4x8xf32>") "%t = vector.transpose %v, [1, 0] : vector<4x8xf32> to "
                                         "vector<8x4xf32>\n" WRITE("%t", "vector<8x4xf32>")),
      {"vector.from_elements"},
      "vector.transpose"},
     "memref.store",
     8},
    {{"a transposing read",
      LAUNCH(AB, "%v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true], "
                 "permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<64x64xf32>, "
                 "vector<4x4xf32>\n" WRITE("%v", "vector<4x4xf32>")),
      {"vector.from_elements"},
      "vector.transfer"},
     "memref.load",
     16},
    {{"broadcasts, slices, inserts and extracts only rename",
      LAUNCH(
          AB,
          READ("vector<2x8xf32>") "%s = vector.extract_strided_slice %v {offsets = [0, 4], sizes = "
                                  "[2, 4], "
                                  "strides = [1, 1]} : vector<2x8xf32> to vector<2x4xf32>\n"
                                  "%e = vector.extract %s[1] : vector<4xf32> from vector<2x4xf32>\n"
                                  "%w = vector.broadcast %e : vector<4xf32> to vector<2x4xf32>\n"
                                  "%n = vector.insert %e, %w[0] : vector<4xf32> into "
                                  "vector<2x4xf32>\n"
                                  "%i = vector.insert_strided_slice %n, %v {offsets = [0, 4], "
                                  "strides = [1, 1]}"
                                  " : vector<2x4xf32> into vector<2x8xf32>\n" WRITE(
                                      "%i", "vector<2x8xf32>")),
      {"memref.store"},
      "vector.extract"},
     "memref.store",
     4},
    {{"bytes and halves are words in memory",
      LAUNCH("%a: memref<64x64xi8>, %b: memref<64x64xf16>",
             "%p = arith.constant 0 : i8\n"
             "%v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : "
             "memref<64x64xi8>, vector<2x8xi8>\n"
             "%h = arith.sitofp %v : vector<2x8xi8> to vector<2x8xf16>\n"
             "vector.transfer_write %h, %b[%c0, %c0] {in_bounds = [true, true]} : "
             "vector<2x8xf16>, memref<64x64xf16>\n"),
      {"memref<64x16xvector<1xi32>>", "memref<64x16xvector<2xi32>>",
       "vector<1xi32> to vector<4xi8>"},
      "memref<64x16xvector<4"},
     "vector.bitcast",
     8},
    {{"bytes that lie together along the depth are dot products of words",
      LAUNCH_DOT("%u = arith.extui %v : vector<2x8xi8> to vector<2x8xi32>\n"
                 "%s = arith.extsi %w : vector<4x8xi8> to vector<4x8xi32>\n"),
      {"<PackedVectorFormat4x8Bit> : i32 -> i32"},
      "arith.muli"},
     "spirv.SUDot",
     16},
    {{"and of bytes without a sign",
      LAUNCH_DOT("%u = arith.extui %v : vector<2x8xi8> to vector<2x8xi32>\n"
                 "%s = arith.extui %w : vector<4x8xi8> to vector<4x8xi32>\n"),
      {"spirv.UDot"},
      "arith.muli"},
     "spirv.UDot",
     16},
    {{"what a mask leaves out is neither read nor written",
      LAUNCH(AB, "%n = affine.min affine_map<(d0) -> (4, 50 - d0)>(%tx)\n"
                 "%m = vector.create_mask %n, %c4 : vector<4x4xi1>\n"
                 "%v = vector.mask %m { vector.transfer_read %a[%tx, %c0], %zero {in_bounds = "
                 "[true, true]} : memref<64x64xf32>, vector<4x4xf32> } : vector<4x4xi1> -> "
                 "vector<4x4xf32>\n"
                 "vector.mask %m { vector.transfer_write %v, %b[%tx, %c0] {in_bounds = [true, "
                 "true]} : vector<4x4xf32>, memref<64x64xf32> } : vector<4x4xi1>\n"),
      {"arith.select", "scf.if", "memref<64x16xvector<4xf32>>"},
      "vector.mask"},
     "scf.if",
     4},
    {{"a mask of what is turned has the dimensions of the buffer",
      LAUNCH(AB, "%n = affine.min affine_map<(d0) -> (2, 50 - d0)>(%tx)\n"
                 "%m = vector.create_mask %n, %c4 : vector<2x4xi1>\n"
                 "%v = vector.mask %m { vector.transfer_read %a[%tx, %c0], %zero {in_bounds = "
                 "[true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : "
                 "memref<64x64xf32>, vector<4x2xf32> } : vector<2x4xi1> -> vector<4x2xf32>\n" WRITE(
                     "%v", "vector<4x2xf32>")),
      {"arith.cmpi slt, %c1_", "memref.store"},
      "arith.cmpi slt, %c3_"},
     "memref.load",
     8},
    {{"nor what is out of bounds",
      LAUNCH("%a: memref<50x30xf32>, %b: memref<50x30xf32>",
             "%v = vector.transfer_read %a[%tx, %ty], %zero : memref<50x30xf32>, vector<2x4xf32>\n"
             "vector.transfer_write %v, %b[%tx, %ty] : vector<2x4xf32>, memref<50x30xf32>\n"),
      {"arith.select", "scf.if", "arith.cmpi slt"},
      "vector.transfer"},
     "scf.if",
     8},
    {{"texels are fetched within the kernel, and are no view outside",
      LAUNCH_WITH("tune.gpu.texels = 4096", AB,
                  READ("vector<2x8xf32>") WRITE("%v", "vector<2x8xf32>")),
      {"to memref<64x16xvector<4xf32>, \"texel\">", "memref.store"},
      "vector.transfer"},
     "memref.load",
     4},
    {{"not of what is larger than texel buffers are",
      LAUNCH_WITH("tune.gpu.texels = 1023", AB,
                  READ("vector<2x8xf32>") WRITE("%v", "vector<2x8xf32>")),
      {"memref<64x16xvector<4xf32>>"},
      "texel\""},
     "memref.load",
     4},
    {{"scalars are fetched, too",
      LAUNCH_WITH("tune.gpu.texels = 4096", AB,
                  "%v = memref.load %a[%tx, %ty] : memref<64x64xf32>\n"
                  "memref.store %v, %b[%tx, %ty] : memref<64x64xf32>\n"),
      {"to memref<1024xvector<4xf32>, \"texel\">", "arith.select"},
      "memref<64x64xf32, \"texel\">"},
     "memref.load",
     1},
    {{"four that begin within a texel are of two, known ones without a choice",
      LAUNCH_WITH("tune.gpu.texels = 4096", "%a: memref<3x5xf32>, %b: memref<64x64xf32>",
                  "%v = vector.transfer_read %a[%c1, %c0], %zero {in_bounds = [true]} : "
                  "memref<3x5xf32>, vector<4xf32>\n"
                  "vector.transfer_write %v, %b[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, "
                  "memref<64x64xf32>\n"),
      {"to memref<4xvector<4xf32>, \"texel\">", "vector.from_elements"},
      "arith.select"},
     "memref.load",
     2},
    {{"or within any",
      LAUNCH_WITH("tune.gpu.texels = 4096", "%a: memref<3x5xf32>, %b: memref<64x64xf32>",
                  "%v = vector.transfer_read %a[%c1, %tx], %zero {in_bounds = [true]} : "
                  "memref<3x5xf32>, vector<4xf32>\n"
                  "vector.transfer_write %v, %b[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, "
                  "memref<64x64xf32>\n"),
      {"arith.select", "arith.minui"},
      "scf.if"},
     "memref.load",
     2},
    {{"what of them is beyond the line is none",
      LAUNCH_WITH("tune.gpu.texels = 4096", "%a: memref<3x5xf32>, %b: memref<64x64xf32>",
                  "%v = vector.transfer_read %a[%c1, %c4], %zero : memref<3x5xf32>, "
                  "vector<4xf32>\n"
                  "vector.transfer_write %v, %b[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, "
                  "memref<64x64xf32>\n"),
      {"arith.cmpi slt", "arith.select"},
      "scf.if"},
     "memref.load",
     2},
    {{"elements that are no neighbours are shared one by one",
      LAUNCH_WITH("tune.gpu.texels = 4096, tune.gpu.share = 8", AB,
                  "%v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true], "
                  "permutation_map = affine_map<(i, j) -> (j, i)>} : memref<64x64xf32>, "
                  "vector<8x4xf32>\n" WRITE("%v", "vector<8x4xf32>")),
      {"gpu.shuffle", "vector.from_elements"},
      NULL},
     "memref.load",
     4},
    {{"what is written is not fetched",
      LAUNCH_WITH("tune.gpu.texels = 4096", AB,
                  "%v = memref.load %a[%tx, %ty] : memref<64x64xf32>\n"
                  "memref.store %v, %a[%ty, %tx] : memref<64x64xf32>\n"),
      {"memref.load %arg0"},
      "texel\""},
     "memref.load",
     1},
    {{"what all lanes read is shared among them",
      LAUNCH_WITH("tune.gpu.share = 8", AB,
                  "%i = affine.apply affine_map<(d0) -> (d0 * 16)>(%by)\n"
                  "%v = vector.transfer_read %a[%i, %c0], %zero {in_bounds = [true, true]} : "
                  "memref<64x64xf32>, vector<16x4xf32>\n" WRITE("%v", "vector<16x4xf32>")),
      {"gpu.lane_id", "gpu.shuffle"},
      "vector.transfer"},
     "memref.load",
     2},
    {{"what lanes read each for themselves is not",
      LAUNCH_WITH("tune.gpu.share = 8", AB,
                  "%v = vector.transfer_read %a[%tx, %c0], %zero {in_bounds = [true, true]} : "
                  "memref<64x64xf32>, vector<16x4xf32>\n" WRITE("%v", "vector<16x4xf32>")),
      {"memref.load"},
      "gpu.shuffle"},
     "memref.load",
     16},
    {{"nor what not all of them read",
      LAUNCH_WITH("tune.gpu.share = 8", AB,
                  "%c = arith.cmpi ult, %tx, %c2 : index\n scf.if %c {\n" READ("vector<16x4xf32>")
                      WRITE("%v", "vector<16x4xf32>") "}\n"),
      {"memref.load"},
      "gpu.shuffle"},
     "memref.load",
     16},
    {{"integers, and constants of many values",
      LAUNCH("%a: memref<4xi32>, %i: i32",
             "%v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>\n"
             "%w = vector.transfer_read %a[%c0], %i {in_bounds = [true]} : memref<4xi32>, "
             "vector<4xi32>\n"
             "%s = arith.addi %v, %w : vector<4xi32>\n"
             "vector.transfer_write %s, %a[%c0] {in_bounds = [true]} : vector<4xi32>, "
             "memref<4xi32>\n"),
      {"dense<[1, 2, 3, 4]> : vector<4xi32>", "memref<1xvector<4xi32>>"},
      "vector.transfer"},
     "arith.addi",
     1},
};

static const tune_device device = {.api_major = 1, .api_minor = 1};

static void vectors_become_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation function, module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_ir_find_function(module, "f", &function));
    tune_status status = tune_vector_legalization_lower(function, &device);
    if (!tune_status_is_ok(status))
      fail_msg("%s: %s", CASES[i].becomes.name, tune_status_get_message(status));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

// What has no form in pieces is refused, with the place.
static void the_unknown_is_refused(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      LAUNCH(AB, READ("vector<1x4xf32>") "%z = arith.constant dense<0.0> : vector<4xf32>\n"
                                         "%r:2 = vector.scan <add>, %v, %z {inclusive = true, "
                                         "reduction_dim = 0 : i64}"
                                         " : vector<1x4xf32>, vector<4xf32>\n" WRITE(
                                             "%r#0", "vector<1x4xf32>")),
      LAUNCH("%a: memref<?x4xf32>",
             "%v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : "
             "memref<?x4xf32>, vector<1x4xf32>\n"
             "vector.transfer_write %v, %a[%c1, %c0] {in_bounds = [true, true]} : "
             "vector<1x4xf32>, memref<?x4xf32>\n"),
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    MlirOperation module, function;
    assert_ok(tune_ir_parse(context, TEXTS[i], "in.mlir", &module));
    assert_ok(tune_ir_find_function(module, "f", &function));
    tune_status status = tune_vector_legalization_lower(function, &device);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    assert_non_null(strstr(tune_status_get_message(status), ": error: "));
    tune_status_free(status);
    mlirOperationDestroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_become_pieces),
      cmocka_unit_test(the_unknown_is_refused),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
