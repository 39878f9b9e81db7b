//===- diagnostic.c - MLIR diagnostics as statuses, and back -----------------===//

#include "dialects/diagnostic.h"

#include "dialects/extensible.h"
#include "dialects/printing.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Notes such as "see current operation" print whole functions; of a note this many bytes are kept.
#define NOTE_BYTES 400
// A pass that complains at every op of a module does not fill memory.
#define COLLECTED_BYTES ((size_t)64 << 10)

//===--------------------------------------------------------------------------===//
// Locations
//===--------------------------------------------------------------------------===//

// The part of `location` that is a place in a file, or a null location.
static MlirLocation find_place(MlirLocation location) {
  for (;;) {
    if (mlirLocationIsAFileLineColRange(location))
      return location;
    if (mlirLocationIsAName(location)) {
      location = mlirLocationNameGetChildLoc(location);
    } else if (mlirLocationIsACallSite(location)) {
      location = mlirLocationCallSiteGetCallee(location);
    } else if (mlirLocationIsAFused(location)) {
      unsigned count = mlirLocationFusedGetNumLocations(location);
      MlirLocation *parts = calloc(count ? count : 1, sizeof *parts);
      MlirLocation place = {NULL};
      if (parts)
        mlirLocationFusedGetLocations(location, parts);
      for (unsigned i = 0; parts && i < count && mlirLocationIsNull(place); ++i)
        place = find_place(parts[i]);
      free(parts);
      return place;
    } else {
      return (MlirLocation){NULL};
    }
  }
}

// A module without braces is at line 0, column 0 of its file.
static bool is_line_0(MlirLocation place) {
  return !mlirLocationIsNull(place) && mlirLocationFileLineColRangeGetStartLine(place) == 0;
}

// The place of the first op in `op` that has one, at a line; or a null location.
static MlirLocation find_first_place(MlirOperation op) {
  MlirLocation place = {NULL};
  MlirRegion region = mlirOperationGetFirstRegion(op);
  MlirBlock block = mlirRegionIsNull(region) ? (MlirBlock){NULL} : mlirRegionGetFirstBlock(region);
  MlirOperation inner =
      mlirBlockIsNull(block) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(block);
  for (; !mlirOperationIsNull(inner) && mlirLocationIsNull(place);
       inner = mlirOperationGetNextInBlock(inner)) {
    place = find_place(mlirOperationGetLocation(inner));
    if (is_line_0(place))
      place = (MlirLocation){NULL};
  }
  return place;
}

MlirLocation tune_location_get(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op), place = find_place(location);
  if (!is_line_0(place))
    return location;
  MlirLocation first = find_first_place(op);
  if (!mlirLocationIsNull(first))
    return first;
  MlirIdentifier file = mlirLocationFileLineColRangeGetFilename(place);
  return mlirLocationFileLineColGet(mlirOperationGetContext(op), mlirIdentifierStr(file), 1, 1);
}

void tune_location_append(tune_string_builder *builder, MlirLocation location) {
  MlirLocation place = find_place(location);
  if (mlirLocationIsNull(place)) {
    tune_string_builder_append(builder, "<unknown>");
    return;
  }
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
  tune_string_builder_append_bytes(builder, file.data, file.length);
  tune_string_builder_appendf(builder, ":%d:%d", mlirLocationFileLineColRangeGetStartLine(place),
                              mlirLocationFileLineColRangeGetStartColumn(place));
}

// A place told in a message: "<before><file>:<line>:<column>: error: <rest>".
typedef struct told_place {
  const char *file;
  size_t file_length;
  unsigned line;
  unsigned column;
  const char *rest;
} told_place;

// Reads ":<number>" at `text` and returns what follows it, or NULL.
static const char *read_number(const char *text, unsigned *out_number) {
  if (text[0] != ':' || !isdigit((unsigned char)text[1]))
    return NULL;
  char *end;
  *out_number = (unsigned)strtoul(text + 1, &end, 10);
  return end;
}

