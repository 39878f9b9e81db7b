//===- target_facts.c -------------------------------------------------------------===//

#include "tuning/device/target_facts.h"

#include "formats/cpu_models.h"
#include "formats/measure_replies.h"
#include "formats/measure_requests.h"
#include "support/clock.h"
#include "support/json.h"
#include "support/message.h"
#include "tuning/evaluators/connection.h"
#include "tuning/evaluators/cores.h"
#include "tuning/evaluators/turn_notice.h"
#include "tuning/record/kept_roofline.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASURER "tune-measure"
// A fingerprint is read from the system, a roofline measured, both within seconds; a driver may
// need a minute, which is what tune-measure gives its child, and another one where somebody killed
// that.
#define ANSWER_SECONDS (TUNE_SERVER_RUNS * 60.0 + 5)
// A signal that comes just before a poll does not end it.
#define LOOK_MILLISECONDS 500

//===- Asking -------------------------------------------------------------------===//

static tune_status await(tune_connection *connection, const volatile sig_atomic_t *interrupted,
                         json_t **out_reply) {
  double deadline = tune_clock_seconds() + ANSWER_SECONDS;
  for (;;) {
    TUNE_RETURN_IF_ERROR(tune_connection_pop(connection, out_reply));
    if (tune_reply_is_notice(*out_reply)) {
      tune_turn_notice_tell(*out_reply);
      json_decref(*out_reply);
      deadline = tune_clock_seconds() + ANSWER_SECONDS;
      continue;
    }
    if (*out_reply)
      return TUNE_OK;
    if (interrupted && *interrupted)
      return tune_status_make(TUNE_CANCELLED, "interrupted");
    struct pollfd poll_fd = {.fd = tune_connection_fd(connection), .events = POLLIN};
    int ready = poll(&poll_fd, 1, LOOK_MILLISECONDS);
    if (ready == 0 && tune_clock_seconds() > deadline)
      return tune_status_make(TUNE_DEADLINE_EXCEEDED, MEASURER " has not answered for %.0f s",
                              ANSWER_SECONDS);
    if (ready < 0 && errno != EINTR)
      return tune_status_from_errno(errno, "waiting for " MEASURER);
    if (ready > 0)
      TUNE_RETURN_IF_ERROR(tune_connection_fill(connection));
  }
}

// One that ends without an answer is started once more: somebody may have killed it.
static tune_status converse(const json_t *request, const volatile sig_atomic_t *interrupted,
                            json_t **out_reply) {
  tune_status status = TUNE_OK;
  for (int i = 0; i < 2; ++i) {
    tune_connection *connection;
    tune_status_free(status);
    TUNE_RETURN_IF_ERROR(tune_connection_open(MEASURER, &connection));
    status = tune_connection_send(connection, request);
    if (tune_status_is_ok(status))
      status = await(connection, interrupted, out_reply);
    tune_connection_close(connection);
    // A connection says NOT_FOUND of a program that is gone, which here would be of a device.
    if (tune_status_get_code(status) != TUNE_NOT_FOUND)
      return status;
  }
  status = tune_status_annotate(status, "it ended twice without an answer in between");
  return tune_status_recode(status, TUNE_INTERNAL);
}

static bool is_roofline(const char *what) { return strcmp(what, TUNE_DO_ROOFLINE) == 0; }

// Asks, and takes the object `what`, a roofline or a fingerprint, out of the answer.
static tune_status ask_measurer(const json_t *request, const char *what,
                                const volatile sig_atomic_t *interrupted, json_t **out_object) {
  json_t *reply;
  tune_device_reply said = {0};
  TUNE_RETURN_IF_ERROR(converse(request, interrupted, &reply));
  tune_status status = tune_message_get_status(reply);
  if (tune_status_is_ok(status))
    status = tune_reply_was_read(tune_device_reply_from_json(reply, &said));
  const json_t *object = is_roofline(what) ? said.roofline : said.fingerprint;
  if (tune_status_is_ok(status) && !object)
    status = tune_status_make(TUNE_DATA_LOSS, MEASURER " answered without an object \"%s\"", what);
  if (tune_status_is_ok(status))
    *out_object = json_incref((json_t *)object);
  tune_device_reply_deinit(&said);
  json_decref(reply);
  return status;
}

