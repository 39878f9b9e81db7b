//===- device_program.c - Writing device programs: the host's part as a list of steps -===//

#include "transforms/lower/gpu/host/device_program.h"

#include "dialects/diagnostic.h"
#include "formats/device_facts.h"
#include "formats/device_program.h"
#include "support/json.h"
#include "support/program_head.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/gpu/host/host_branches.h"
#include "transforms/lower/gpu/host/program_buffers.h"
#include "transforms/lower/gpu/kernel_memory.h"
#include "transforms/lower/gpu/launch_sinking.h"

#include <jansson.h>
#include <stdlib.h>

// A branch or loop that has begun.
typedef struct nesting {
  size_t first;  // of a loop: its first step
  size_t branch; // the branch that goes to what comes next
} nesting;

enum { MOST_NESTED = 64 };

// A program on its way.
typedef struct program {
  const tune_device_kernels *kernels;
  tune_program_buffers buffers;
  tune_described_program described; // lists are its own; texts and tensors' sizes are the kernels'
  size_t step_capacity;
  MlirAttribute *host_codes; // of steps on the host, each once
  size_t host_count;
  nesting nested[MOST_NESTED];
  size_t depth;
  bool failed; // memory ran out
} program;

//===--------------------------------------------------------------------------===//
// Steps
//===--------------------------------------------------------------------------===//

// Adds a step, and its arguments with it.
static void add_step(program *self, tune_described_step step) {
  tune_described_steps *steps = &self->described.steps;
  if (steps->count == self->step_capacity) {
    size_t capacity = self->step_capacity ? 2 * self->step_capacity : 16;
    tune_described_step *grown = realloc(steps->items, capacity * sizeof *grown);
    if (!grown) {
      self->failed = true;
      free(step.is_host ? step.host.arguments.items : step.launch.arguments.items);
      return;
    }
    steps->items = grown;
    self->step_capacity = capacity;
  }
  steps->items[steps->count++] = step;
}

static void add_copy(program *self, size_t from, size_t to, int64_t bytes) {
  if (from != to && bytes > 0)
    add_step(self,
             (tune_described_step){.is_copy = true, .copy = {(int64_t)from, (int64_t)to, bytes}});
}

static tune_status read_copy(program *self, MlirOperation op) {
  size_t from, to;
  int64_t bytes;
  TUNE_RETURN_IF_ERROR(tune_program_buffers_find_whole(
      &self->buffers, op, mlirOperationGetOperand(op, 0), &from, &bytes));
  TUNE_RETURN_IF_ERROR(tune_program_buffers_find_whole(
      &self->buffers, op, mlirOperationGetOperand(op, 1), &to, &bytes));
  add_copy(self, from, to, bytes);
  return TUNE_OK;
}

// The segments of a gpu.launch_func's operands.
enum { GRID = 1, GROUP = 4, SHARED = 10, ARGUMENTS = 11 };

static intptr_t segment(MlirOperation launch, intptr_t number, intptr_t *out_size) {
  MlirAttribute segments = tune_ir_attribute(launch, "operandSegmentSizes");
  intptr_t begin = 0;
  for (intptr_t i = 0; i < number; ++i)
    begin += mlirDenseI32ArrayGetElement(segments, i);
  *out_size = mlirDenseI32ArrayGetElement(segments, number);
  return begin;
}

static tune_status read_constant(MlirOperation launch, MlirValue value, int64_t *out_number) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "arith.constant"))
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, launch,
        "the size of a launch is known only at run time; " TUNE_DEVICE_FIXED_SIZES);
  *out_number = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "value"));
  return TUNE_OK;
}

// Three sizes from operand segment `number` on.
static tune_status read_sizes(MlirOperation launch, intptr_t number, int64_t out_sizes[3]) {
  for (intptr_t i = 0; i < 3; ++i) {
    intptr_t size, begin = segment(launch, number + i, &size);
    TUNE_RETURN_IF_ERROR(
        read_constant(launch, mlirOperationGetOperand(launch, begin), &out_sizes[i]));
  }
  return TUNE_OK;
}

static const char *texel_format(MlirType type) {
  return mlirTypeIsAVector(mlirShapedTypeGetElementType(type)) ? TUNE_TEXELS_4F32 : TUNE_TEXELS_F32;
}

