//===- libxsmm.c - libxsmm as a contestant --------------------------------------------===//
//
//   op=matmul batch= m= n= k= layout=nn      a kernel generated for the size, called batch times
//
// libxsmm is column-major: C = A B in rows is C^T = B^T A^T in columns, the same memory.
//
//===--------------------------------------------------------------------------===//

#include "contestant.h"

#include <libxsmm.h>

#include <string.h>

typedef struct problem {
  tune_contest *contest;
  libxsmm_smmfunction kernel;
  size_t batch, m, n, k;
} problem;

static void call(void *state) {
  const problem *self = state;
  const float *a = self->contest->inputs[0], *b = self->contest->inputs[1];
  float *c = self->contest->output;
  for (size_t i = 0; i < self->batch; ++i) {
    self->kernel(b, a, c);
    a += self->m * self->k;
    b += self->k * self->n;
    c += self->m * self->n;
  }
}

int main(int argc, char **argv) {
  tune_contest contest;
  tune_contest_init(&contest, argc, argv);
  if (strcmp(tune_contest_text(&contest, "op"), "matmul") != 0 ||
      strcmp(tune_contest_text(&contest, "layout"), "nn") != 0)
    tune_contest_fail("libxsmm is here for matmul in nn only");
  problem self = {.contest = &contest,
                  .batch = (size_t)tune_contest_number(&contest, "batch"),
                  .m = (size_t)tune_contest_number(&contest, "m"),
                  .n = (size_t)tune_contest_number(&contest, "n"),
                  .k = (size_t)tune_contest_number(&contest, "k")};
  libxsmm_init();
  const float one = 1, zero = 0;
  self.kernel =
      libxsmm_smmdispatch((libxsmm_blasint)self.n, (libxsmm_blasint)self.m, (libxsmm_blasint)self.k,
                          NULL, NULL, NULL, &one, &zero, NULL, NULL);
  if (!self.kernel)
    tune_contest_fail("libxsmm makes no kernel of this size for %s", libxsmm_get_target_arch());
  int status = tune_contest_serve(&contest, libxsmm_get_target_arch(),
                                  &(tune_contest_entry){.state = &self, .call = call});
  libxsmm_finalize();
  return status;
}
