//===- status.c ---------------------------------------------------------------===//

#include "support/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tune_status_object {
  tune_status_code code;
  char *message; // owned; never NULL but in `out_of_memory`
};

static struct tune_status_object out_of_memory = {TUNE_OUT_OF_MEMORY, NULL};

static char *format_message(const char *format, va_list arguments) {
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    return NULL;
  return message;
}

// Takes `message`.
static tune_status make_owning(tune_status_code code, char *message) {
  struct tune_status_object *status = message ? malloc(sizeof *status) : NULL;
  if (!status) {
    free(message);
    return &out_of_memory;
  }
  status->code = code;
  status->message = message;
  return status;
}

tune_status tune_status_make(tune_status_code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = format_message(format, arguments);
  va_end(arguments);
  return make_owning(code, message);
}

tune_status tune_status_out_of_memory(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *message = format_message(format, arguments);
  va_end(arguments);
  return make_owning(TUNE_OUT_OF_MEMORY, message);
}

static tune_status_code code_of_errno(int error) {
  switch (error) {
  case ENOENT:
    return TUNE_NOT_FOUND;
  case EEXIST:
    return TUNE_ALREADY_EXISTS;
  case ENOMEM:
    return TUNE_OUT_OF_MEMORY;
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
  case EMFILE:
  case ENFILE:
  case EAGAIN:
  case EBUSY:
  case ENOTEMPTY:
    return TUNE_RESOURCE_EXHAUSTED;
  case ETIMEDOUT:
    return TUNE_DEADLINE_EXCEEDED;
  case EINVAL:
    return TUNE_INVALID_ARGUMENT;
  case EACCES:
  case EPERM:
  case EROFS:
  case EISDIR:
  case ENOTDIR:
  case ELOOP:
    return TUNE_FAILED_PRECONDITION;
  default:
    return TUNE_INTERNAL;
  }
}

tune_status tune_status_from_errno(int error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *context = format_message(format, arguments);
  va_end(arguments);
  if (!context)
    return &out_of_memory;
  tune_status status = tune_status_make(code_of_errno(error), "%s: %s", context, strerror(error));
  free(context);
  return status;
}

tune_status tune_status_annotate(tune_status status, const char *format, ...) {
  if (!status || status == &out_of_memory)
    return status;
  va_list arguments;
  va_start(arguments, format);
  char *context = format_message(format, arguments);
  va_end(arguments);
  char *message = NULL;
  // Where there is no memory for the context, the message without it is still the best one.
  if (context && asprintf(&message, "%s: %s", context, status->message) >= 0) {
    free(status->message);
    status->message = message;
  }
  free(context);
  return status;
}

tune_status tune_status_recode(tune_status status, tune_status_code code) {
  if (status && status->code != TUNE_OUT_OF_MEMORY)
    status->code = code;
  return status;
}

void tune_status_free(tune_status status) {
  if (!status || status == &out_of_memory)
    return;
  free(status->message);
  free(status);
}

tune_status tune_status_join(tune_status first, tune_status second) {
  if (tune_status_is_ok(first))
    return second;
  tune_status_free(second);
  return first;
}

tune_status_code tune_status_get_code(tune_status status) {
  return status ? status->code : TUNE_STATUS_OK;
}

const char *tune_status_get_message(tune_status status) {
  if (!status)
    return "OK";
  return status->message ? status->message : "out of memory";
}

const char *tune_status_code_name(tune_status_code code) {
  switch (code) {
  case TUNE_STATUS_OK:
    return "ok";
  case TUNE_INVALID_ARGUMENT:
    return "invalid argument";
  case TUNE_NOT_FOUND:
    return "not found";
  case TUNE_ALREADY_EXISTS:
    return "already exists";
  case TUNE_FAILED_PRECONDITION:
    return "failed precondition";
  case TUNE_OUT_OF_MEMORY:
    return "out of memory";
  case TUNE_RESOURCE_EXHAUSTED:
    return "resource exhausted";
  case TUNE_DEADLINE_EXCEEDED:
    return "deadline exceeded";
  case TUNE_CANCELLED:
    return "cancelled";
  case TUNE_UNAVAILABLE:
    return "unavailable";
  case TUNE_DATA_LOSS:
    return "data loss";
  case TUNE_INTERNAL:
    return "internal";
  }
  return "unknown";
}
