//===- emit.h - Writing code and its C header to files -----------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_EMIT_H
#define TUNE_TOOLS_TUNE_RUN_EMIT_H

#include "tools/tune-run/settings.h"
#include "tuning/device/target_facts.h"

// Builds the module and writes what `settings->emit` says to the only output: code for the CPU with
// its C header (c_header.h) beside it, in a file of the same name with the ending .h; SPIR-V as
// tools/common/program_files.h says. `facts` are those of the device; NULL: this machine's CPU.
tune_status emit_run(const run_settings *settings, const tune_target_facts *facts);

#endif // TUNE_TOOLS_TUNE_RUN_EMIT_H
