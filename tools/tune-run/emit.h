//===- emit.h - Code into a file, with a header --------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_EMIT_H
#define TUNE_TOOLS_TUNE_RUN_EMIT_H

#include "tools/tune-run/settings.h"

// Builds the module and writes what `settings->emit` says to the only output, and its C header
// (c_header.h) beside it, in a file of the same name with the ending .h.
tune_status emit_run(const run_settings *settings);

#endif // TUNE_TOOLS_TUNE_RUN_EMIT_H