static tune_status read_argument(program *self, MlirOperation launch, MlirValue value,
                                 bool is_written, tune_described_argument *out) {
  size_t index;
  int64_t bytes;
  MlirType type = mlirValueGetType(value);
  // Texels may go on a little beyond the end.
  bool is_texels = tune_launch_sinking_is_texels(type);
  if (mlirTypeIsAMemRef(type) && !is_texels)
    TUNE_RETURN_IF_ERROR(
        tune_program_buffers_find_leading(&self->buffers, launch, value, &index, &bytes));
  else
    TUNE_RETURN_IF_ERROR(tune_program_buffers_find(&self->buffers, launch, value, &index));
  *out = (tune_described_argument){.is_use = true,
                                   .use = {.buffer = (int64_t)index,
                                           .texels = is_texels ? texel_format(type) : NULL,
                                           .written = is_written}};
  return TUNE_OK;
}

static tune_status read_map(program *self, MlirOperation launch, MlirValue value,
                            tune_tensor_map *map, tune_described_argument *out) {
  size_t index;
  int64_t bytes;
  TUNE_RETURN_IF_ERROR(
      tune_program_buffers_find_whole(&self->buffers, launch, value, &index, &bytes));
  *out = (tune_described_argument){.is_use = true,
                                   .use = {.buffer = (int64_t)index,
                                           .has_map = true,
                                           .tensor_map = {.element_bytes = map->element_bytes,
                                                          .sizes = {map->sizes, (size_t)map->rank},
                                                          .box = {map->box, (size_t)map->rank},
                                                          .swizzle = map->swizzle}}};
  return TUNE_OK;
}

static size_t find_kernel(const program *self, MlirStringRef name) {
  size_t i = 0;
  while (i < self->kernels->count &&
         !mlirStringRefEqual(mlirStringRefCreateFromCString(self->kernels->items[i].name), name))
    ++i;
  return i;
}

