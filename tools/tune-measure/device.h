//===- device.h - Requests for fingerprints and rooflines --------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_DEVICE_H
#define TUNE_TOOLS_TUNE_MEASURE_DEVICE_H

#include "formats/measure_replies.h"
#include "formats/measure_requests.h"
#include "tools/tune-measure/child.h"

// Answers the requests "fingerprint" and "roofline" of docs/protocol.md: their members, without
// ticket and task. In a child, since opening a target pins the process. `watch` may be NULL.
tune_status device_ask(const tune_device_request *request, bool wants_roofline,
                       const child_watch *watch, json_t **out_reply);

// The same, and takes the fingerprint, or the roofline, out of it: a new reference.
tune_status device_ask_object(const tune_device_request *request, bool wants_roofline,
                              const child_watch *watch, json_t **out_object);

// The same ("fingerprint" or "roofline") as one line of JSON on stdout. `device` may be NULL.
tune_status device_print(const char *what, const char *target, const char *device, int64_t threads);

#endif // TUNE_TOOLS_TUNE_MEASURE_DEVICE_H