// Takes and replaces `status`.
static tune_status explain(tune_status status, const char *what, const tune_target_name *name) {
  tune_status_code code = tune_status_get_code(status);
  if (code == TUNE_NOT_FOUND) // no such target or device: the message says it all
    return status;
  if (code == TUNE_UNAVAILABLE && name->kind == TUNE_KIND_CPU && name->device)
    return tune_status_join(tune_status_make(TUNE_UNAVAILABLE,
                                             "%s; `tune-run --emit=obj` makes code for it",
                                             tune_status_get_message(status)),
                            status);
  return tune_status_annotate(status, "asking for the %s of the target %s", what, name->target);
}

// The CPUs that a search measures on, so that the roofline is theirs; none where they are not
// known.
static tune_status find_cores(size_t threads, tune_cores *out_cores) {
  tune_status status = tune_cores_init(out_cores, threads);
  if (tune_status_is_ok(status) || tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  *out_cores = (tune_cores){0};
  return TUNE_OK;
}

// Asks for the object `what` of the target `name`; the answer is a new reference. CANCELLED where
// it is `interrupted` (NULL: never) meanwhile.
static tune_status ask(const char *what, const tune_target_name *name, size_t threads, bool quick,
                       const volatile sig_atomic_t *interrupted, json_t **out_object) {
  *out_object = NULL;
  tune_cores cores;
  TUNE_RETURN_IF_ERROR(find_cores(threads, &cores));
  tune_device_request wanted = {.place = {.target = name->target,
                                          .device = name->device,
                                          .threads = (int64_t)threads,
                                          .cpus = {cores.measure, cores.measure_count}},
                                .generic = name->is_generic,
                                .quick = quick};
  json_t *request;
  tune_status status = is_roofline(what) ? tune_device_request_to_roofline_json(&wanted, &request)
                                         : tune_device_request_to_json(&wanted, &request);
  tune_cores_deinit(&cores);
  TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "asking for the %s of %s", what, name->target));
  status = ask_measurer(request, what, interrupted, out_object);
  json_decref(request);
  return explain(status, what, name);
}

//===- The target null --------------------------------------------------------------===//

// As targets/null says; a test compares the two.
static json_t *null_fingerprint(void) {
  return json_pack("{ssssss sIsIsI s[]s[{sIsIsIsI}{sIsIsIsI}] sIsIsI sbsbsb}", "target", "null",
                   "vendor", "none", "model", "synthetic times", "family", (json_int_t)0,
                   "model_number", (json_int_t)0, "stepping", (json_int_t)0, "features", "caches",
                   "level", (json_int_t)1, "bytes", (json_int_t)32768, "line", (json_int_t)64,
                   "cores", (json_int_t)1, "level", (json_int_t)2, "bytes", (json_int_t)1048576,
                   "line", (json_int_t)64, "cores", (json_int_t)1, "cores", (json_int_t)1,
                   "vector_bits", (json_int_t)512, "vector_registers", (json_int_t)32, "has_fma", 1,
                   "has_bf16_dot", 0, "has_int8_dot", 0);
}

static json_t *null_roofline(void) {
  return json_pack("{sI s{sfsfsfsf} s[{sssfsf}{sssfsf}{sssfsf}]}", "threads", (json_int_t)1, "peak",
                   "f32", 100.0, "f64", 50.0, "bf16", 0.0, "i8", 0.0, "bandwidth", "level", "L1",
                   "bytes", 32768.0, "gbytes_per_s", 200.0, "level", "L2", "bytes", 1048576.0,
                   "gbytes_per_s", 100.0, "level", "memory", "bytes", 67108864.0, "gbytes_per_s",
                   20.0);
}

static bool is_null(const tune_target_facts *facts) {
  return strcmp(facts->name.target, "null") == 0;
}

//===- Fingerprints -------------------------------------------------------------===//

static tune_status take_json(json_t *object, const char *target, json_t **out_object) {
  *out_object = object;
  return object ? TUNE_OK : tune_status_out_of_memory("the fingerprint of the target %s", target);
}

static json_t *generic_fingerprint(const char *target) {
  return json_pack("{s:s, s:s, s:s}", "target", target, "vendor", "none", "model", "any device");
}

// Of a CPU that is named nobody has to be asked.
static tune_status describe_cpu(const tune_target_name *name, json_t **out_object) {
  tune_fingerprint fingerprint;
  TUNE_RETURN_IF_ERROR(tune_cpu_model_describe(name->device, &fingerprint));
  tune_status status = tune_fingerprint_to_json(&fingerprint, out_object);
  tune_fingerprint_deinit(&fingerprint);
  return status;
}