static tune_status fill_launch(program *self, MlirOperation op, tune_described_launch *step) {
  MlirStringRef name = mlirSymbolRefAttrGetLeafReference(tune_ir_attribute(op, "kernel"));
  size_t module = find_kernel(self, name);
  intptr_t count, begin = segment(op, ARGUMENTS, &count);
  if (module == self->kernels->count ||
      self->kernels->items[module].argument_count != (size_t)count)
    return tune_status_make_at(TUNE_INTERNAL, op, "no kernel %.*s of %d arguments",
                               (int)name.length, name.data, (int)count);
  tune_device_kernel *kernel = &self->kernels->items[module];
  step->launch = kernel->name;
  step->module = (int64_t)module;
  TUNE_RETURN_IF_ERROR(read_sizes(op, GRID, step->groups));
  TUNE_RETURN_IF_ERROR(read_sizes(op, GROUP, step->group_size));
  int64_t shared = 0;
  intptr_t has_shared, at = segment(op, SHARED, &has_shared);
  if (has_shared)
    TUNE_RETURN_IF_ERROR(read_constant(op, mlirOperationGetOperand(op, at), &shared));
  step->shared_bytes = shared + (int64_t)kernel->shared_bytes;
  step->subgroup_size = kernel->subgroup_size;
  tune_described_arguments *arguments = &step->arguments;
  arguments->items = calloc((size_t)count + kernel->map_count + 1, sizeof *arguments->items);
  if (!arguments->items)
    return tune_status_out_of_memory("writing a device program");
  for (intptr_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(read_argument(self, op, mlirOperationGetOperand(op, begin + i),
                                       kernel->is_written[i],
                                       &arguments->items[arguments->count++]));
  for (size_t i = 0; i < kernel->map_count; ++i) {
    intptr_t of = begin + (intptr_t)kernel->maps[i].argument;
    TUNE_RETURN_IF_ERROR(read_map(self, op, mlirOperationGetOperand(op, of), &kernel->maps[i],
                                  &arguments->items[arguments->count++]));
  }
  return TUNE_OK;
}

static tune_status read_launch(program *self, MlirOperation op) {
  tune_described_step step = {.is_launch = true};
  tune_status status = fill_launch(self, op, &step.launch);
  add_step(self, step); // also of what failed, so that it is freed with all
  return status;
}

//===--------------------------------------------------------------------------===//
// The function
//===--------------------------------------------------------------------------===//

// What else is returned is copied to a result's own memory.
static tune_status read_return(program *self, MlirOperation back) {
  for (size_t i = 0; i < self->buffers.result_count; ++i) {
    size_t from;
    int64_t bytes;
    TUNE_RETURN_IF_ERROR(tune_program_buffers_find_whole(
        &self->buffers, back, mlirOperationGetOperand(back, (intptr_t)i), &from, &bytes));
    if (mlirValueIsNull(self->buffers.results[i]))
      add_copy(self, from, tune_program_buffers_add_result(&self->buffers, i), bytes);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// On the host
//===--------------------------------------------------------------------------===//

// The module of the code of `called`, behind those of kernels.
static tune_status add_host_code(program *self, MlirOperation called, size_t *out_module) {
  MlirAttribute code = tune_ir_attribute(called, TUNE_HOST_CODE_ATTRIBUTE);
  if (mlirAttributeIsNull(code))
    return tune_status_make_at(TUNE_INTERNAL, called, "a step on the host without code");
  for (size_t i = 0; i < self->host_count; ++i)
    if (mlirAttributeEqual(self->host_codes[i], code)) {
      *out_module = self->kernels->count + i;
      return TUNE_OK;
    }
  MlirAttribute *grown =
      realloc(self->host_codes, (self->host_count + 1) * sizeof *self->host_codes);
  if (!grown)
    return tune_status_out_of_memory("writing a device program");
  self->host_codes = grown;
  *out_module = self->kernels->count + self->host_count;
  self->host_codes[self->host_count++] = code;
  return TUNE_OK;
}

static tune_status fill_host(program *self, MlirOperation op, tune_described_host *step) {
  MlirOperation module = mlirOperationGetParentOperation(mlirOperationGetParentOperation(op));
  MlirOperation called =
      tune_ir_find_symbol(module, mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "callee")));
  MlirAttribute written = tune_ir_attribute(called, TUNE_HOST_WRITTEN_ATTRIBUTE);
  intptr_t count = mlirOperationGetNumOperands(op);
  size_t code = 0;
  TUNE_RETURN_IF_ERROR(add_host_code(self, called, &code));
  step->host = (int64_t)code;
  step->arguments.items = calloc((size_t)count + 1, sizeof *step->arguments.items);
  if (!step->arguments.items)
    return tune_status_out_of_memory("writing a device program");
  for (intptr_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(read_argument(self, op, mlirOperationGetOperand(op, i),
                                       mlirDenseBoolArrayGetElement(written, i),
                                       &step->arguments.items[step->arguments.count++]));
  return TUNE_OK;
}

static tune_status read_host(program *self, MlirOperation op) {
  tune_described_step step = {.is_host = true};
  tune_status status = fill_host(self, op, &step.host);
  add_step(self, step); // also of what failed, so that it is freed with all
  return status;
}

//===--------------------------------------------------------------------------===//
// Branches
//===--------------------------------------------------------------------------===//

// Goes to where nothing is yet; by a condition where that is not null.
static tune_status add_branch(program *self, MlirOperation op, bool has_condition) {
  tune_described_step step = {.is_branch = true, .branch = {.has_unless = has_condition}};
  size_t index;
  if (has_condition) {
    TUNE_RETURN_IF_ERROR(
        tune_program_buffers_find(&self->buffers, op, mlirOperationGetOperand(op, 0), &index));
    step.branch.unless = (int64_t)index;
  }
  add_step(self, step);
  return TUNE_OK;
}

static size_t step_count(const program *self) { return self->described.steps.count; }

static void send_to(program *self, size_t branch, size_t step) {
  if (branch < step_count(self))
    self->described.steps.items[branch].branch.branch = (int64_t)step;
}

static tune_status read_mark(program *self, MlirOperation op, tune_host_mark mark) {
  if ((mark == TUNE_MARK_IF || mark == TUNE_MARK_LOOP) && self->depth == MOST_NESTED)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "branches and loops nested more than %d deep", MOST_NESTED);
  bool opens = mark == TUNE_MARK_IF || mark == TUNE_MARK_LOOP;
  if (!opens && !self->depth)
    return tune_status_make_at(TUNE_INTERNAL, op, "a branch that has no beginning");
  self->depth += opens;
  nesting *inner = &self->nested[self->depth - 1];
  switch (mark) {
  case TUNE_MARK_LOOP:
    *inner = (nesting){.first = step_count(self)};
    return TUNE_OK;
  case TUNE_MARK_IF:
  case TUNE_MARK_WHILE:
    inner->branch = step_count(self);
    return add_branch(self, op, true);
  case TUNE_MARK_ELSE: {
    size_t before = inner->branch;
    inner->branch = step_count(self);
    TUNE_RETURN_IF_ERROR(add_branch(self, op, false));
    send_to(self, before, step_count(self));
    return TUNE_OK;
  }
  case TUNE_MARK_AGAIN: {
    size_t back = step_count(self);
    TUNE_RETURN_IF_ERROR(add_branch(self, op, false));
    send_to(self, back, inner->first);
    break;
  }
  default:
    break;
  }
  send_to(self, inner->branch, step_count(self));
  --self->depth;
  return TUNE_OK;
}

static bool needs_no_step(MlirOperation op) {
  static const char *const NAMES[] = {"memref.alloc",
                                      "memref.alloca",
                                      "memref.dealloc",
                                      "memref.get_global",
                                      "arith.constant",
                                      "llvm.mlir.undef",
                                      "builtin.unrealized_conversion_cast"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_is(op, NAMES[i]))
      return true;
  return tune_memory_access_is_view(op);
}

static tune_status read_op(program *self, MlirOperation op) {
  if (needs_no_step(op))
    return TUNE_OK;
  if (tune_ir_is(op, "memref.copy"))
    return read_copy(self, op);
  if (tune_ir_is(op, "gpu.launch_func"))
    return read_launch(self, op);
  if (tune_ir_is(op, "func.return"))
    return read_return(self, op);
  tune_host_mark mark = tune_host_branches_mark(op);
  if (mark != TUNE_MARK_NONE)
    return read_mark(self, op, mark);
  if (tune_ir_is(op, "func.call"))
    return read_host(self, op);
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s is left outside of kernels; a device program has no step for it",
                             (int)name.length, name.data);
}

