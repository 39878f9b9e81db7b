//===- given_arrays.h - The arrays that arguments come from ------------------===//
//
// Of --inputs, a file with several, or of --input, one file for each. Those of one file go by their
// names where all of these are names of arguments in the module's text (`%x`), else by their order
// (array_file.h). What is wrong with an array is said ahead of builds, by the names that the user
// knows.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_GIVEN_ARRAYS_H
#define TUNE_TOOLS_TUNE_RUN_GIVEN_ARRAYS_H

#include "formats/signature.h"
#include "formats/worker_replies.h"
#include "tools/tune-run/settings.h"
#include "tuning/arrays/array_file.h"

#include <jansson.h>

typedef struct given_arrays {
  tune_array_file file;   // unpacked from --inputs
  const char **paths;     // of .npy files, by argument; NULL: it is made by the seed
  tune_value_type *types; // of the arguments, with the shapes of the arrays that there are
  size_t count;           // of arguments, once they are matched
  bool has_any;           // --inputs or --input were given
  char **names;           // of the arguments in the module's text; NULL where there are none
} given_arrays;

// Unpacks --inputs, if there is one, into `folder`. To be deinitialized whatever comes of it, as
// after the next one.
tune_status given_arrays_unpack(const run_settings *settings, const char *folder,
                                given_arrays *out_arrays);
// Finds the arrays of the arguments of `signature`, of the function named `function` in the module
// `text` (`size` bytes), and looks at their types. INVALID_ARGUMENT for one that does not fit, for
// too many of them, and with --expect where one is missing.
tune_status given_arrays_match(given_arrays *arrays, const run_settings *settings, const char *text,
                               size_t size, const char *function, const json_t *signature);
// INVALID_ARGUMENT, with the place in the module, where two of the sizes that have to be equal are
// not, once the arguments of `signature` have those of the arrays and `sizes` where these leave
// them open (subject_sizes.h).
tune_status given_arrays_check_sizes(const given_arrays *arrays, const json_t *signature,
                                     const tune_shape *sizes, const tune_equal_size_list *equal);
// "argument 1 (%x)", into `text`.
#define GIVEN_ARRAYS_NAME 512
void given_arrays_name_argument(const given_arrays *arrays, size_t argument,
                                char text[GIVEN_ARRAYS_NAME]);
// Appends a note to `notes` where names of arrays say nothing, so that their order counts, and on
// each argument that is left to the seed although others are given.
void given_arrays_tell(const given_arrays *arrays, const run_settings *settings, json_t *notes);
void given_arrays_deinit(given_arrays *arrays);

#endif // TUNE_TOOLS_TUNE_RUN_GIVEN_ARRAYS_H
