//===- subject.c --------------------------------------------------------------===//

#include "tools/tune-run/subject.h"

#include "formats/signature.h"
#include "formats/worker_requests.h"
#include "support/file.h"
#include "support/json.h"
#include "tools/tune-run/subject_sizes.h"
#include "tuning/device/device_file.h"
#include "tuning/evaluators/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILD_BYTES 16e9
// What of a front end's own dialect is left in a module shows when tensors become buffers.
#define FOREIGN_HINT                                                                               \
  "\nnote: what runs has to be linalg and what upstream lowers of itself; TOSA becomes that by "   \
  "mlir-opt --tosa-to-linalg-pipeline"

//===--------------------------------------------------------------------------===//
// Opening
//===--------------------------------------------------------------------------===//

// What MLIR says of a file that is not there names no file.
static tune_status check_readable(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return tune_status_from_errno(errno, "%s", path);
  close(fd);
  return tune_file_check_ends(path);
}

// The worker reads files itself, since they may be bytecode; it cannot read our stdin.
static tune_status read_module(const char *path, char **out_text) {
  *out_text = NULL;
  if (strcmp(path, "-") != 0)
    return check_readable(path);
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read("/dev/stdin", out_text, &size));
  if (memchr(*out_text, '\0', size)) {
    free(*out_text);
    *out_text = NULL;
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "<stdin>: not text; bytecode is read from a file only");
  }
  return TUNE_OK;
}

// What runs artifacts takes no others (formats/signature.h).
static tune_status check_results(const subject *s) {
  size_t result = tune_signature_json_find_scalar_result(s->opened.signature);
  if (result == SIZE_MAX)
    return TUNE_OK;
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "%s: result %zu of @%s, which others call, is a scalar; give back a tensor of "
      "rank 0 (tensor.from_elements), or move what it does to another function",
      s->path, result, s->opened.module.function);
}

// What code is for; `*out_features`, which it may name, is to be freed.
static tune_status describe_target(const tune_target_facts *facts, char **out_features,
                                   tune_code_target *out_target) {
  *out_features = NULL;
  *out_target = (tune_code_target){.name = "cpu"};
  if (!facts)
    return TUNE_OK;
  out_target->name = facts->name.target;
  out_target->device = tune_target_facts_device(facts);
  if (!facts->is_elsewhere)
    return TUNE_OK;
  tune_code_cpu cpu;
  TUNE_RETURN_IF_ERROR(tune_device_file_get_cpu(facts, &cpu));
  out_target->device = facts->fingerprint;
  out_target->triple = cpu.triple;
  out_target->cpu = cpu.cpu;
  out_target->features = *out_features = cpu.features;
  return TUNE_OK;
}

// Of tasks that take the default although there are records of them.
static void tell_unused_records(const subject *s) {
  const tune_described_task_list *tasks = &s->opened.module.tasks;
  for (size_t i = 0; i < tasks->count; ++i)
    if (tasks->items[i].why)
      fprintf(stderr, "tune-run: %s: %s\n", s->path, tasks->items[i].why);
}

static tune_status ask(tune_connection *worker, const tune_open_source_request *wanted,
                       subject *s) {
  json_t *request;
  TUNE_RETURN_IF_ERROR(tune_open_source_request_to_json(wanted, &request));
  tune_status status = tune_exchange_ask(worker, request, NULL, &s->reply);
  // A database that somebody else keeps locked, while nothing runs yet that could take too long.
  if (tune_status_get_code(status) == TUNE_DEADLINE_EXCEEDED)
    return tune_status_recode(status, TUNE_RESOURCE_EXHAUSTED);
  TUNE_RETURN_IF_ERROR(status);
  return tune_reply_was_read(tune_open_source_reply_from_json(s->reply, &s->opened));
}

// Finds the arrays of the first module's arguments, of which the others have the same.
static tune_status match_inputs(const run_settings *settings, const char *text, const subject *s,
                                given_arrays *inputs) {
  char *read = NULL;
  size_t size = text ? strlen(text) : 0;
  if (!text && settings->emit == EMIT_NONE)
    TUNE_RETURN_IF_ERROR(tune_file_read(s->path, &read, &size));
  tune_status status = given_arrays_match(inputs, settings,
                                          text   ? text
                                          : read ? read
                                                 : "",
                                          size, s->opened.module.function, s->opened.signature);
  free(read);
  return status;
}

// Asks again, of a device, where sizes are open: the code is made for those that come.
static tune_status ask_for_sizes(tune_connection *worker, tune_open_source_request *wanted,
                                 size_t index, subject *s) {
  snprintf(s->open_id, sizeof s->open_id, "module %zu", index);
  snprintf(s->id, sizeof s->id, "%s sized", s->open_id);
  wanted->task = s->id;
  s->open_signature = json_incref((json_t *)s->opened.signature);
  json_decref(s->reply);
  s->reply = NULL;
  tune_open_source_reply_deinit(&s->opened);
  s->opened = (tune_open_source_reply){.signature = NULL};
  return ask(worker, wanted, s);
}