// Finds the first place in the line at `text`. The file is what stands before it, from the begin of
// the line or from the last ": ", which is how tune_status_annotate separates.
static bool find_told_place(const char *text, const char *severity, told_place *out_place) {
  size_t severity_length = strlen(severity);
  const char *file = text;
  for (const char *c = text; *c && *c != '\n'; ++c) {
    if (c[0] == ':' && c[1] == ' ')
      file = c + 2;
    const char *end = read_number(c, &out_place->line);
    end = end ? read_number(end, &out_place->column) : NULL;
    if (!end || strncmp(end, ": ", 2) != 0 || strncmp(end + 2, severity, severity_length) != 0)
      continue;
    out_place->file = file;
    out_place->file_length = (size_t)(c - file);
    out_place->rest = end + 2 + severity_length;
    return out_place->file_length > 0;
  }
  return false;
}

bool tune_status_is_located(tune_status status) {
  told_place place;
  return find_told_place(tune_status_get_message(status), "error: ", &place);
}

tune_status tune_status_locate(tune_status status, MlirLocation location) {
  if (tune_status_is_ok(status) || mlirLocationIsNull(find_place(location)) ||
      tune_status_is_located(status))
    return status;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_location_append(&text, location);
  // annotate adds ": " itself.
  tune_string_builder_append(&text, ": error");
  if (!text.failed)
    status = tune_status_annotate(status, "%s", text.text);
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status make_located(tune_status_code code, MlirLocation location, const char *format,
                                va_list arguments) {
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    return tune_status_out_of_memory("reporting an error");
  tune_status status = tune_status_locate(tune_status_make(code, "%s", message), location);
  free(message);
  return status;
}

tune_status tune_status_make_located(tune_status_code code, MlirLocation location,
                                     const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tune_status status = make_located(code, location, format, arguments);
  va_end(arguments);
  return status;
}

tune_status tune_status_make_at(tune_status_code code, MlirOperation op, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tune_status status = make_located(code, tune_location_get(op), format, arguments);
  va_end(arguments);
  return status;
}

//===--------------------------------------------------------------------------===//
// From MLIR to statuses
//===--------------------------------------------------------------------------===//

static void append_place(tune_string_builder *out, MlirLocation location) {
  MlirLocation place = find_place(location);
  if (mlirLocationIsNull(place) || is_line_0(place))
    return;
  tune_location_append(out, place);
  tune_string_builder_append(out, ": ");
}

static void append_note(tune_string_builder *out, MlirDiagnostic note) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirDiagnosticPrint(note, tune_printing_append, &text);
  tune_string_builder_append(out, "\n");
  append_place(out, mlirDiagnosticGetLocation(note));
  tune_string_builder_append(out, "note: ");
  size_t length = text.length;
  if (length > NOTE_BYTES)
    length = NOTE_BYTES;
  // A note is a line: what is printed over several lines is IR, whose first line tells what it is.
  const char *newline = length ? memchr(text.text, '\n', length) : NULL;
  if (newline)
    length = (size_t)(newline - text.text);
  tune_string_builder_append_bytes(out, text.text ? text.text : "", length);
  if (length < text.length)
    tune_string_builder_append(out, " ...");
  tune_string_builder_deinit(&text);
}

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *user_data) {
  tune_diagnostics *diagnostics = user_data;
  if (diagnostics->only_this_thread && !pthread_equal(pthread_self(), diagnostics->thread))
    return mlirLogicalResultFailure();
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  if (severity != MlirDiagnosticError && severity != MlirDiagnosticWarning)
    return mlirLogicalResultSuccess();
  bool is_error = severity == MlirDiagnosticError;
  size_t *count = is_error ? &diagnostics->error_count : &diagnostics->warning_count;
  tune_string_builder *out = is_error ? &diagnostics->errors : &diagnostics->warnings;
  ++*count;
  if (out->length > COLLECTED_BYTES)
    return mlirLogicalResultSuccess();
  if (out->length)
    tune_string_builder_append(out, "\n");
  append_place(out, mlirDiagnosticGetLocation(diagnostic));
  tune_string_builder_append(out, is_error ? "error: " : "warning: ");
  mlirDiagnosticPrint(diagnostic, tune_printing_append, out);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    append_note(out, mlirDiagnosticGetNote(diagnostic, i));
  return mlirLogicalResultSuccess();
}

static void begin(tune_diagnostics *diagnostics, MlirContext context, bool only_this_thread) {
  *diagnostics = (tune_diagnostics){.context = context,
                                    .attached = true,
                                    .only_this_thread = only_this_thread,
                                    .thread = pthread_self()};
  tune_string_builder_init(&diagnostics->errors);
  tune_string_builder_init(&diagnostics->warnings);
  diagnostics->id = mlirContextAttachDiagnosticHandler(context, collect, diagnostics, NULL);
}

