//===- schedule_forms.h - One schedule of a task in two layouts ---------------===//
//
// What joined a product can be taken as it is, or moved out of its way (layouts.h), and neither is
// always the faster one. So where some rule takes the task either way, both are in its space: the
// knob `layout` says which, and all knobs of the one that is not the default begin with the name of
// its layout, "raw_mc". It decides the rule as well, so its level is graph.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_SCHEDULE_FORMS_H
#define TUNE_TRANSFORMS_RULES_SCHEDULE_FORMS_H

#include "transforms/rules/schedule_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the layout in which nothing is changed.
#define TUNE_LAYOUT_RAW "raw"
// The name of the knob.
#define TUNE_LAYOUT_KNOB "layout"

// What a rule has written, with an `indent` of 1.
typedef struct tune_schedule_form {
  const char *layout; // as tune_layout.name, or TUNE_LAYOUT_RAW
  tune_writer writer;
} tune_schedule_form;

// Whether `form` has what can be joined: @tune_tensors, @tune_buffers and @tune_prepare.
bool tune_schedule_form_is_whole(const tune_schedule_form *form);

// Writes the schedule of both, the first of which is the default. A failure of one of them is the
// writer's then.
void tune_schedule_forms_write(tune_schedule_form forms[2], tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_SCHEDULE_FORMS_H
