//===- one_shot.c - tune-worker --build: one build, for people --------------------===//

#include "tools/tune-worker/one_shot.h"

#include "formats/cpu_models.h"
#include "support/clock.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/json.h"
#include "tools/tune-worker/context.h"
#include "tools/tune-worker/parse_child.h"
#include "transforms/build/build.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/cpu/backend/link.h"
#include "tuning/space/constraint.h"

#include <stdio.h>
#include <stdlib.h>

const char *const one_shot_emit_names[] = {
    "so", "obj", "asm", "llvm", "mlir", "spirv", "scheduled", "script", "signature", "space", NULL};

typedef struct one_shot {
  const one_shot_options *options;
  const json_t *device; // or NULL
  const char *output;   // NULL: stdout
} one_shot;

static tune_status write_output(const one_shot *shot, const char *bytes, size_t size) {
  if (shot->output)
    return tune_file_write(shot->output, bytes, size);
  if (fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0)
    return tune_status_make(TUNE_RESOURCE_EXHAUSTED, "writing to stdout");
  return TUNE_OK;
}

// Prints `op` and a line end to the output; destroys `op`.
static tune_status write_op(const one_shot *shot, MlirOperation op) {
  char *text = NULL;
  tune_status status = tune_ir_print(op, false, &text);
  mlirOperationDestroy(op);
  if (tune_status_is_ok(status))
    status = write_output(shot, text, strlen(text));
  free(text);
  return status;
}

static tune_status write_signature(const one_shot *shot, const tune_build_task *task) {
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(
      tune_signature_to_json(&tune_build_task_get_signature(task)->interface, &object));
  char *text = tune_json_dump(object, JSON_INDENT(1));
  json_decref(object);
  if (!text)
    return tune_status_out_of_memory("describing a signature");
  tune_string_builder line;
  tune_string_builder_init(&line);
  tune_string_builder_appendf(&line, "%s\n", text);
  free(text);
  tune_status status = line.failed ? tune_status_out_of_memory("describing a signature")
                                   : write_output(shot, line.text, line.length);
  tune_string_builder_deinit(&line);
  return status;
}

static tune_status write_space(const one_shot *shot, const tune_build_task *task) {
  const tune_space *space = tune_build_task_get_space(task);
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < tune_space_knob_count(space); ++i) {
    const tune_knob *knob = tune_space_knob(space, i);
    tune_string_builder_appendf(&text, "%s (%s%s):", knob->name, tune_level_name(knob->level),
                                knob->is_ordered ? ", ordered" : "");
    for (size_t v = 0; v < knob->value_count; ++v) {
      const char *mark = v == knob->default_index ? "*" : "";
      if (knob->labels)
        tune_string_builder_appendf(&text, " %s%s", knob->labels[v], mark);
      else
        tune_string_builder_appendf(&text, " %lld%s", (long long)knob->values[v], mark);
    }
    tune_string_builder_append(&text, "\n");
  }
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    const char *why = tune_constraint_why(constraint);
    char *expression = NULL;
    tune_status status = tune_constraint_describe(constraint, tune_space_knobs(space), &expression);
    if (!tune_status_is_ok(status)) {
      tune_string_builder_deinit(&text);
      return status;
    }
    tune_string_builder_appendf(&text, "where %s%s%s\n", expression, why ? "  // " : "",
                                why ? why : "");
    free(expression);
  }
  tune_status status = write_output(shot, text.text ? text.text : "", text.length);
  tune_string_builder_deinit(&text);
  return status;
}

static void report_times(const tune_code *code, double link) {
  const tune_code_report *report = &code->report;
  tune_digest digest = tune_digest_of_bytes(code->bytes, code->size);
  fprintf(stderr,
          "transform %.1f ms, lower %.1f, optimize %.1f, codegen %.1f, link %.1f; %zu bytes, "
          "digest %s\n",
          report->transform * 1e3, report->lower * 1e3, report->optimize * 1e3,
          report->codegen * 1e3, link * 1e3, code->size, digest.text);
}

static tune_status link_to_output(const one_shot *shot, const tune_code *code) {
  tune_linker *linker;
  TUNE_RETURN_IF_ERROR(tune_linker_create(shot->options->threads > 1, &linker));
  tune_status status = tune_linker_run(linker, code->bytes, code->size, shot->output);
  tune_linker_destroy(linker);
  return status;
}

static tune_status write_code(const one_shot *shot, bool is_object, const tune_code *code) {
  one_shot_emit emit = (one_shot_emit)shot->options->emit;
  if (emit == ONE_SHOT_SHARED && is_object)
    return link_to_output(shot, code);
  if (emit == ONE_SHOT_SPIRV && is_object)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--emit=spirv is for --target=vulkan: a CPU does not run SPIR-V");
  return write_output(shot, code->bytes, code->size);
}

static tune_status write_and_report(const one_shot *shot, bool is_object, const tune_code *code) {
  double start = tune_clock_seconds();
  TUNE_RETURN_IF_ERROR(write_code(shot, is_object, code));
  if (shot->options->timing)
    report_times(code, tune_clock_seconds() - start);
  return TUNE_OK;
}

