//===- passes.c - Our passes, in C -------------------------------------------===//

#include "transforms/passes/passes.h"

#include "dialects/allow.h"
#include "dialects/argument_sizes.h"
#include "dialects/choices.h"
#include "dialects/constant.h"
#include "dialects/diagnostic.h"
#include "dialects/tune_dialect.h"
#include "support/nearest.h"
#include "support/string_builder.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// In the order of use; a new pass is one line here.
#define FOR_EACH_PASS(DO)                                                                          \
  DO(verify)                                                                                       \
  DO(extract)                                                                                      \
  DO(annotate)                                                                                     \
  DO(search)                                                                                       \
  DO(print_space)                                                                                  \
  DO(apply)                                                                                        \
  DO(lower)                                                                                        \
  DO(export)

#define DECLARE(name) extern const tune_pass_class tune_pass_##name;
FOR_EACH_PASS(DECLARE)

#define ROW(name) &tune_pass_##name,
static const tune_pass_class *const classes[] = {FOR_EACH_PASS(ROW)};

size_t tune_pass_class_count(void) { return sizeof classes / sizeof *classes; }

const tune_pass_class *tune_pass_class_at(size_t index) { return classes[index]; }

static const char *get_class_name(const void *table, size_t index) {
  return ((const tune_pass_class *const *)table)[index]->name;
}

static tune_status refuse_name(const char *name) {
  const tune_nearest_words words = {"the passes are:", classes, tune_pass_class_count(),
                                    get_class_name};
  return tune_nearest_refuse(TUNE_NOT_FOUND, "no pass", name, &words);
}

static tune_status find_class(const char *name, const tune_pass_class **out_class) {
  *out_class = NULL;
  for (size_t i = 0; i < tune_pass_class_count() && !*out_class; ++i)
    if (!strcmp(classes[i]->name, name))
      *out_class = classes[i];
  return *out_class ? TUNE_OK : refuse_name(name);
}

//===--------------------------------------------------------------------------===//
// A pass of MLIR around a class
//===--------------------------------------------------------------------------===//

// What a pass and its clones share. Immutable, but for the count.
typedef struct pass_state {
  const tune_pass_class *pass_class;
  tune_pass_options *options;
  // "tune-search{evolutionary trials=64}": what MLIR prints in pipelines and reproducers, so that
  // the options are not lost there.
  char *argument;
  atomic_size_t references;
} pass_state;

static void release(void *user_data) {
  pass_state *state = user_data;
  if (atomic_fetch_sub(&state->references, 1) > 1)
    return;
  tune_pass_options_destroy(state->options);
  free(state->argument);
  free(state);
}

static void *share(void *user_data) {
  pass_state *state = user_data;
  atomic_fetch_add(&state->references, 1);
  return state;
}

static void construct(void *user_data) { (void)user_data; }

static void ignore_text(MlirStringRef text, void *user_data) {
  (void)text;
  (void)user_data;
}

// Whether the program has registered upstream's passes, which schedules name.
static bool has_upstream_passes(MlirContext context) {
  static const char pipeline[] = "builtin.module(linalg-fuse-elementwise-ops)";
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            mlirStringRefCreateFromCString(pipeline), ignore_text, NULL);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result);
}

// What MLIR says of a pass that it does not know, somewhere in a schedule, is no help to who wrote
// a program that registered none.
static tune_status explain(tune_status status, MlirOperation module) {
  if (!strstr(tune_status_get_message(status), "unknown pass or pass pipeline") ||
      has_upstream_passes(mlirOperationGetContext(module)))
    return status;
  tune_status_free(status);
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "this program has not registered the passes of MLIR, which schedules "
                          "name; mlirRegisterAllPasses() does it, once, before any pass runs");
}

static void run(MlirOperation module, MlirExternalPass pass, void *user_data) {
  const pass_state *state = user_data;
  tune_status status = tune_choices_verify(module);
  if (tune_status_is_ok(status))
    status = tune_constant_verify(module);
  if (tune_status_is_ok(status))
    status = tune_argument_sizes_verify(module);
  if (tune_status_is_ok(status))
    status = tune_allow_verify(module);
  if (tune_status_is_ok(status))
    status = state->pass_class->run(module, state->options);
  if (tune_status_is_ok(status))
    return;
  status = explain(status, module);
  if (!tune_status_is_located(status))
    status = tune_status_annotate(status, "%s", state->pass_class->name);
  tune_status_emit(status, tune_location_get(module));
  tune_status_free(status);
  mlirExternalPassSignalFailure(pass);
}

static tune_status make_state(const tune_pass_class *pass_class, const char *options,
                              pass_state **out_state) {
  *out_state = NULL;
  pass_state *state = calloc(1, sizeof *state);
  if (!state)
    return tune_status_out_of_memory("creating the pass %s", pass_class->name);
  state->pass_class = pass_class;
  atomic_init(&state->references, 1);
  tune_status status = tune_pass_options_parse(pass_class->options, pass_class->option_count,
                                               options, &state->options);
  if (tune_status_is_ok(status)) {
    tune_string_builder argument;
    tune_string_builder_init(&argument);
    tune_string_builder_append(&argument, pass_class->name);
    if (options && *options)
      tune_string_builder_appendf(&argument, "{%s}", options);
    status = tune_string_builder_finish(&argument, &state->argument);
  }
  if (!tune_status_is_ok(status)) {
    release(state);
    return tune_status_annotate(status, "%s", pass_class->name);
  }
  *out_state = state;
  return TUNE_OK;
}

// The tune dialect and those of the class; the array is the caller's.
static MlirDialectHandle *collect_dialects(const tune_pass_class *pass_class, intptr_t *out_count) {
  size_t count = 0;
  while (pass_class->dialects && pass_class->dialects[count])
    ++count;
  MlirDialectHandle *handles = calloc(count + 1, sizeof *handles);
  *out_count = (intptr_t)count + 1;
  if (!handles)
    return NULL;
  handles[0] = tune_dialect_get_handle();
  for (size_t i = 0; i < count; ++i)
    handles[i + 1] = pass_class->dialects[i]();
  return handles;
}

tune_status tune_pass_create_of_class(const tune_pass_class *pass_class, const char *options,
                                      MlirPass *out_pass) {
  *out_pass = (MlirPass){NULL};
  intptr_t dialect_count;
  MlirDialectHandle *dialects = collect_dialects(pass_class, &dialect_count);
  if (!dialects)
    return tune_status_out_of_memory("creating the pass %s", pass_class->name);
  pass_state *state;
  tune_status status = make_state(pass_class, options, &state);
  if (tune_status_is_ok(status)) {
    static const char anchor[] = "builtin.module";
    MlirExternalPassCallbacks callbacks = {
        .construct = construct, .destruct = release, .clone = share, .run = run};
    // The class is as good an identity as any: one for each pass, and at rest as long as passes
    // are.
    *out_pass = mlirCreateExternalPass(
        mlirTypeIDCreate(pass_class), mlirStringRefCreateFromCString(pass_class->name),
        mlirStringRefCreateFromCString(state->argument),
        mlirStringRefCreateFromCString(pass_class->summary), mlirStringRefCreateFromCString(anchor),
        dialect_count, dialects, callbacks, state);
  }
  free(dialects);
  return status;
}

tune_status tune_pass_create(const char *name, const char *options, MlirPass *out_pass) {
  *out_pass = (MlirPass){NULL};
  const tune_pass_class *pass_class;
  TUNE_RETURN_IF_ERROR(find_class(name, &pass_class));
  return tune_pass_create_of_class(pass_class, options, out_pass);
}