static bool is_named_cpu(const tune_target_facts *facts) {
  return facts->name.kind == TUNE_KIND_CPU && facts->name.device;
}

static tune_status ask_for_fingerprint(const tune_target_name *name, size_t threads,
                                       json_t **out_object) {
  // Of cuda's there is something to say.
  if (name->is_generic && name->kind != TUNE_KIND_CUDA)
    return take_json(generic_fingerprint(name->target), name->target, out_object);
  if (strcmp(name->target, "null") == 0)
    return take_json(null_fingerprint(), name->target, out_object);
  if (name->kind == TUNE_KIND_CPU && name->device)
    return describe_cpu(name, out_object);
  return ask(TUNE_DO_FINGERPRINT, name, threads, false, NULL, out_object);
}

//===- Facts --------------------------------------------------------------------===//

// A CPU is named by the user or by its fingerprint, and by both alike.
static tune_status take_cpu_name(tune_target_facts *facts) {
  if (facts->name.kind != TUNE_KIND_CPU)
    return TUNE_OK;
  const char *cpu = json_string_value(json_object_get(facts->fingerprint, "cpu"));
  if (facts->name.device && (!cpu || strcmp(cpu, facts->name.device) != 0))
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "the device is described, and it is %s, not cpu:%s; take the target cpu",
        tune_target_facts_model(facts), facts->name.device);
  if (cpu && !facts->name.device && !(facts->name.device = strdup(cpu)))
    return tune_status_out_of_memory("naming a target");
  facts->is_elsewhere = facts->is_elsewhere || cpu;
  return TUNE_OK;
}

// With a fingerprint that is `known`, or one that is asked for.
static tune_status fill(tune_target_facts *facts, const json_t *known, size_t threads) {
  if (known)
    TUNE_RETURN_IF_ERROR(take_json(json_deep_copy(known), facts->name.target, &facts->fingerprint));
  else
    TUNE_RETURN_IF_ERROR(ask_for_fingerprint(&facts->name, threads, &facts->fingerprint));
  TUNE_RETURN_IF_ERROR(take_cpu_name(facts));
  facts->threads = tune_target_facts_threads(facts->fingerprint, threads);
  return tune_target_facts_set_flush_cache(facts, false);
}

tune_status tune_target_facts_set_flush_cache(tune_target_facts *facts, bool flushes_cache) {
  facts->flushes_cache = flushes_cache;
  return tune_target_facts_digest(facts->fingerprint, facts->threads, flushes_cache,
                                  &facts->digest);
}

static tune_status create(const char *target, const json_t *known, bool is_generic, size_t threads,
                          tune_target_facts **out_facts) {
  *out_facts = NULL;
  tune_target_facts *facts = calloc(1, sizeof *facts);
  if (!facts)
    return tune_status_out_of_memory("the facts of the target %s", target);
  tune_status status = tune_target_name_init(&facts->name, target);
  if (tune_status_is_ok(status)) {
    facts->name.is_generic |= is_generic && facts->name.kind != TUNE_KIND_CPU;
    status = fill(facts, known, threads);
  }
  if (!tune_status_is_ok(status)) {
    tune_target_facts_destroy(facts);
    return status;
  }
  *out_facts = facts;
  return TUNE_OK;
}

// "cuda:sm_90" names what there is something to say of without such a device.
static bool names_architecture(const char *target) { return strncmp(target, "cuda:sm_", 8) == 0; }

tune_status tune_target_facts_create(const char *target, size_t threads,
                                     tune_target_facts **out_facts) {
  tune_status status = create(target, NULL, false, threads, out_facts);
  tune_status_code code = tune_status_get_code(status);
  // Where there are others, that none is of the architecture is NOT_FOUND.
  if (!names_architecture(target) || (code != TUNE_UNAVAILABLE && code != TUNE_NOT_FOUND))
    return status;
  tune_status_free(status);
  return create(target, NULL, true, threads, out_facts);
}

tune_status tune_target_facts_create_known(const char *target, const json_t *fingerprint,
                                           size_t threads, tune_target_facts **out_facts) {
  return create(target, fingerprint, !fingerprint, threads, out_facts);
}

