//===- settings.h - The settings of a run, from the command line -------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_SETTINGS_H
#define TUNE_TOOLS_TUNE_RUN_SETTINGS_H

#include "tools/common/options.h"

typedef enum emit_form {
  EMIT_NONE,
  EMIT_SO, // the artifact, whatever the target
  EMIT_OBJ,
  EMIT_LLVM,
  EMIT_ASM,
  EMIT_PROGRAM, // the artifact of a device
  EMIT_SPIRV,
  EMIT_PTX,
  EMIT_CUBIN,
} emit_form;
typedef enum report_format { FORMAT_TEXT, FORMAT_JSON } report_format;

// Their words; the first is the default. NULL-terminated.
extern const char *const settings_emit_names[];
extern const char *const settings_format_names[];

// Texts are borrowed from argv.
typedef struct run_settings {
  tune_arguments arguments;
  const char *module;         // a path; "-": stdin; NULL where a record is replayed
  const char *record;         // the record to replay: its digest, or the start of it; NULL: none
  const char *function;       // NULL: the only one, or @main
  const char *target;         // tuning/device/target_name.h
  const char *device;         // a file with its fingerprint, to make code for; NULL: it is here
  const char *database;       // NULL: the default one, if it is there and nothing is
                              // compared; "": none
  const char *config;         // "mc=64,nr=32", or NULL
  const char *schedule;       // a path, or NULL
  const char *allowed_passes; // that it may run beside those listed, "a,b", or NULL
  int64_t threads;
  int64_t seed;
  int64_t dynamic;          // what unknown dimensions are; 0: tune-measure decides
  double seconds;           // of timing, for each module
  double build_seconds;     // that each build may take
  double run_seconds;       // that one run of the module, or of its plain lowering, may take
  double precision;         // half the interval of a median, relative to it, that is enough
  const char *input_file;   // of all arguments, .npz or .safetensors; or NULL
  const char *expected;     // of all outputs, the same; or NULL
  tune_option_list inputs;  // .npy files in the order of the arguments; "-": seeded
  tune_option_list outputs; // .npy files in the order of the outputs, "-": not wanted; with emit,
                            // the one file to write
  tune_option_list compare; // other modules
  bool has_seed;            // it was given, and random inputs are meant
  bool checks;
  bool is_strict;   // a task whose schedule fails gets no other one
  bool flush_cache; // ahead of each run that is timed, and records are of such
  bool counters;    // of the processor, beside times
  bool profiles;    // the module times its tasks
  size_t emit;      // an emit_form
  size_t format;    // a report_format
} run_settings;

// Reads the command line. With --help or --version prints and sets `*out_is_done`. INVALID_ARGUMENT
// for wrong usage. `argv` must outlive the settings, which are to be deinitialised in any case.
tune_status settings_parse(int argc, char **argv, run_settings *out_settings, bool *out_is_done);
void settings_deinit(run_settings *s);

// The database to take schedules from, as a path; the caller's, to free. NULL: none.
tune_status settings_find_database(const run_settings *s, char **out_path);

// The same for what --db names: NULL is the default one, if it is there, "" none.
tune_status settings_find_named_database(const char *name, char **out_path);

// INVALID_ARGUMENT where writing `output` would overwrite the module.
tune_status settings_check_output(const char *module, const char *output);

// What is told to tune-worker is JSON, which has no room for other bytes: INVALID_ARGUMENT for an
// argument that is no UTF-8.
tune_status settings_check_utf8(int argc, char **argv);

#endif // TUNE_TOOLS_TUNE_RUN_SETTINGS_H
