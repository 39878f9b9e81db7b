//===- replay.h - A record of the database, built and run once more --------------------===//
//
// What a search has tried is built and measured again as the search did it: the task alone, by the
// schedule of the record's config, checked against the plain lowering. The code is to be the same,
// bit for bit, and the verdict too.
//
// Threads: one.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_REPLAY_H
#define TUNE_TOOLS_TUNE_RUN_REPLAY_H

#include "tools/tune-run/settings.h"
#include "tuning/device/target_facts.h"

// Replays settings->record and reports on stdout. `*out_is_ok` where the code and the verdict are
// those of the record. FAILED_PRECONDITION where its schedule is not what the rules (or
// settings->schedule) make today.
tune_status replay_run(const run_settings *settings, const tune_target_facts *facts,
                       bool *out_is_ok);

#endif // TUNE_TOOLS_TUNE_RUN_REPLAY_H
