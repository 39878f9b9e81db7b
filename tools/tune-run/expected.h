//===- expected.h - Outputs as somebody else computed them -------------------===//
//
// What the reference computes says whether a schedule is right. Whether the module itself computes
// what the framework did that it comes from, says a file of the framework's outputs.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_EXPECTED_H
#define TUNE_TOOLS_TUNE_RUN_EXPECTED_H

#include "formats/measure_replies.h"
#include "formats/measure_requests.h"

typedef struct expected_outputs expected_outputs;

// Those in the file `path`, which is borrowed (array_file.h), of a module of the signature, by its
// outputs' order. They may differ by as much as candidates may from the reference. INVALID_ARGUMENT
// where there are more or fewer of them than outputs.
tune_status expected_create(const char *path, const char *folder, const json_t *signature,
                            const tune_check_wanted *check, expected_outputs **out_expected);
void expected_destroy(expected_outputs *expected);

// Adds files in the folder for those of `outputs`, paths of .npy files, that are gaps or beyond its
// end. The paths are borrowed, and have to stay until they were compared.
tune_status expected_add_paths(expected_outputs *expected, tune_text_list *outputs);
// Compares what is in these files now.
tune_status expected_compare(expected_outputs *expected, const tune_run_reply *run);

// Whether they were compared and are right.
bool expected_is_equal(const expected_outputs *expected);
// Why not; NULL where they are. Borrowed.
const char *expected_error(const expected_outputs *expected);

#endif // TUNE_TOOLS_TUNE_RUN_EXPECTED_H
