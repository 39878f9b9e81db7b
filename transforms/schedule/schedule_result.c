//===- schedule_result.c - The check of what a schedule left -----------------===//

#include "transforms/schedule/schedule_result.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/allowed_assembly.h"

#include <stdlib.h>

// An op that is not listed, or an attribute of one that is.
typedef struct tune_given_item {
  MlirStringRef name;
  MlirAttribute value; // null: the op
} tune_given_item;

typedef struct tune_given_function {
  MlirStringRef name;
  MlirType type; // null: no function
  bool is_public;
} tune_given_function;

//===--------------------------------------------------------------------------===//
// Lists
//===--------------------------------------------------------------------------===//

// Each is of words with spaces between them; a word with a point at its end stands for all that
// begin so.

// Dialects that LLVM's translation, or another one, takes as they are. Ops of others are lowered
// first, by passes that are listed (schedule_passes.h), or not at all.
static const char checked_dialects[] = "llvm. nvvm. rocdl. xevm. spirv. func. gpu. emitc.";

// Of these dialects.
static const char listed_ops[] =
    "func.call func.func func.return gpu.all_reduce gpu.alloc gpu.barrier gpu.block_dim "
    "gpu.block_id gpu.cluster_block_id gpu.cluster_dim gpu.cluster_id gpu.dealloc gpu.func "
    "gpu.global_id gpu.grid_dim gpu.lane_id gpu.launch gpu.launch_func gpu.memcpy gpu.module "
    "gpu.num_subgroups gpu.return gpu.shuffle gpu.subgroup_id gpu.subgroup_mma_compute "
    "gpu.subgroup_mma_constant_matrix gpu.subgroup_mma_elementwise gpu.subgroup_mma_load_matrix "
    "gpu.subgroup_mma_store_matrix gpu.subgroup_reduce gpu.subgroup_size gpu.terminator "
    "gpu.thread_id gpu.wait gpu.yield llvm.add llvm.addrspacecast llvm.alloca llvm.and llvm.ashr "
    "llvm.atomicrmw llvm.bitcast llvm.br llvm.call llvm.cmpxchg llvm.cond_br llvm.extractelement "
    "llvm.extractvalue llvm.fadd llvm.fcmp llvm.fdiv llvm.fence llvm.fmul llvm.fneg llvm.fpext "
    "llvm.fptosi llvm.fptoui llvm.fptrunc llvm.freeze llvm.frem llvm.fsub llvm.func "
    "llvm.getelementptr llvm.icmp llvm.insertelement llvm.insertvalue llvm.intr. llvm.inttoptr "
    "llvm.load llvm.lshr llvm.mlir.addressof llvm.mlir.constant llvm.mlir.global llvm.mlir.poison "
    "llvm.mlir.undef llvm.mlir.zero llvm.mul llvm.or llvm.ptrtoint llvm.return llvm.sdiv "
    "llvm.select llvm.sext llvm.shl llvm.shufflevector llvm.sitofp llvm.srem llvm.store llvm.sub "
    "llvm.switch llvm.trunc llvm.udiv llvm.uitofp llvm.unreachable llvm.urem llvm.xor llvm.zext "
    "nvvm.barrier nvvm.barrier0 nvvm.cp. nvvm.fence. nvvm.ldmatrix nvvm.mbarrier. nvvm.mma. "
    "nvvm.read. nvvm.redux. nvvm.shfl. nvvm.stmatrix nvvm.wgmma. nvvm.wmma.";

// Of ops that are symbols, and modules.
static const char listed_attributes[] =
    "CConv addr_space alignment arg_attrs bufferization. constant dso_local function_type "
    "global_type gpu. initial_value kernel known_block_size known_cluster_size known_grid_size "
    "linkage llvm.emit_c_interface llvm.linkage llvm.readnone memory_effects nvvm. res_attrs "
    "sym_name sym_visibility transform. tune. type unnamed_addr value visibility_ "
    "workgroup_attributions";

// Instructions that convert-vector-to-llvm has no op for; "llvm.x86.avx512.vpdpbusd.512".
static const char listed_intrinsics[] =
    "llvm.aarch64.neon. llvm.aarch64.sve. llvm.vector. llvm.x86.amx. llvm.x86.avx. llvm.x86.avx2. "
    "llvm.x86.avx10. llvm.x86.avx512. llvm.x86.avx512bf16. llvm.x86.sse. llvm.x86.sse2. "
    "llvm.x86.ssse3.";

