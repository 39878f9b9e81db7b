//===- math.c - Arithmetic and math functions of a CPU's vectors -------------===//

#include "transforms/lower/cpu/vectors/math.h"

#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/rewrite.h"
#include "transforms/lower/common/math_calls.h"
#include "transforms/lower/common/math_patterns.h"
#include "transforms/lower/common/vector_arithmetic.h"
#include "transforms/lower/cpu/vectors/math_avx512.h"
#include "transforms/lower/cpu/vectors/math_erf.h"
#include "transforms/lower/cpu/vectors/odd_vectors.h"
#include "transforms/lower/cpu/vectors/vector_rows.h"

#include "mlir-c/Pass.h"

#define PREFIX "tune.math."
#define POLYNOMIAL PREFIX "polynomial"

#define WIDEN_BF16 "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}"

// What upstream approximates and is not here: sin and cos are garbage for large arguments, atan is
// off by 40 ulp, atan2 is wrong for tiny operands, cbrt is off by 12 ulp, asin by 8, log and log2
// take denormals for the smallest normal number; expm1 and log1p are made of several functions,
// slower than libmvec's.
static const char *const POLYNOMIALS[] = {"math.acos", "math.erf", "math.erfc", "math.exp",
                                          "math.tanh"};
#define POLYNOMIAL_COUNT (sizeof POLYNOMIALS / sizeof *POLYNOMIALS)

const char *tune_math_polynomial_op(size_t index) {
  return index < POLYNOMIAL_COUNT ? POLYNOMIALS[index] : NULL;
}

//===--------------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------------===//

tune_math_options tune_math_options_default(void) { return (tune_math_options){.polynomial = 0}; }

static tune_status read_option(MlirOperation function, MlirNamedAttribute attribute,
                               tune_math_options *options) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  if (!tune_ir_string_equal(name, POLYNOMIAL))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               "%.*s: no such option of the lowering of math; there is polynomial",
                               (int)name.length, name.data);
  if (mlirAttributeIsABool(attribute.attribute))
    options->polynomial = mlirBoolAttrGetValue(attribute.attribute);
  else if (mlirAttributeIsAInteger(attribute.attribute))
    options->polynomial = mlirIntegerAttrGetValueInt(attribute.attribute);
  else
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function, POLYNOMIAL ": expected an integer");
  if (options->polynomial < 0 || options->polynomial > 2)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               POLYNOMIAL ": the value %lld is not in 0 to 2",
                               (long long)options->polynomial);
  return TUNE_OK;
}

tune_status tune_math_options_take(MlirOperation function, tune_math_options *options) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(function); i-- > 0;) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(function, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!tune_ir_string_starts(name, PREFIX))
      continue;
    TUNE_RETURN_IF_ERROR(read_option(function, attribute, options));
    mlirOperationRemoveDiscardableAttributeByName(function, name);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Looking
//===--------------------------------------------------------------------------===//

// What of all below a module needs; most need little, and rewriting costs a millisecond.
typedef struct needs {
  bool functions;         // any op of tune_math_calls_op
  bool bf16;              // arithmetic on bf16, or conversions from or to it
  bool rounding_division; // division that rounds up or down
} needs;

static MlirType element_type(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

static bool has_bf16(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (!tune_ir_string_starts(name, "arith.") && !tune_ir_string_starts(name, "math."))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsABF16(element_type(mlirOperationGetOperand(op, i))))
      return true;
  return mlirOperationGetNumResults(op) > 0 &&
         mlirTypeIsABF16(element_type(mlirOperationGetResult(op, 0)));
}

static MlirWalkResult find_needs(MlirOperation op, void *user_data) {
  needs *found = user_data;
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_starts(name, "math.")) {
    const char *function;
    for (size_t i = 0; (function = tune_math_calls_op(i)); ++i)
      found->functions = found->functions || tune_ir_string_equal(name, function);
  }
  found->bf16 = found->bf16 || has_bf16(op);
  found->rounding_division = found->rounding_division ||
                             tune_ir_string_starts(name, "arith.ceildiv") ||
                             tune_ir_string_starts(name, "arith.floordiv");
  return MlirWalkResultAdvance;
}

//===--------------------------------------------------------------------------===//
// Lowering
//===--------------------------------------------------------------------------===//

static bool is_x86(const tune_llvm_target *target) {
  return strncmp(target->triple, "x86_64", 6) == 0;
}

static bool has(const tune_llvm_target *target, const char *feature) {
  return is_x86(target) && tune_math_machine_has(target->machine, feature);
}

bool tune_math_lacks_bf16(const tune_llvm_target *target) {
  return is_x86(target) && !has(target, "+avx512bf16");
}

// Polynomials are chains of fused products and sums; without those each would be a call.
static bool has_fused_product(const tune_llvm_target *target) {
  return !is_x86(target) || has(target, "+fma");
}

static tune_math_width vector_library_width(const tune_llvm_target *target) {
  if (!tune_math_calls_has_vector_library(target->triple))
    return TUNE_MATH_WIDTH_NONE;
  if (has(target, "+avx512f"))
    return TUNE_MATH_WIDTH_AVX512;
  return has(target, "+avx2") ? TUNE_MATH_WIDTH_AVX2 : TUNE_MATH_WIDTH_SSE;
}

static bool has_avx512(const tune_llvm_target *target) {
  return has(target, "+avx512f") && has(target, "+avx512dq") && has(target, "+avx512vl");
}

