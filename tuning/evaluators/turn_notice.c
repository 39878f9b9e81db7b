//===- turn_notice.c ----------------------------------------------------------===//

#include "tuning/evaluators/turn_notice.h"

#include "formats/messages.h"
#include "support/clock.h"

#include <stdio.h>
#include <unistd.h>

#define TOLD_AGAIN_SECONDS 60.0

static bool is_silent;

void tune_turn_notice_set_quiet(bool is_quiet) { is_silent = is_quiet; }

void tune_turn_notice_tell(const json_t *notice) {
  static double told_at;
  double now = tune_clock_seconds();
  if (is_silent || (told_at > 0 && now - told_at < TOLD_AGAIN_SECONDS))
    return;
  told_at = now;
  const char *holder = tune_reply_head_of(notice).holder;
  // A terminal may have a line of progress there.
  fprintf(stderr, "%smlir-tune: waiting for %s, which times on the same cores\n",
          isatty(STDERR_FILENO) ? "\r\033[K" : "", holder ? holder : "another process");
}
