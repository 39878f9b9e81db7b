//===- progress.c -------------------------------------------------------------===//

#include "support/progress.h"

#include "support/clock.h"
#include "support/string_builder.h"
#include "support/table.h"
#include "support/units.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH 16 // terminal cells that the name of a task has in any case

struct tune_progress {
  FILE *stream;
  tune_progress_options options; // the style is never AUTO
  bool is_drawn;                 // a live line is on the terminal
  bool has_begun;                // something was shown of the task
  double shown_at;               // seconds of the monotonic clock
  char *plain;                   // the last plain line of the task; NULL before and after
};

void tune_progress_options_init(tune_progress_options *options) {
  *options =
      (tune_progress_options){.style = TUNE_PROGRESS_AUTO, .plain_seconds = -1, .live_seconds = -1};
}

static bool can_draw(FILE *stream) {
  const char *terminal = getenv("TERM");
  int descriptor = fileno(stream);
  return descriptor >= 0 && isatty(descriptor) && terminal && strcmp(terminal, "dumb") != 0;
}

tune_status tune_progress_create(FILE *stream, const tune_progress_options *options,
                                 tune_progress **out_progress) {
  *out_progress = NULL;
  tune_progress *progress = calloc(1, sizeof *progress);
  if (!progress)
    return tune_status_out_of_memory("showing the progress");
  progress->stream = stream;
  tune_progress_options_init(&progress->options);
  if (options)
    progress->options = *options;
  tune_progress_options *own = &progress->options;
  if (own->plain_seconds < 0)
    own->plain_seconds = 10;
  if (own->live_seconds < 0)
    own->live_seconds = 0.1;
  if (own->style == TUNE_PROGRESS_AUTO)
    own->style = can_draw(stream) ? TUNE_PROGRESS_LIVE : TUNE_PROGRESS_PLAIN;
  *out_progress = progress;
  return TUNE_OK;
}

void tune_progress_destroy(tune_progress *progress) {
  if (!progress)
    return;
  tune_progress_clear(progress);
  free(progress->plain);
  free(progress);
}

//===- Lines ------------------------------------------------------------------===//

// All but the name of the task and what stands before it.
static void describe_figures(const tune_progress_state *state, const char *separator,
                             tune_string_builder *line) {
  if (state->way)
    tune_string_builder_appendf(line, "%s%s", separator, state->way);
  tune_string_builder_appendf(line, "%s%zu/%zu", separator, state->trials, state->trial_limit);
  if (state->best > 0)
    tune_string_builder_appendf(line, "%sbest %s", separator,
                                tune_figure_seconds(state->best).text);
  if (state->percent_of_peak > 0)
    tune_string_builder_appendf(line, "%s%.1f %% of peak", separator, state->percent_of_peak);
  if (state->speedup > 0)
    tune_string_builder_appendf(line, "%s%.2fx", separator, state->speedup);
  if (state->failed)
    tune_string_builder_appendf(line, "%s%zu failed", separator, state->failed);
  if (state->phase)
    tune_string_builder_appendf(line, "%s%s", separator, state->phase);
  if (state->seconds_left > 0)
    tune_string_builder_appendf(line, "%s%s left", separator,
                                tune_figure_duration(state->seconds_left).text);
}

// Closes a stream into memory. Whether all that was written is in `*bytes`: a stream that had no
// memory for its first bytes closes well, without any.
static bool close_memory(FILE *memory, char *const *bytes) {
  bool failed = ferror(memory) != 0;
  failed = fclose(memory) != 0 || failed;
  return !failed && *bytes;
}

// Appends `name` in at most `width` terminal cells; 0: whole.
static void append_name(tune_string_builder *line, const char *name, size_t width) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&bytes, &size);
  if (memory)
    tune_text_print(name, width, memory);
  if (memory && close_memory(memory, &bytes))
    tune_string_builder_append(line, bytes);
  else
    line->failed = true;
  free(bytes);
}

// The line for `width` terminal cells; 0: any. A long name gives way to the figures behind it,
// which change: it gets what they leave, but not less than NAME_WIDTH.
static void describe(const tune_progress_state *state, const char *separator, size_t width,
                     tune_string_builder *line) {
  tune_string_builder figures;
  tune_string_builder_init(&figures);
  describe_figures(state, separator, &figures);
  if (state->task_count > 1)
    tune_string_builder_appendf(line, "[%zu/%zu] ", state->number, state->task_count);
  if (figures.text && width) {
    size_t taken = line->length + tune_text_width(figures.text);
    width = width > taken + NAME_WIDTH ? width - taken : NAME_WIDTH;
  }
  append_name(line, state->name, width);
  tune_string_builder_append(line, figures.text ? figures.text : "");
  line->failed |= figures.failed;
  tune_string_builder_deinit(&figures);
}

// Writes `before`, the line in at most `width` terminal cells, and `after`, in one piece. Progress
// that cannot be shown, for want of memory or room, is no reason to stop a search.
static void write_line(tune_progress *progress, const char *before, const char *text, size_t width,
                       const char *after) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&bytes, &size);
  if (!memory)
    return;
  fputs(before, memory);
  tune_text_print(text, width, memory);
  fputs(after, memory);
  if (close_memory(memory, &bytes)) {
    fwrite(bytes, 1, size, progress->stream);
    fflush(progress->stream);
  }
  free(bytes);
}

static void show(tune_progress *progress, const tune_progress_state *state, bool is_last) {
  bool live = progress->options.style == TUNE_PROGRESS_LIVE;
  size_t width = 0;
  if (live)
    width =
        progress->options.width ? progress->options.width : tune_terminal_width(progress->stream);
  // The last cell stays free: some terminals wrap when it is written.
  if (width)
    width = width > 1 ? width - 1 : 1;
  tune_string_builder line;
  tune_string_builder_init(&line);
  describe(state, live ? "  " : ", ", width, &line);
  char *text = NULL;
  tune_status status = tune_string_builder_finish(&line, &text);
  if (tune_status_is_ok(status) && live) {
    write_line(progress, "\r", text, width, is_last ? "\x1b[K\n" : "\x1b[K");
    progress->is_drawn = !is_last;
  } else if (tune_status_is_ok(status)) {
    const char *prefix = progress->options.prefix;
    // Where all was known before, the end has nothing to add.
    if (!is_last || !progress->plain || strcmp(progress->plain, text) != 0)
      write_line(progress, prefix ? prefix : "", text, 0, "\n");
    free(progress->plain);
    progress->plain = is_last ? NULL : text;
    text = is_last ? text : NULL;
  }
  tune_status_free(status);
  free(text);
}

//===- When to show -----------------------------------------------------------===//

void tune_progress_update(tune_progress *progress, const tune_progress_state *state) {
  if (progress->options.style == TUNE_PROGRESS_QUIET)
    return;
  double now = tune_clock_seconds();
  double interval = progress->options.style == TUNE_PROGRESS_LIVE ? progress->options.live_seconds
                                                                  : progress->options.plain_seconds;
  if (progress->has_begun && now - progress->shown_at < interval)
    return;
  progress->has_begun = true;
  progress->shown_at = now;
  show(progress, state, false);
}

void tune_progress_finish_task(tune_progress *progress, const tune_progress_state *state) {
  if (progress->options.style == TUNE_PROGRESS_QUIET)
    return;
  show(progress, state, true);
  progress->has_begun = false;
}

void tune_progress_clear(tune_progress *progress) {
  if (!progress->is_drawn)
    return;
  fputs("\r\x1b[K", progress->stream);
  fflush(progress->stream);
  progress->is_drawn = false;
  // What was taken away comes back with the next update.
  progress->has_begun = false;
}