// Whether exp and erf are what math_avx512.h makes of them.
static bool uses_avx512(const tune_math_options *options, const tune_llvm_target *target) {
  return options->polynomial == 1 && has_avx512(target);
}

static bool is_of_avx512(const char *op) {
  const char *name;
  for (size_t i = 0; (name = tune_math_avx512_op(i)); ++i)
    if (strcmp(name, op) == 0)
      return true;
  return false;
}

// erf is ours everywhere (math_erf.h).
static void add_approximations(MlirRewritePatternSet patterns, bool with_those_of_avx512) {
  const char *names[POLYNOMIAL_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < POLYNOMIAL_COUNT; ++i)
    if (strcmp(POLYNOMIALS[i], "math.erf") != 0 &&
        (with_those_of_avx512 || !is_of_avx512(POLYNOMIALS[i])))
      names[count++] = POLYNOMIALS[i];
  tune_math_patterns_add_approximation(patterns, names, count);
}

static void add_patterns(MlirRewritePatternSet patterns, const needs *found,
                         const tune_math_options *options, const tune_llvm_target *target) {
  if (found->functions) {
    const char *names[TUNE_MATH_CALLS_LIMIT];
    size_t count = 0;
    while ((names[count] = tune_math_calls_op(count)))
      ++count;
    tune_math_patterns_add_extension(patterns, names, count);
    if (options->polynomial)
      tune_math_patterns_add_powers(patterns);
    if (options->polynomial == 1 && has_fused_product(target))
      add_approximations(patterns, !uses_avx512(options, target));
  }
  if (found->rounding_division)
    tune_math_patterns_add_rounding_division(patterns);
}

#define DOING "lowering math functions"

static tune_status rewrite(MlirOperation module, const needs *found,
                           const tune_math_options *options, const tune_llvm_target *target) {
  MlirContext context = mlirOperationGetContext(module);
  static const char *const DIALECTS[] = {"arith", "math", "vector", "ub"};
  for (size_t i = 0; i < sizeof DIALECTS / sizeof *DIALECTS; ++i)
    mlirContextGetOrLoadDialect(context, tune_ir_string(DIALECTS[i]));
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  add_patterns(patterns, found, options, target);
  return tune_rewrite_apply(module, patterns, DOING);
}

// What fills no vector of AVX-512 becomes upstream's polynomials.
static tune_status insert_avx512(MlirOperation module) {
  bool is_left;
  tune_math_avx512_insert(module, &is_left);
  if (!is_left)
    return TUNE_OK;
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(mlirOperationGetContext(module));
  add_approximations(patterns, true);
  return tune_rewrite_apply(module, patterns, DOING);
}

// Arithmetic on bf16 becomes arithmetic on f32 between conversions, by upstream's pass.
static tune_status widen_bf16(MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  MlirPassManager passes = mlirPassManagerCreate(context);
  tune_string_builder message;
  tune_string_builder_init(&message);
  tune_status status = TUNE_OK;
  if (mlirLogicalResultIsFailure(
          mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(passes),
                                       tune_ir_string(WIDEN_BF16), tune_printing_append, &message)))
    status = tune_status_make(TUNE_INTERNAL, "this MLIR does not take the pipeline %s: %s",
                              WIDEN_BF16, message.text ? message.text : "");
  tune_string_builder_deinit(&message);
  if (tune_status_is_ok(status)) {
    tune_diagnostics diagnostics;
    tune_diagnostics_begin(&diagnostics, context);
    bool failed = mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(passes, module));
    status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, "widening bf16");
    tune_diagnostics_deinit(&diagnostics);
  }
  mlirPassManagerDestroy(passes);
  return status;
}

tune_status tune_math_lower(MlirOperation module, const tune_math_options *options,
                            const tune_llvm_target *target) {
  size_t split_count;
  TUNE_RETURN_IF_ERROR(tune_vector_rows_split(module, &split_count));
  TUNE_RETURN_IF_ERROR(tune_odd_vectors_split(module));
  needs found = {false};
  mlirOperationWalk(module, find_needs, &found, MlirWalkPreOrder);
  if (found.bf16 && tune_math_lacks_bf16(target))
    TUNE_RETURN_IF_ERROR(widen_bf16(module));
  if (split_count || found.functions || found.rounding_division)
    TUNE_RETURN_IF_ERROR(rewrite(module, &found, options, target));
  if (found.functions && uses_avx512(options, target))
    TUNE_RETURN_IF_ERROR(insert_avx512(module));
  if (found.functions && options->polynomial == 1 && has_fused_product(target))
    tune_math_erf_insert(module);
  if (split_count)
    TUNE_RETURN_IF_ERROR(tune_vector_rows_sink(module));
  if (found.bf16 && tune_math_lacks_bf16(target))
    tune_vector_arithmetic_convert_bf16(module);
  tune_vector_arithmetic_ignore_zero_signs(module);
  tune_vector_arithmetic_halve_extrema(module);
  if (has_avx512(target))
    tune_math_avx512_insert_extrema(module);
  if (options->polynomial)
    tune_vector_arithmetic_use_reciprocals(module);
  if (found.functions)
    tune_math_calls_insert(module, options->polynomial ? vector_library_width(target)
                                                       : TUNE_MATH_WIDTH_NONE);
  return TUNE_OK;
}
