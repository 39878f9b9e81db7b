//===- choices.h - The decisions on an op ----------------------------------------===//
//
// An op that is tuned carries its decisions in one dictionary attribute:
//
//   linalg.matmul {tune.choices = {
//       mc = #tune.tile<[32, 64, 128]>,                       // open: a domain
//       nr = #tune.chosen<"tile", 32, "search:evolutionary">, // taken
//       lowering = "dot",                                     // taken by the user
//   }} ins(...) outs(...)
//
// tune-annotate writes domains, a user narrows or pins them, tune-search leaves what it
// chose, tune-apply and tune-lower act on it. tune_choices is that dictionary in C.
//
// An op may carry the decisions for several targets, each in a dictionary of its own:
//
//   linalg.matmul {tune.choices = {cpu = {mc = 64}, vulkan = {invocation_x = 4}}} ins(...) ...
//
// Errors are INVALID_ARGUMENT and tell the place: "in.mlir:14:8: error: tune.choices: ...".
// OUT_OF_MEMORY is possible from all that make something.
//
// Threads: values; the functions on ops follow MLIR: many may read, one may write.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_CHOICES_H
#define TUNE_DIALECTS_CHOICES_H

#include "dialects/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the attribute.
#define TUNE_CHOICES_ATTRIBUTE "tune.choices"

typedef struct tune_choice {
  char *name;         // of the knob
  bool is_open;       // which of the two below is meant
  tune_domain domain; // where open
  tune_chosen chosen; // where taken
} tune_choice;

// Sorted by name, without doubles. All zero is a valid, empty list.
typedef struct tune_choices {
  size_t count;
  tune_choice *items;
  const char *target; // borrowed: which of the op's dictionaries it is; NULL: the op has only one
} tune_choices;

// What the dictionaries of targets are called: "cpu", "cuda", "null", "vulkan", and then NULL.
extern const char *const tune_choices_targets[];

void tune_choices_deinit(tune_choices *choices);

// Whether `op` carries decisions, right or wrong ones.
bool tune_choices_are_on(MlirOperation op);

// Whether `root` does, or any op in it.
bool tune_choices_are_in(MlirOperation root);

// Whether `op` has a dictionary for each target.
bool tune_choices_are_by_target(MlirOperation op);

// Reads the decisions on `op` for `target` (borrowed), one of tune_choices_targets; an op without
// any has an empty list. The decisions of an op that says no target are for whichever is asked for.
tune_status tune_choices_read(MlirOperation op, const char *target, tune_choices *out_choices);
// Puts `choices` on `op` in place of what was there, or of what was there for their target; an
// empty list takes the attribute, or the dictionary of the target, away. FAILED_PRECONDITION where
// they are of a target and the op has decisions that say none. The tune dialect has to be loaded in
// the op's context (tune_dialect.h).
tune_status tune_choices_write(MlirOperation op, const tune_choices *choices);

// The decision named `name`, borrowed until the list changes, or NULL.
const tune_choice *tune_choices_find(const tune_choices *choices, const char *name);

// Sets the decision named `name`, which need not be there yet, to a copy of `domain` or `chosen`.
// INVALID_ARGUMENT where `name` is not a word ([A-Za-z_][A-Za-z0-9_.-]*); values are checked when
// they are written.
tune_status tune_choices_set_open(tune_choices *choices, const char *name,
                                  const tune_domain *domain);
tune_status tune_choices_set_chosen(tune_choices *choices, const char *name,
                                    const tune_chosen *chosen);

// Checks the decisions on `root` and on all ops inside it. All our passes begin with this. Also
// refuses an attribute whose name looks like a mistyped tune.choices, which would be ignored.
tune_status tune_choices_verify(MlirOperation root);

// Takes the decisions off `root` and off all ops inside it, right or wrong ones.
void tune_choices_strip(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_CHOICES_H