static tune_status compare_values(const subject *s, const subject *other, const char *kind,
                                  const tune_value_type *ours, size_t our_count,
                                  const tune_value_type *theirs, size_t their_count) {
  if (our_count != their_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s cannot be compared with %s: it has %zu %ss and not %zu",
                            other->path, s->path, their_count, kind, our_count);
  for (size_t i = 0; i < our_count; ++i) {
    char our_text[TUNE_VALUE_TYPE_TEXT], their_text[TUNE_VALUE_TYPE_TEXT];
    tune_value_type_to_text(&ours[i], our_text);
    tune_value_type_to_text(&theirs[i], their_text);
    if (strcmp(our_text, their_text) != 0 || ours[i].is_scalar != theirs[i].is_scalar)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s cannot be compared with %s: its %s %zu is %s and not %s",
                              other->path, s->path, kind, i, their_text, our_text);
    if (ours[i].is_readwrite != theirs[i].is_readwrite)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s cannot be compared with %s: its %s %zu is %s", other->path,
                              s->path, kind, i, ours[i].is_readwrite ? "not written" : "written");
  }
  return TUNE_OK;
}

// Whether it takes and gives what `signature` of `s` says.
static tune_status check_signature(const subject *s, const json_t *signature,
                                   const subject *other) {
  tune_signature ours, theirs;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &ours));
  tune_status status = tune_signature_from_json(other->opened.signature, &theirs);
  if (tune_status_is_ok(status)) {
    status = compare_values(s, other, "argument", ours.arguments, ours.argument_count,
                            theirs.arguments, theirs.argument_count);
    if (tune_status_is_ok(status))
      status = compare_values(s, other, "result", ours.results, ours.result_count, theirs.results,
                              theirs.result_count);
    tune_signature_deinit(&theirs);
  }
  tune_signature_deinit(&ours);
  return status;
}

// Of a module whose sizes were open it may have the same open, or those that it is made for.
static tune_status check_alike(const subject *s, const subject *other) {
  tune_status status = check_signature(s, s->opened.signature, other);
  if (tune_status_is_ok(status) || !s->open_signature)
    return status;
  tune_status_free(status);
  return check_signature(s, s->open_signature, other);
}

// `text` is the module's where it is no file.
static tune_status open_text(tune_connection *worker, const run_settings *settings,
                             const tune_target_facts *facts, given_arrays *inputs, const char *text,
                             tune_open_source_request *wanted, const subject *first, subject *s) {
  bool is_run = settings->emit == EMIT_NONE;
  char *features;
  wanted->payload = text;
  tune_status status = describe_target(facts, &features, &wanted->target);
  if (tune_status_is_ok(status))
    status = ask(worker, wanted, s);
  if (tune_status_is_ok(status))
    status = check_results(s);
  // Ahead of sizes, which are of the first one's arguments.
  if (tune_status_is_ok(status) && s != first)
    status = check_alike(first, s);
  if (tune_status_is_ok(status) && s == first)
    status = match_inputs(settings, text, s, inputs);
  if (tune_status_is_ok(status))
    status = subject_sizes_find(settings, inputs, s->opened.signature, &wanted->sizes);
  // Code for the CPU that is not run here takes any sizes.
  if (tune_status_is_ok(status) && is_run)
    status = given_arrays_check_sizes(inputs, s->opened.signature, &wanted->sizes,
                                      &s->opened.module.equal_sizes);
  bool is_for_device = facts && facts->name.kind != TUNE_KIND_CPU;
  if (tune_status_is_ok(status) && is_for_device && wanted->sizes.count)
    status = ask_for_sizes(worker, wanted, (size_t)(s - first), s);
  free(features);
  free(wanted->sizes.items);
  return status;
}

tune_status subject_open(tune_connection *worker, const run_settings *settings,
                         const tune_target_facts *facts, const char *database, given_arrays *inputs,
                         const char *path, const subject *first, subject *out_subject) {
  *out_subject = (subject){.path = strcmp(path, "-") == 0 ? "<stdin>" : path, .settings = settings};
  snprintf(out_subject->id, sizeof out_subject->id, "module %td", out_subject - first);
  bool is_first = out_subject == first;
  if (is_first && settings->schedule)
    TUNE_RETURN_IF_ERROR(check_readable(settings->schedule));
  tune_open_source_request wanted = {.task = out_subject->id,
                                     .payload_source = out_subject->path,
                                     .function = settings->function,
                                     .allow_passes = settings->allowed_passes,
                                     .describe = true,
                                     .has_module = true,
                                     .module = {.database = database,
                                                .schedule = is_first ? settings->schedule : NULL,
                                                .config = is_first ? settings->config : NULL,
                                                .flush_cache = settings->flush_cache,
                                                .strict = settings->is_strict},
                                     .threads = facts ? (int64_t)facts->threads
                                                      : (int64_t)settings->threads};
  char *text;
  TUNE_RETURN_IF_ERROR(read_module(path, &text));
  tune_status status =
      open_text(worker, settings, facts, inputs, text, &wanted, first, out_subject);
  free(text);
  TUNE_RETURN_IF_ERROR(status);
  if (!out_subject->opened.is_described)
    return tune_status_make(TUNE_DATA_LOSS, "tune-worker does not say what is in %s",
                            out_subject->path);
  tell_unused_records(out_subject);
  return TUNE_OK;
}

