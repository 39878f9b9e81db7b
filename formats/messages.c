//===- messages.c - What all messages of the two servers have ----------------===//

#include "formats/messages.h"

static const char VERB[] = "do"; // a word of C's, so that no field can be called so
// Also fields of requests: repeated as they came, whatever the request.
static const char TICKET[] = "ticket", TASK[] = "task";

const char *tune_request_verb(const json_t *request) {
  return json_string_value(json_object_get(request, VERB));
}

tune_status tune_request_finish(tune_status status, const char *verb, json_t **request) {
  TUNE_RETURN_IF_ERROR(status);
  if (json_object_set_new(*request, VERB, json_string(verb)) == 0)
    return TUNE_OK;
  json_decref(*request);
  *request = NULL;
  return tune_status_out_of_memory("writing a request");
}

tune_status tune_request_to_json(const char *verb, json_t **out_request) {
  return tune_request_finish(tune_members_to_json(NULL, 0, NULL, out_request), verb, out_request);
}

const tune_member tune_limits_members[TUNE_LIMITS_MEMBERS] = {
    {TUNE_MEMBER(tune_limits, seconds), .least = 1e-3},
    {TUNE_MEMBER(tune_limits, bytes), .least = 1},
};

static const tune_member head_members[] = {
    {TUNE_MEMBER(tune_reply_head, ticket), .least = 1},
    {TUNE_MEMBER(tune_reply_head, task)},
    {TUNE_MEMBER(tune_reply_head, waiting), .least = 0x1p-1022},
    {TUNE_MEMBER(tune_reply_head, holder)},
    {TUNE_MEMBER(tune_reply_head, waited), .least = 0x1p-1022},
    {TUNE_MEMBER(tune_reply_head, run_again)},
};

TUNE_FORMAT_DEFINE(tune_reply_head, head_members)

tune_reply_head tune_reply_head_of(const json_t *reply) {
  tune_reply_head head;
  tune_status status = tune_reply_head_from_json(reply, &head);
  bool is_whole = tune_status_is_ok(status);
  tune_status_free(status);
  return is_whole ? head : (tune_reply_head){0};
}

tune_status tune_reply_add_head(const tune_reply_head *head, json_t *reply) {
  json_t *members;
  TUNE_RETURN_IF_ERROR(tune_reply_head_to_json(head, &members));
  return json_object_update_new(reply, members) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("answering a request");
}

tune_status tune_reply_was_read(tune_status status) {
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  return tune_status_recode(tune_status_annotate(status, "a reply"), TUNE_DATA_LOSS);
}

bool tune_reply_is_notice(const json_t *reply) { return json_object_get(reply, "waiting") != NULL; }

static bool echo(const json_t *request, const char *name, json_t *reply) {
  json_t *member = json_object_get(request, name);
  return member && json_object_set(reply, name, member) == 0;
}

void tune_reply_echo(const json_t *request, json_t *reply) {
  echo(request, TICKET, reply);
  echo(request, TASK, reply);
}

void tune_reply_echo_one(const json_t *request, json_t *reply) {
  if (!echo(request, TICKET, reply))
    echo(request, TASK, reply);
}
