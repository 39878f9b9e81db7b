//===- export.h - tune-run export: candidates, to be measured elsewhere --------------===//
//
// Builds candidates of each task of a module and writes them as one file, which tune-measure
// takes on any machine (tuning/remote/export_file.h).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_EXPORT_H
#define TUNE_TOOLS_TUNE_RUN_EXPORT_H

#include "tools/common/options.h"

// Texts are borrowed from argv.
typedef struct export_settings {
  tune_arguments arguments;
  const char *module;         // a path; "-": stdin
  const char *function;       // NULL: the only one, or @main
  const char *target;         // tuning/device/target_name.h
  const char *device;         // a file with the fingerprint of the other machine; NULL: this one's
  const char *database;       // NULL: the default one, if it is there; "": none
  const char *schedule;       // a path, or NULL
  const char *allowed_passes; // that it may run beside those listed, "a,b", or NULL
  const char *output;
  tune_option_list configs; // "mc=64,nr=32"
  bool flush_cache;         // ahead of each run that is timed, and records are of such
  int64_t threads;
  int64_t trials; // random configs of each task
  int64_t seed;
  int64_t dynamic; // what unknown dimensions are; 0: tune-measure decides
} export_settings;

// As settings_parse (settings.h); argv[0] is "export".
tune_status export_settings_parse(int argc, char **argv, export_settings *out_settings,
                                  bool *out_is_done);
void export_settings_deinit(export_settings *s);

// UNAVAILABLE where no device of the target is here, unless it needs none.
tune_status export_run(const export_settings *settings);

#endif // TUNE_TOOLS_TUNE_RUN_EXPORT_H