// A CPU that the target names says all of itself; `wanted` borrows from `described`.
static tune_status describe_cpu(const one_shot_options *options, const char *name,
                                tune_fingerprint *described, tune_cpu_options *wanted) {
  if (options->cpu || options->triple)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--target=cpu:%s says which CPU is meant; leave out --%s", name,
                            options->cpu ? "cpu" : "triple");
  TUNE_RETURN_IF_ERROR(tune_cpu_model_describe(name, described));
  wanted->triple = described->triple;
  wanted->cpu = described->cpu;
  return TUNE_OK;
}

static tune_status create_lowering(const one_shot *shot, MlirContext context,
                                   tune_lowering **out_lowering) {
  const one_shot_options *options = shot->options;
  tune_lowering_options wanted = {.cpu = {.triple = options->triple,
                                          .cpu = options->cpu,
                                          .features = options->features,
                                          .threads = (int)options->threads},
                                  .device = shot->device};
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, options->target));
  wanted.kind = name.kind;
  tune_fingerprint described = {.target = NULL};
  tune_status status = TUNE_OK;
  if (name.kind == TUNE_KIND_CPU && name.device)
    status = describe_cpu(options, name.device, &described, &wanted.cpu);
  tune_target_name_deinit(&name);
  if (tune_status_is_ok(status))
    status = tune_lowering_create(context, &wanted, out_lowering);
  tune_fingerprint_deinit(&described);
  return status;
}

static tune_status build_code(const one_shot *shot, MlirContext context,
                              const tune_build_task *task, const tune_config *config) {
  static const tune_emit EMITS[] = {TUNE_EMIT_OBJECT, TUNE_EMIT_OBJECT, TUNE_EMIT_ASSEMBLY,
                                    TUNE_EMIT_LLVM,   TUNE_EMIT_MLIR,   TUNE_EMIT_OBJECT};
  const one_shot_options *options = shot->options;
  tune_lowering *lowering;
  TUNE_RETURN_IF_ERROR(create_lowering(shot, context, &lowering));
  tune_code code = {.bytes = NULL};
  tune_status status = TUNE_OK;
  for (int64_t i = 0; i < options->repeats && tune_status_is_ok(status); ++i) {
    tune_code_deinit(&code);
    status = tune_build_task_run(task, lowering, config, EMITS[options->emit], &code);
  }
  if (tune_status_is_ok(status))
    status = write_and_report(shot, tune_lowering_makes_objects(lowering, config == NULL), &code);
  tune_code_deinit(&code);
  tune_lowering_destroy(lowering);
  return status;
}

static tune_status build_config(const one_shot *shot, MlirContext context,
                                const tune_build_task *task, const tune_config *config) {
  const one_shot_options *options = shot->options;
  MlirOperation op;
  switch ((one_shot_emit)options->emit) {
  case ONE_SHOT_SCRIPT:
    TUNE_RETURN_IF_ERROR(tune_build_task_decide(task, config, &op));
    return write_op(shot, op);
  case ONE_SHOT_SCHEDULED:
    TUNE_RETURN_IF_ERROR(tune_build_task_transform(task, options->plain ? NULL : config, &op));
    return write_op(shot, op);
  case ONE_SHOT_SIGNATURE:
    return write_signature(shot, task);
  case ONE_SHOT_SPACE:
    return write_space(shot, task);
  default:
    return build_code(shot, context, task, options->plain ? NULL : config);
  }
}

static tune_status run_with_task(const one_shot *shot, MlirContext context,
                                 const tune_build_task *task) {
  const one_shot_options *options = shot->options;
  const tune_space *space = tune_build_task_get_space(task);
  tune_config config = {0};
  tune_status status =
      tune_config_from_text(&config, space, options->config ? options->config : "");
  const tune_constraint *violated = NULL;
  if (tune_status_is_ok(status) && !tune_config_is_valid(&config, space, &violated) &&
      !options->plain) {
    const char *why = tune_constraint_why(violated);
    fprintf(stderr, "tune-worker: warning: the config violates %s%s%s\n",
            tune_constraint_text(violated), why ? ": " : "", why ? why : "");
  }
  if (tune_status_is_ok(status))
    status = build_config(shot, context, task, &config);
  tune_config_deinit(&config);
  return status;
}

tune_status one_shot_build(const one_shot_options *options, const json_t *device,
                           const char *output) {
  const one_shot shot = {.options = options, .device = device, .output = output};
  MlirContext context;
  TUNE_RETURN_IF_ERROR(tune_worker_context_create(&context));
  tune_build_source source = {.payload_source = options->payload,
                              .schedule_source = options->schedule,
                              .allowed_passes = options->allowed_passes,
                              .function = options->function};
  tune_build_task *task = NULL;
  tune_status status = parse_child_run(context, NULL, source.payload_source);
  if (tune_status_is_ok(status))
    status = tune_build_task_create(context, &source, &task);
  if (tune_status_is_ok(status))
    status = run_with_task(&shot, context, task);
  tune_build_task_destroy(task);
  mlirContextDestroy(context);
  return status;
}