// What conversions call: the functions of memory, and those of libm for f64.
static const char listed_functions[] =
    "_mlir_memref_to_llvm_aligned_alloc _mlir_memref_to_llvm_alloc _mlir_memref_to_llvm_free "
    "aligned_alloc free malloc memrefCopy acos acosh asin asinh atan atan2 atanh cbrt ceil cos "
    "cosh erf erfc exp exp2 expm1 fabs floor fma fmod log log10 log1p log2 pow round roundeven "
    "rsqrt sin sinh sqrt tan tanh trunc";

static bool is_on(const char *list, MlirStringRef name) {
  for (size_t length; *list; list += length + (list[length] == ' ')) {
    length = strcspn(list, " ");
    bool is_prefix = list[length - 1] == '.';
    if ((is_prefix ? name.length >= length : name.length == length) &&
        memcmp(name.data, list, length) == 0)
      return true;
  }
  return false;
}

// Libm has them for f32 under the same name and "f".
static bool is_listed_function(MlirStringRef name) {
  MlirStringRef without = {name.data, name.length - (name.length > 0)};
  return is_on(listed_functions, name) ||
         (name.length > 0 && name.data[name.length - 1] == 'f' && is_on(listed_functions, without));
}

// What symbols and their users agree on.
static const char symbol_attributes[] = "callee function_type sym_name sym_visibility";

static MlirWalkResult check_annotation(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  if (!tune_ir_is(op, "transform.annotate"))
    return MlirWalkResultAdvance;
  MlirStringRef name = tune_ir_string_attribute(op, "name");
  if (!is_on(symbol_attributes, name))
    return MlirWalkResultAdvance;
  *status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                "a schedule may not set \"%.*s\": functions keep their names and "
                                "types; see Schedules in docs/security.md",
                                (int)name.length, name.data);
  return MlirWalkResultInterrupt;
}

tune_status tune_schedule_check_annotations(MlirOperation schedule) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(schedule, check_annotation, &status, MlirWalkPreOrder);
  return status;
}

//===--------------------------------------------------------------------------===//
// What an op has that is not everybody's
//===--------------------------------------------------------------------------===//

static bool is_assembly(MlirOperation op, const char *text, const char *constraints) {
  return tune_ir_string_equal(tune_ir_string_attribute(op, "asm_string"), text) &&
         tune_ir_string_equal(tune_ir_string_attribute(op, "constraints"), constraints);
}

static bool is_our_assembly(MlirOperation op) {
  return tune_ir_is(op, "llvm.inline_asm") &&
         (is_assembly(op, TUNE_DOT_ASSEMBLY, TUNE_DOT_CONSTRAINTS) ||
          is_assembly(op, TUNE_PAIRS_ASSEMBLY, TUNE_PAIRS_CONSTRAINTS));
}

static bool is_listed_op(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (!is_on(checked_dialects, name))
    return true;
  if (tune_ir_is(op, "llvm.call")) // or else through a pointer
    return !mlirAttributeIsNull(tune_ir_attribute(op, "callee"));
  if (tune_ir_is(op, "llvm.call_intrinsic"))
    return is_on(listed_intrinsics, tune_ir_string_attribute(op, "intrin"));
  return is_on(listed_ops, name) || is_our_assembly(op);
}

static bool is_symbol(MlirOperation op) {
  return !mlirAttributeIsNull(tune_ir_attribute(op, "sym_name"));
}

static bool is_module(MlirOperation op) {
  return tune_ir_is(op, "builtin.module") || tune_ir_is(op, "gpu.module");
}

static bool is_function(MlirOperation op) {
  return tune_ir_is(op, "func.func") || tune_ir_is(op, "llvm.func") || tune_ir_is(op, "gpu.func");
}

static bool has_body(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && !mlirBlockIsNull(tune_ir_body(op));
}

// A symbol that is looked for elsewhere.
static bool is_declaration(MlirOperation op) {
  if (is_function(op))
    return !has_body(op);
  if (tune_ir_is(op, "memref.global"))
    return mlirAttributeIsNull(tune_ir_attribute(op, "initial_value"));
  return tune_ir_is(op, "llvm.mlir.global") && !has_body(op) &&
         mlirAttributeIsNull(tune_ir_attribute(op, "value"));
}

typedef struct op_item {
  MlirStringRef name;
  MlirAttribute value;
} op_item;

// Calls `take` with each item of `op`, until it says false.
static bool for_each_item(MlirOperation op, bool (*take)(MlirOperation, op_item, void *),
                          void *user) {
  bool is_listed = is_listed_op(op), is_named = is_symbol(op) || is_module(op);
  if (!is_listed && !take(op, (op_item){tune_ir_name(op), {NULL}}, user))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    bool is_free = is_listed && !is_named ? !tune_ir_string_starts(name, "llvm.")
                                          : is_on(listed_attributes, name);
    if (!is_free && !take(op, (op_item){name, attribute.attribute}, user))
      return false;
  }
  return true;
}