tune_status tune_target_facts_create_for_code(const char *target, size_t threads,
                                              tune_target_facts **out_facts) {
  tune_status status = tune_target_facts_create(target, threads, out_facts);
  if (tune_status_get_code(status) != TUNE_UNAVAILABLE)
    return status;
  switch (tune_target_kind_of(target)) { // of those without a device behind a colon
  case TUNE_KIND_VULKAN:
    tune_status_free(status);
    return create(target, NULL, true, threads, out_facts);
  case TUNE_KIND_CUDA: {
    tune_status advice = tune_status_make(TUNE_UNAVAILABLE,
                                          "%s; code for a device that is not here is made for an "
                                          "architecture, as in cuda:sm_90",
                                          tune_status_get_message(status));
    tune_status_free(status);
    return advice;
  }
  default:
    return status;
  }
}

void tune_target_facts_destroy(tune_target_facts *facts) {
  if (!facts)
    return;
  tune_target_name_deinit(&facts->name);
  json_decref(facts->fingerprint);
  json_decref(facts->roofline);
  free(facts);
}

const json_t *tune_target_facts_device(const tune_target_facts *facts) {
  bool is_told = facts->name.kind == TUNE_KIND_CUDA ||
                 (facts->name.kind != TUNE_KIND_CPU && !facts->name.is_generic);
  return is_told ? facts->fingerprint : NULL;
}

tune_status tune_target_facts_require_device(const tune_target_facts *facts) {
  if (is_named_cpu(facts)) { // who has the machine says whether it has what the CPU has
    json_t *fingerprint;
    TUNE_RETURN_IF_ERROR(
        ask(TUNE_DO_FINGERPRINT, &facts->name, facts->threads, false, NULL, &fingerprint));
    json_decref(fingerprint);
    return TUNE_OK;
  }
  if (!facts->name.is_generic)
    return TUNE_OK;
  const char *target = facts->name.target;
  if (facts->name.device)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "nothing can be timed on %s:%s, of which no device is here: " MEASURER
                            " --fingerprint --target=%s says what there is",
                            target, facts->name.device, target);
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "nothing can be timed on %s:generic, which is any device: take %s, or "
                          "one of its devices",
                          target, target);
}

const char *tune_target_facts_describe(const tune_target_facts *facts,
                                       char text[TUNE_TARGET_FACTS_TEXT]) {
  // Where the count says nothing it is not said.
  bool has_threads = facts->name.kind == TUNE_KIND_CPU || facts->threads > 1;
  bool is_generic = facts->name.is_generic;
  const char *device = is_generic ? "generic" : "";
  if (facts->name.device && (is_generic || is_named_cpu(facts)))
    device = facts->name.device;
  int length = snprintf(text, TUNE_TARGET_FACTS_TEXT, "target %s%s%s", facts->name.target,
                        *device ? ":" : "", device);
  if (has_threads && length > 0 && length < TUNE_TARGET_FACTS_TEXT)
    length += snprintf(text + length, TUNE_TARGET_FACTS_TEXT - (size_t)length, " and %zu thread%s",
                       facts->threads, facts->threads == 1 ? "" : "s");
  if (facts->flushes_cache && length > 0 && length < TUNE_TARGET_FACTS_TEXT)
    snprintf(text + length, TUNE_TARGET_FACTS_TEXT - (size_t)length, ", caches flushed,");
  return text;
}

const char *tune_target_facts_model(const tune_target_facts *facts) {
  const char *model = json_string_value(json_object_get(facts->fingerprint, "model"));
  return model ? model : "";
}

//===- In the database ---------------------------------------------------------===//

