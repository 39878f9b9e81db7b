//===- record_internal.h - Members of a record's JSON ------------------------===//
//
// Internal to record*.c and to what a record is made of (check_result.c, counts.c): one wording for
// members that are not what they have to be. From the bottom up: record.c (the value),
// record_members.c (its members, as they are), record_validate.c, record_json.c.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_RECORD_INTERNAL_H
#define TUNE_TUNING_RECORD_RECORD_INTERNAL_H

#include "support/status.h"

#include "tuning/record/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// INVALID_ARGUMENT: the member `name` is not `expected`.
tune_status tune_record_wrong_member(const char *name, const char *expected);
// Refuses members that are not in `names`, a NULL-terminated list.
tune_status tune_record_refuse_unknown(const json_t *object, const char *where,
                                       const char *const *names);
tune_status tune_record_get_number(const json_t *object, const char *name, double *out_value);
// An integer from 0 on.
tune_status tune_record_get_count(const json_t *object, const char *name, int64_t *out_count);
// Refuses what is not finite, or below 0.
tune_status tune_record_require_number(const char *name, double value);
// Sets `name` to `value`, whose reference it takes; clears `*ok` where there is no memory.
void tune_record_set(json_t *object, const char *name, json_t *value, bool *ok);
// The same of a number; -0 is 0, as it is read.
void tune_record_set_real(json_t *object, const char *name, double value, bool *ok);

// All members of a valid record, into `object`; NULL: memory had run out.
tune_status tune_record_write_members(const tune_record *record, json_t *object);
// What `object` says, valid or not, into an empty record; one that has to be deinited also after a
// failure. Its config is valid.
tune_status tune_record_read_members(const json_t *object, tune_record *record);

// What a record's config may be, and all else of it; what its texts are, and what is a number
// alone.
tune_status tune_record_validate_config(const json_t *config);
tune_status tune_record_validate_all_but_config(const tune_record *record);
tune_status tune_record_require_utf8(const tune_record *record);
tune_status tune_record_validate_numbers(const tune_record *record);

#endif // TUNE_TUNING_RECORD_RECORD_INTERNAL_H