static tune_status read_function(program *self, MlirOperation function) {
  MlirBlock body = tune_ir_body(function);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               "the function has branches; a device program launches all of its "
                               "kernels, one after the other: build for a cpu, or a program for "
                               "each branch and choose in what calls them");
  TUNE_RETURN_IF_ERROR(tune_program_buffers_init(&self->buffers, mlirBlockGetTerminator(body)));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    TUNE_RETURN_IF_ERROR(read_op(self, op));
  // An output that no step is about is read all the same, as it was.
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    size_t index;
    if (mlirTypeIsAMemRef(mlirValueGetType(argument)))
      TUNE_RETURN_IF_ERROR(tune_program_buffers_find(&self->buffers, function, argument, &index));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The file
//===--------------------------------------------------------------------------===//

static tune_status describe(program *self, const char *target, char **out_text) {
  tune_described_program *described = &self->described;
  described->target = target;
  described->buffers = self->buffers.described;
  described->unordered = self->kernels->is_unordered;
  size_t count = self->kernels->count + self->host_count;
  described->modules.items = calloc(count + 1, sizeof *described->modules.items);
  if (!described->modules.items || self->failed || self->buffers.failed)
    return tune_status_out_of_memory("writing a device program");
  described->modules.count = count;
  for (size_t i = 0; i < self->host_count; ++i)
    described->modules.items[self->kernels->count + i] = (tune_described_module){
        .bytes = (int64_t)mlirStringAttrGetValue(self->host_codes[i]).length, .host = true};
  for (size_t i = 0; i < self->kernels->count; ++i) {
    const tune_device_kernel *kernel = &self->kernels->items[i];
    described->modules.items[i] = (tune_described_module){.bytes = (int64_t)kernel->code_size,
                                                          .opt_level = kernel->told.opt_level,
                                                          .load_cache = kernel->told.load_cache};
  }
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_described_program_to_json(described, &object));
  *out_text = tune_json_dump(object, JSON_COMPACT);
  json_decref(object);
  return *out_text ? TUNE_OK : tune_status_out_of_memory("writing a device program");
}

static tune_status assemble(program *self, const char *target, char **out_bytes, size_t *out_size) {
  char *text;
  TUNE_RETURN_IF_ERROR(describe(self, target, &text));
  tune_string_builder bytes;
  tune_string_builder_init(&bytes);
  tune_program_head_append(&bytes, text);
  for (size_t i = 0; i < self->kernels->count; ++i)
    tune_string_builder_append_bytes(&bytes, self->kernels->items[i].code,
                                     self->kernels->items[i].code_size);
  for (size_t i = 0; i < self->host_count; ++i) {
    MlirStringRef code = mlirStringAttrGetValue(self->host_codes[i]);
    tune_string_builder_append_bytes(&bytes, code.data, code.length);
  }
  if (self->buffers.data.length)
    tune_string_builder_append_bytes(&bytes, self->buffers.data.text, self->buffers.data.length);
  bytes.failed |= self->buffers.data.failed;
  free(text);
  *out_size = bytes.length;
  return tune_string_builder_finish(&bytes, out_bytes);
}

static void deinit(program *self) {
  for (size_t i = 0; i < self->described.steps.count; ++i)
    free(self->described.steps.items[i].is_host
             ? self->described.steps.items[i].host.arguments.items
             : self->described.steps.items[i].launch.arguments.items);
  tune_program_buffers_deinit(&self->buffers);
  free(self->host_codes);
  free(self->described.steps.items);
  free(self->described.modules.items);
}

tune_status tune_device_program_write(MlirOperation function, const char *target,
                                      const tune_device_kernels *kernels, char **out_bytes,
                                      size_t *out_size) {
  *out_bytes = NULL;
  *out_size = 0;
  program self = {.kernels = kernels};
  tune_status status = read_function(&self, function);
  if (tune_status_is_ok(status))
    status = assemble(&self, target, out_bytes, out_size);
  deinit(&self);
  return status;
}