// The fingerprint's members, the thread count, whether caches are flushed and, where it is known,
// the roofline.
static tune_status put(const tune_target_facts *facts, const json_t *roofline,
                       tune_database *database) {
  json_t *object = json_copy(facts->fingerprint);
  bool packed = object && json_object_set_new(object, "threads",
                                              json_integer((json_int_t)facts->threads)) == 0;
  if (packed && facts->flushes_cache)
    packed = json_object_set_new(object, "flush_cache", json_true()) == 0;
  if (packed && roofline)
    packed = json_object_set(object, "roofline", (json_t *)roofline) == 0;
  char *text = packed ? tune_json_dump(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  json_decref(object);
  if (!text)
    return tune_status_out_of_memory("keeping a fingerprint");
  tune_status status =
      tune_database_put_fingerprint(database, facts->digest.text, facts->name.target, text);
  free(text);
  return status;
}

// What the database has under the digest: a new reference, or NULL where there is none.
static tune_status get_kept(const tune_target_facts *facts, tune_database *database,
                            json_t **out_object) {
  tune_status status = tune_database_get_device(database, facts->digest.text, NULL, out_object);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status tune_target_facts_put(const tune_target_facts *facts, tune_database *database) {
  json_t *kept;
  TUNE_RETURN_IF_ERROR(get_kept(facts, database, &kept));
  bool is_known = kept != NULL;
  json_decref(kept);
  return is_known ? TUNE_OK : put(facts, facts->roofline, database);
}

// Takes one more measurement into the roofline and keeps that in `database`, which may be NULL.
static tune_status measure_roofline(tune_target_facts *facts, bool quick, tune_database *database) {
  json_t *measured;
  TUNE_RETURN_IF_ERROR(
      ask(TUNE_DO_ROOFLINE, &facts->name, facts->threads, quick, facts->interrupted, &measured));
  tune_status status = tune_kept_roofline_add(&facts->roofline, measured,
                                              (double)(tune_clock_date_milliseconds() / 1000));
  json_decref(measured);
  TUNE_RETURN_IF_ERROR(status);
  return database ? put(facts, facts->roofline, database) : TUNE_OK;
}

// Measures the roofline that was kept again if that is due; it is of use even where that fails, but
// for memory that ran out.
static tune_status refresh_roofline(tune_target_facts *facts, tune_database *database) {
  tune_roofline_need need =
      tune_kept_roofline_need(facts->roofline, (double)(tune_clock_date_milliseconds() / 1000));
  if (need == TUNE_ROOFLINE_TRUSTED)
    return TUNE_OK;
  bool had_one = facts->roofline != NULL;
  tune_status status = measure_roofline(facts, need == TUNE_ROOFLINE_QUICK, database);
  if (!had_one || tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status take_null_roofline(tune_target_facts *facts, tune_database *database) {
  if (facts->roofline)
    return TUNE_OK;
  facts->roofline = null_roofline();
  if (!facts->roofline)
    return tune_status_out_of_memory("the roofline of the target null");
  return database ? put(facts, facts->roofline, database) : TUNE_OK;
}

tune_status tune_target_facts_read_roofline(tune_target_facts *facts, tune_database *database) {
  if (facts->roofline)
    return TUNE_OK;
  json_t *kept = NULL;
  if (database)
    TUNE_RETURN_IF_ERROR(get_kept(facts, database, &kept));
  json_t *roofline = json_object_get(kept, "roofline");
  if (json_is_object(roofline))
    facts->roofline = json_incref(roofline);
  json_decref(kept);
  return (is_null(facts) ? take_null_roofline : refresh_roofline)(facts, database);
}

tune_status tune_target_facts_read_quick_roofline(tune_target_facts *facts) {
  if (facts->roofline)
    return TUNE_OK;
  return is_null(facts) ? take_null_roofline(facts, NULL) : measure_roofline(facts, true, NULL);
}

tune_status tune_target_facts_doubt_roofline(tune_target_facts *facts, tune_database *database) {
  if (is_null(facts) || !facts->roofline)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_kept_roofline_doubt(facts->roofline));
  return measure_roofline(facts, false, database);
}

//===- Figures ------------------------------------------------------------------===//

double tune_target_facts_peak(const tune_target_facts *facts, const char *type) {
  return tune_roofline_peak(facts->roofline, type, NULL);
}

double tune_target_facts_bandwidth(const tune_target_facts *facts, double bytes) {
  return tune_roofline_bandwidth(facts->roofline, bytes, facts->flushes_cache, NULL);
}

tune_roofline_share tune_target_facts_find_place(const tune_target_facts *facts,
                                                 const tune_task *task) {
  tune_roofline_work work = {.type = task->type ? task->type : "",
                             .flops = task->flops,
                             .bytes = task->bytes,
                             .flushes_cache = facts->flushes_cache};
  return tune_roofline_find_place(facts->roofline, &work);
}

double tune_target_facts_percent_of_roofline(const tune_target_facts *facts, const tune_task *task,
                                             double seconds) {
  tune_roofline_share place = tune_target_facts_find_place(facts, task);
  return tune_roofline_percent(&place, seconds);
}