//===--------------------------------------------------------------------------===//
// Before
//===--------------------------------------------------------------------------===//

// Room for one more of the `count` elements of `size` bytes, or NULL.
static void *grow(void *elements, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity)
    return elements;
  size_t wanted = *capacity ? 2 * *capacity : 16;
  void *moved = realloc(elements, wanted * size);
  if (moved)
    *capacity = wanted;
  return moved;
}

static bool keep_item(MlirOperation op, op_item item, void *user) {
  (void)op;
  tune_schedule_given *given = user;
  void *items = grow(given->items, given->count, &given->capacity, sizeof *given->items);
  if (!items) {
    given->failed = true;
    return false;
  }
  given->items = items;
  // Names of attributes and ops live as long as the context.
  given->items[given->count++] = (tune_given_item){item.name, item.value};
  return true;
}

static bool keep_symbol(MlirOperation op, tune_schedule_given *given) {
  void *functions = grow(given->functions, given->function_count, &given->function_capacity,
                         sizeof *given->functions);
  if (!functions)
    return false;
  given->functions = functions;
  tune_given_function *function = &given->functions[given->function_count++];
  *function = (tune_given_function){.name = tune_ir_string_attribute(op, "sym_name")};
  if (!tune_ir_is(op, "func.func"))
    return true;
  function->type = mlirTypeAttrGetValue(tune_ir_attribute(op, "function_type"));
  MlirStringRef visibility = tune_ir_string_attribute(op, "sym_visibility");
  // Those of modules within the module are nobody's to call by name from outside.
  function->is_public = mlirOperationEqual(mlirOperationGetParentOperation(op), given->payload) &&
                        (visibility.length == 0 || tune_ir_string_equal(visibility, "public"));
  return true;
}

static MlirWalkResult keep_op(MlirOperation op, void *user_data) {
  tune_schedule_given *given = user_data;
  bool is_kept = for_each_item(op, keep_item, given) && (!is_symbol(op) || keep_symbol(op, given));
  given->failed |= !is_kept;
  return is_kept ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_schedule_given_init(tune_schedule_given *given, MlirOperation payload) {
  *given = (tune_schedule_given){.payload = payload};
  mlirOperationWalk(payload, keep_op, given, MlirWalkPreOrder);
  return given->failed ? tune_status_out_of_memory("applying a schedule") : TUNE_OK;
}

void tune_schedule_given_deinit(tune_schedule_given *given) {
  free(given->items);
  free(given->functions);
}

//===--------------------------------------------------------------------------===//
// After
//===--------------------------------------------------------------------------===//

typedef struct comparison {
  const tune_schedule_given *given;
  MlirOperation schedule;
  tune_status status;
} comparison;

#define SEE "; see Schedules in docs/security.md"

typedef struct mention {
  MlirStringRef name;
  MlirOperation found;
} mention;

static MlirWalkResult find_mention(MlirOperation op, void *user_data) {
  mention *wanted = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute value = mlirOperationGetAttribute(op, i).attribute;
    if (mlirAttributeIsAString(value) &&
        mlirStringRefEqual(mlirStringAttrGetValue(value), wanted->name)) {
      wanted->found = op;
      return MlirWalkResultInterrupt;
    }
  }
  return MlirWalkResultAdvance;
}

// The op of the schedule that has `name` as a text, or else `op`.
static MlirOperation blame(const comparison *state, MlirStringRef name, MlirOperation op) {
  mention wanted = {.name = name};
  mlirOperationWalk(state->schedule, find_mention, &wanted, MlirWalkPreOrder);
  return mlirOperationIsNull(wanted.found) ? op : wanted.found;
}

static bool was_given(const tune_schedule_given *given, op_item item) {
  for (size_t i = 0; i < given->count; ++i)
    if (mlirStringRefEqual(given->items[i].name, item.name) &&
        mlirAttributeEqual(given->items[i].value, item.value))
      return true;
  return false;
}

static const tune_given_function *find_given(const tune_schedule_given *given, MlirStringRef name) {
  for (size_t i = 0; i < given->function_count; ++i)
    if (mlirStringRefEqual(given->functions[i].name, name))
      return &given->functions[i];
  return NULL;
}