void subject_deinit(subject *s) {
  tune_open_source_reply_deinit(&s->opened);
  json_decref(s->reply);
  json_decref(s->open_signature);
  free(s->artifact);
  *s = (subject){0};
}

//===--------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------===//

static tune_status send_build(tune_connection *worker, const subject_build *build, double seconds,
                              size_t ticket) {
  json_t *config = build->plain ? NULL : json_object();
  tune_build_request wanted = {.ticket = (int64_t)ticket,
                               .task = build->plain && *build->of->open_id ? build->of->open_id
                                                                           : build->of->id,
                               .config = config,
                               .output = build->output,
                               .emit = build->form,
                               .set_aside = build->set_aside,
                               .times_tasks = build->of->settings->profiles && !build->plain,
                               .limits = {seconds, BUILD_BYTES}};
  json_t *request = NULL;
  tune_status status = build->plain || config ? tune_build_request_to_json(&wanted, &request)
                                              : tune_status_out_of_memory("building a module");
  json_decref(config);
  return tune_status_is_ok(status) ? tune_exchange_send(worker, request) : status;
}

// Of tasks that are not built as they were scheduled at first.
static void tell_fallbacks(subject *s, const tune_build_fallback_list *fallbacks) {
  for (size_t i = 0; i < fallbacks->count; ++i) {
    const tune_build_fallback *fallback = &fallbacks->items[i];
    if (fallback->task < 0 || (size_t)fallback->task >= s->opened.module.tasks.count)
      continue;
    tune_described_task *task = &s->opened.module.tasks.items[fallback->task];
    fprintf(stderr, "tune-run: %s: '%s' is built by %s, since this fails by %s: %s\n", s->path,
            task->name, fallback->to, fallback->from, fallback->why);
    task->from = TUNE_FROM_FALLBACK;
  }
}

// A schedule that changes nothing is a mistake, most likely of a name or of a size.
static tune_status tell_idle(const subject_build *build) {
  const run_settings *settings = build->of->settings;
  static const char HINT[] = "changes no task of this module: it matches none of their ops; "
                             "`tune-opt in.mlir --tune-extract` prints the tasks as it sees them";
  if (settings->is_strict)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "--schedule=%s %s", settings->schedule, HINT);
  fprintf(stderr, "tune-run: --schedule=%s %s\n", settings->schedule, HINT);
  return TUNE_OK;
}

static tune_status take_build(const tune_build_reply *reply, const subject_build *build) {
  if (strcmp(reply->verdict, TUNE_SAID_BUILT) == 0) {
    if (build->plain)
      return TUNE_OK;
    build->of->packs_ahead = reply->packs_ahead;
    build->of->packs_at_load = reply->packs_at_load;
    build->of->arena = reply->has_arena ? reply->arena : (tune_build_arena){.size = 0};
    if (!build->is_tried)
      tell_fallbacks(build->of, &reply->fallbacks);
    if (reply->idle_schedule && !build->is_tried)
      TUNE_RETURN_IF_ERROR(tell_idle(build));
    return tune_reply_was_read(tune_code_features_from_json(reply->code, &build->of->code));
  }
  const char *error = reply->error, *hint = "";
  if (error && strstr(error, "was not bufferized"))
    hint = FOREIGN_HINT;
  else if (strcmp(reply->verdict, "build-timeout") == 0)
    hint = "; --build-time=SECONDS gives it more";
  return tune_status_make(TUNE_INVALID_ARGUMENT, "%s: %s%s: %s%s", build->of->path, reply->verdict,
                          build->plain ? " (the plain lowering)" : "", error ? error : "", hint);
}

static tune_status read_build(const json_t *message, const subject_build *builds, size_t count) {
  int64_t ticket = tune_reply_head_of(message).ticket;
  tune_build_reply reply;
  if (ticket < 1 || (size_t)ticket > count)
    return tune_status_make(TUNE_DATA_LOSS, "tune-worker answers what was not asked");
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_build_reply_from_json(message, &reply)));
  tune_status status = take_build(&reply, &builds[ticket - 1]);
  tune_build_reply_deinit(&reply);
  return status;
}

tune_status subject_build_all(tune_connection *worker, const subject_build *builds, size_t count,
                              double seconds) {
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(send_build(worker, &builds[i], seconds, i + 1));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    json_t *reply;
    status = tune_exchange_receive(worker, NULL, &reply);
    if (tune_status_is_ok(status)) {
      status = read_build(reply, builds, count);
      json_decref(reply);
    }
  }
  return status;
}
