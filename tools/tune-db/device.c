//===- device_facts.c - tune-db device ----------------------------------------------===//

#include "tools/tune-db/tune_db.h"

#include <stdlib.h>

// What a database keeps beside a fingerprint (tuning/device/target_facts.c).
static void take_off_kept(json_t *description) {
  json_int_t threads = json_integer_value(json_object_get(description, "threads"));
  json_object_del(description, "threads");
  json_object_del(description, "roofline");
  if (json_is_true(json_object_get(description, "flush_cache")))
    fprintf(stderr, "tune-db device: its records are of flushed caches (flush-cache)\n");
  json_object_del(description, "flush_cache");
  if (threads > 1)
    fprintf(stderr, "tune-db device: its records are of %lld threads\n", (long long)threads);
}

static tune_status print_device(const tune_db_context *context, void *user) {
  (void)user;
  char *digest;
  json_t *fingerprint;
  TUNE_RETURN_IF_ERROR(
      tune_database_find_fingerprint(context->database, context->operands->values[0], &digest));
  tune_status status = tune_database_get_device(context->database, digest, NULL, &fingerprint);
  free(digest);
  TUNE_RETURN_IF_ERROR(status);
  take_off_kept(fingerprint);
  return tune_db_print_json(fingerprint);
}

int tune_db_device(int argc, char **argv) {
  tune_db_context context = {0};
  const tune_option options[] = {TUNE_DB_OPTION_DB(&context.path)};
  const tune_command command = {
      .name = "tune-db device",
      .operands = "FINGERPRINT",
      .summary = "Prints the device, or CPU, that records ran on, as `tune-measure --fingerprint` "
                 "does where it is: for device= of tune-apply and tune-lower, and --device= of "
                 "tune-run. FINGERPRINT is the start of its digest, or what `tune-db list` shows, "
                 "as cuda:1a2b3c.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 1,
      .operand_maximum = 1,
  };
  const tune_db_job job = {.command = &command, .run = print_device};
  return tune_db_run(&job, &context, argc, argv);
}
