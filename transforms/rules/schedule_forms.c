//===- schedule_forms.c -------------------------------------------------------===//

#include "transforms/rules/schedule_forms.h"

#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"

static bool is_raw(const tune_schedule_form *form) {
  return strcmp(form->layout, TUNE_LAYOUT_RAW) == 0;
}

bool tune_schedule_form_is_whole(const tune_schedule_form *form) {
  const tune_writer *w = &form->writer;
  return w->body_count == 2 && w->bodies[0].begin < w->bodies[0].end && w->bodies[1].begin &&
         w->preparation.begin < w->preparation.end;
}

static void append(tune_writer *writer, const tune_writer *from, tune_span span) {
  writer->text.failed |= from->text.failed;
  if (span.begin < span.end)
    tune_string_builder_append_bytes(&writer->text, from->text.text + span.begin,
                                     span.end - span.begin);
}

// As it comes in the text, without what it is indented by.
static void append_comment(tune_writer *writer, const tune_writer *from) {
  tune_span comment = from->comment;
  while (comment.begin < comment.end && from->text.text[comment.begin] == ' ')
    comment.begin++;
  append(writer, from, comment);
}

// A region for each form of what sequence `sequence` does; the raw form comes first.
static void write_alternatives(tune_schedule_form *const forms[2], size_t default_index,
                               size_t sequence, tune_writer *writer) {
  char labels[64];
  snprintf(labels, sizeof labels, "\"%s\", \"%s\"", forms[0]->layout, forms[1]->layout);
  tune_writer_begin_alternatives(writer, NULL, TUNE_LAYOUT_KNOB, TUNE_LEVEL_GRAPH, labels,
                                 (int64_t)default_index, 0);
  append(writer, &forms[0]->writer, forms[0]->writer.bodies[sequence]);
  tune_writer_next_alternative(writer, NULL, 0);
  append(writer, &forms[1]->writer, forms[1]->writer.bodies[sequence]);
  tune_writer_end_alternatives(writer, NULL, 0);
}

// The handle is consumed within regions, where upstream does not look for it: it is, once one of
// them is selected (schedule.h).
static void begin_sequence(tune_writer *writer, const char *name, const char *argument) {
  tune_writer_line(writer, "transform.named_sequence @%s(%s: " OP " {transform.readonly})", name,
                   argument);
  tune_writer_line(writer, "    attributes {tune.consumes} {");
  writer->indent++;
}

static void take_failure(tune_writer *writer, tune_writer *from) {
  if (tune_status_is_ok(from->failure) || !tune_status_is_ok(writer->failure))
    return;
  writer->failure = from->failure;
  from->failure = TUNE_OK;
}

void tune_schedule_forms_write(tune_schedule_form forms[2], tune_writer *writer) {
  size_t raw = is_raw(&forms[0]) ? 0 : 1;
  tune_schedule_form *const ordered[2] = {&forms[raw], &forms[1 - raw]};
  for (size_t i = 0; i < 2; i++) {
    take_failure(writer, &forms[i].writer);
    append_comment(writer, &forms[i].writer);
  }
  tune_writer_line(writer, "module attributes {transform.with_named_sequence} {");
  writer->indent++;
  begin_sequence(writer, "tune_tensors", "%task");
  write_alternatives(ordered, raw, 0, writer);
  tune_writer_end_sequence(writer);
  begin_sequence(writer, "tune_buffers", "%func");
  write_alternatives(ordered, raw, 1, writer);
  tune_writer_end_sequence(writer);
  for (size_t i = 0; i < 2; i++)
    append(writer, &forms[i].writer, forms[i].writer.preparation);
  tune_writer_end_module(writer);
}