static bool refuse_item(MlirOperation op, op_item item, void *user) {
  comparison *state = user;
  if (was_given(state->given, item))
    return true;
  MlirStringRef name = tune_ir_name(op);
  MlirOperation place = blame(state, item.name, op);
  if (mlirAttributeIsNull(item.value))
    state->status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, place,
        "a schedule may not make this %.*s: it is not on the list of ops that only compute" SEE,
        (int)name.length, name.data);
  else
    state->status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, place,
        "a schedule may not set \"%.*s\" of %.*s: it is not on the list of attributes that only "
        "say how the code computes, as tune.* do; take it out of the schedule, or write it in the "
        "payload, if it is yours" SEE,
        (int)item.name.length, item.name.data, (int)name.length, name.data);
  return false;
}

static tune_status refuse_symbol(const comparison *state, MlirOperation op) {
  MlirStringRef name = tune_ir_string_attribute(op, "sym_name");
  if (find_given(state->given, name))
    return TUNE_OK;
  MlirOperation place = blame(state, name, op);
  if (tune_ir_string_starts(name, "llvm."))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, place,
                               "a schedule may not add @%.*s: names that begin so mean something "
                               "to LLVM" SEE,
                               (int)name.length, name.data);
  if (is_declaration(op) && !is_listed_function(name))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, place,
                               "a schedule may not use @%.*s, which is not in the payload: it is "
                               "not on the list of what conversions call" SEE,
                               (int)name.length, name.data);
  if (is_function(op) && !is_declaration(op) && is_listed_function(name))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, place,
                               "a schedule may not name a function @%.*s, as one of the C library "
                               "is called" SEE,
                               (int)name.length, name.data);
  return TUNE_OK;
}

static MlirWalkResult compare_op(MlirOperation op, void *user_data) {
  comparison *state = user_data;
  if (for_each_item(op, refuse_item, state) && is_symbol(op))
    state->status = refuse_symbol(state, op);
  return tune_status_is_ok(state->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Whether a tensor of type `before` may be kept in a buffer of type `after`.
static bool is_buffer_of(MlirType before, MlirType after) {
  if (!mlirTypeIsATensor(before) || !mlirTypeIsAMemRef(after) || !mlirShapedTypeHasRank(before) ||
      mlirShapedTypeGetRank(before) != mlirShapedTypeGetRank(after) ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(before), mlirShapedTypeGetElementType(after)))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(before); ++i)
    if (mlirShapedTypeGetDimSize(before, i) != mlirShapedTypeGetDimSize(after, i))
      return false;
  return true;
}

static bool is_kept_type(MlirType before, MlirType after) {
  return mlirTypeEqual(before, after) || is_buffer_of(before, after);
}

static bool is_kept_function(MlirType before, MlirType after) {
  intptr_t inputs = mlirFunctionTypeGetNumInputs(before);
  intptr_t results = mlirFunctionTypeGetNumResults(before);
  if (mlirFunctionTypeGetNumInputs(after) != inputs ||
      mlirFunctionTypeGetNumResults(after) != results)
    return false;
  for (intptr_t i = 0; i < inputs; ++i)
    if (!is_kept_type(mlirFunctionTypeGetInput(before, i), mlirFunctionTypeGetInput(after, i)))
      return false;
  for (intptr_t i = 0; i < results; ++i)
    if (!is_kept_type(mlirFunctionTypeGetResult(before, i), mlirFunctionTypeGetResult(after, i)))
      return false;
  return true;
}

static tune_status compare_function(const comparison *state, MlirOperation payload,
                                    const tune_given_function *function) {
  if (mlirTypeIsNull(function->type) || !function->is_public)
    return TUNE_OK;
  MlirStringRef name = function->name;
  MlirOperation op = tune_ir_find_symbol(payload, name);
  if (!tune_ir_is(op, "func.func"))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, state->schedule,
                               "this schedule removes or renames the function @%.*s; it may change "
                               "what is in it" SEE,
                               (int)name.length, name.data);
  if (!is_kept_function(function->type,
                        mlirTypeAttrGetValue(tune_ir_attribute(op, "function_type"))))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, state->schedule,
                               "this schedule changes the arguments or results of @%.*s; their "
                               "number and types stay, but that a tensor may become a memref" SEE,
                               (int)name.length, name.data);
  return TUNE_OK;
}

tune_status tune_schedule_given_compare(const tune_schedule_given *given, MlirOperation payload,
                                        MlirOperation schedule) {
  comparison state = {.given = given, .schedule = schedule};
  mlirOperationWalk(payload, compare_op, &state, MlirWalkPreOrder);
  for (size_t i = 0; i < given->function_count && tune_status_is_ok(state.status); ++i)
    state.status = compare_function(&state, payload, &given->functions[i]);
  return state.status;
}