void tune_diagnostics_begin(tune_diagnostics *diagnostics, MlirContext context) {
  begin(diagnostics, context, false);
}

void tune_diagnostics_begin_thread(tune_diagnostics *diagnostics, MlirContext context) {
  begin(diagnostics, context, true);
}

tune_status tune_diagnostics_end(tune_diagnostics *diagnostics, bool failed, tune_status_code code,
                                 const char *what) {
  if (diagnostics->attached)
    mlirContextDetachDiagnosticHandler(diagnostics->context, diagnostics->id);
  diagnostics->attached = false;
  if (!failed)
    return TUNE_OK;
  if (diagnostics->errors.failed)
    return tune_status_out_of_memory("%s: collecting its diagnostics", what);
  if (!diagnostics->errors.length)
    return tune_status_make(code, "%s failed", what);
  return tune_status_make(code, "%s", diagnostics->errors.text);
}

void tune_diagnostics_deinit(tune_diagnostics *diagnostics) {
  if (diagnostics->attached)
    mlirContextDetachDiagnosticHandler(diagnostics->context, diagnostics->id);
  diagnostics->attached = false;
  tune_string_builder_deinit(&diagnostics->errors);
  tune_string_builder_deinit(&diagnostics->warnings);
}

//===--------------------------------------------------------------------------===//
// From statuses to MLIR
//===--------------------------------------------------------------------------===//

static MlirLocation make_location(MlirContext context, const told_place *place) {
  return mlirLocationFileLineColGet(context, mlirStringRefCreate(place->file, place->file_length),
                                    place->line, place->column);
}

static bool begins_error(const char *line) {
  told_place place;
  return find_told_place(line, "error: ", &place) || !strncmp(line, "error: ", 7);
}

// Emits one error: its text is `text`, a copy that may be cut up, with the notes on later lines.
static void emit_error(char *text, MlirLocation fallback) {
  MlirContext context = mlirLocationGetContext(fallback);
  enum { NOTE_COUNT = 16 };
  MlirLocation note_locations[NOTE_COUNT];
  const char *notes[NOTE_COUNT];
  intptr_t note_count = 0;

  told_place place;
  MlirLocation location = fallback;
  if (find_told_place(text, "error: ", &place)) {
    location = make_location(context, &place);
    // "<before><place><rest>" without the place.
    memmove(text + (place.file - text), place.rest, strlen(place.rest) + 1);
  } else if (!strncmp(text, "error: ", 7)) {
    text += 7;
  }
  // A line that is no note belongs to what stands before it.
  for (char *newline = strchr(text, '\n'); newline; newline = strchr(newline + 1, '\n')) {
    const char *line = newline + 1 + strspn(newline + 1, " ");
    bool has_place = find_told_place(line, "note: ", &place);
    if (note_count == NOTE_COUNT || (!has_place && strncmp(line, "note: ", 6) != 0))
      continue;
    *newline = '\0';
    note_locations[note_count] = has_place ? make_location(context, &place) : location;
    notes[note_count++] = has_place ? place.rest : line + 6;
  }
  tune_extensible_emit(location, MlirDiagnosticError, text, note_count, note_locations, notes);
}

void tune_status_emit(tune_status status, MlirLocation fallback) {
  if (tune_status_is_ok(status))
    return;
  char *text = strdup(tune_status_get_message(status));
  if (!text) {
    tune_extensible_emit(fallback, MlirDiagnosticError, "out of memory", 0, NULL, NULL);
    return;
  }
  // A status may hold several errors, each beginning a line.
  char *error = text;
  while (error) {
    char *next = strchr(error, '\n');
    while (next && !begins_error(next + 1))
      next = strchr(next + 1, '\n');
    if (next)
      *next++ = '\0';
    emit_error(error, fallback);
    error = next;
  }
  free(text);
}

static void emit_formatted(MlirLocation location, MlirDiagnosticSeverity severity,
                           const char *format, va_list arguments) {
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    message = NULL;
  tune_extensible_emit(location, severity, message ? message : "out of memory", 0, NULL, NULL);
  free(message);
}

void tune_remark_emit(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit_formatted(location, MlirDiagnosticRemark, format, arguments);
  va_end(arguments);
}

void tune_warning_emit(MlirLocation location, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  emit_formatted(location, MlirDiagnosticWarning, format, arguments);
  va_end(arguments);
}
