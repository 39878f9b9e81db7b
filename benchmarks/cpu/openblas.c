//===- openblas.c - OpenBLAS as a contestant -----------------------------------------===//
//
//   op=matmul batch=1 m= n= k= layout=nn|nt|tn      sgemm, one call for each of the batch
//   op=matvec m= k= layout=nt|nn                     sgemv: A k-contiguous (nt), or transposed
//   op=sum columns=                                  sgemv as below, then sdot with ones: ssum is
//                                                    wrong on AVX-512 (0.3.21 and 0.3.34)
//   op=sum-rows, op=sum-columns rows= columns=       sgemv with a vector of ones
//   op=transpose rows= columns=                      somatcopy (OpenBLAS's own)
//
// Built twice, against PyPI's scipy-openblas32 (functions with the prefix scipy_) and Debian's.
// Its detection takes some virtual machines with AVX-512 for Haswells or Zens, at half the speed:
// it is then told better, by OPENBLAS_CORETYPE. The form names the kernels it uses.
//
//===--------------------------------------------------------------------------===//

#include "contestant.h"

#include <cblas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TUNE_OPENBLAS_SCIPY
#define cblas_sgemm scipy_cblas_sgemm
#define cblas_sgemv scipy_cblas_sgemv
#define cblas_sdot scipy_cblas_sdot
#define cblas_somatcopy scipy_cblas_somatcopy
#define openblas_get_corename scipy_openblas_get_corename
#endif

typedef struct problem {
  tune_contest *contest;
  int batch, m, n, k;
  CBLAS_TRANSPOSE transpose_a, transpose_b;
  float *ones, *partial;
} problem;

static void matmul(void *state) {
  const problem *self = state;
  const float *a = self->contest->inputs[0], *b = self->contest->inputs[1];
  float *c = self->contest->output;
  size_t m = (size_t)self->m, n = (size_t)self->n, k = (size_t)self->k;
  for (size_t i = 0; i < (size_t)self->batch; ++i)
    cblas_sgemm(CblasRowMajor, self->transpose_a, self->transpose_b, self->m, self->n, self->k, 1,
                a + i * m * k, self->transpose_a == CblasTrans ? self->m : self->k, b + i * k * n,
                self->transpose_b == CblasTrans ? self->k : self->n, 0, c + i * m * n, self->n);
}

// y[n] = x[k] B: B is k x n (nn), or n x k (nt).
static void matvec(void *state) {
  const problem *self = state;
  int is_nt = self->transpose_b == CblasTrans;
  cblas_sgemv(CblasRowMajor, is_nt ? CblasNoTrans : CblasTrans, is_nt ? self->n : self->k,
              is_nt ? self->k : self->n, 1, self->contest->inputs[1], is_nt ? self->k : self->n,
              self->contest->inputs[0], 1, 0, self->contest->output, 1);
}

// The m x n input times ones along its rows (transpose_a: its columns).
static void sum_lines(void *state) {
  const problem *self = state;
  cblas_sgemv(CblasRowMajor, self->transpose_a, self->m, self->n, 1, self->contest->inputs[0],
              self->n, self->ones, 1, 0, self->contest->output, 1);
}

static void sum(void *state) {
  const problem *self = state;
  cblas_sgemv(CblasRowMajor, CblasNoTrans, self->m, self->n, 1, self->contest->inputs[0], self->n,
              self->ones, 1, 0, self->partial, 1);
  *(float *)self->contest->output = cblas_sdot(self->m, self->partial, 1, self->ones, 1);
}

static void transpose(void *state) {
  const problem *self = state;
  cblas_somatcopy(CblasRowMajor, CblasTrans, self->m, self->n, 1, self->contest->inputs[0], self->n,
                  self->contest->output, self->m);
}

static void read_sizes(problem *self, const char *m, const char *n) {
  self->m = (int)tune_contest_number(self->contest, m);
  self->n = (int)tune_contest_number(self->contest, n);
}

static void (*prepare(problem *self, const char *op))(void *) {
  if (strcmp(op, "matmul") == 0) {
    read_sizes(self, "m", "n");
    self->batch = (int)tune_contest_number(self->contest, "batch");
    self->k = (int)tune_contest_number(self->contest, "k");
    const char *layout = tune_contest_text(self->contest, "layout");
    self->transpose_a = layout[0] == 't' ? CblasTrans : CblasNoTrans;
    self->transpose_b = layout[1] == 't' ? CblasTrans : CblasNoTrans;
    return self->m == 1 && self->batch == 1 ? matvec : matmul;
  }
  if (strcmp(op, "transpose") == 0) {
    read_sizes(self, "rows", "columns");
    return transpose;
  }
  int is_whole = strcmp(op, "sum") == 0, is_rows = strcmp(op, "sum-rows") == 0;
  if (!is_whole && !is_rows && strcmp(op, "sum-columns") != 0)
    tune_contest_fail("OpenBLAS has no %s", op);
  read_sizes(self, "rows", "columns");
  if (is_whole) {
    self->m = 1024;
    if (self->n % self->m != 0)
      tune_contest_fail("a sum of %d does not divide into %d rows", self->n, self->m);
    self->n /= self->m;
    self->partial = tune_contest_allocate((size_t)self->m * sizeof *self->partial);
  }
  self->transpose_a = is_rows || is_whole ? CblasNoTrans : CblasTrans;
  int count = self->m > self->n ? self->m : self->n;
  self->ones = tune_contest_allocate((size_t)count * sizeof *self->ones);
  for (int i = 0; i < count; ++i)
    self->ones[i] = 1;
  return is_whole ? sum : sum_lines;
}

// The library reads the variable when it is loaded, so the program begins again.
static void correct_core_type(char **argv) {
  const char *core = openblas_get_corename();
  if (getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("avx512vl") ||
      (strcmp(core, "Haswell") != 0 && strcmp(core, "Zen") != 0))
    return;
  if (setenv("OPENBLAS_CORETYPE", "SkylakeX", 1) != 0 || execv("/proc/self/exe", argv) != 0)
    tune_contest_fail("OpenBLAS takes this CPU for a %s", core);
}

int main(int argc, char **argv) {
  correct_core_type(argv);
  tune_contest contest;
  tune_contest_init(&contest, argc, argv);
  problem self = {.contest = &contest};
  tune_contest_entry entry = {.state = &self};
  entry.call = prepare(&self, tune_contest_text(&contest, "op"));
  char form[128];
  snprintf(form, sizeof form, "%s kernels", openblas_get_corename());
  int status = tune_contest_serve(&contest, form, &entry);
  free(self.ones);
  free(self.partial);
  return status;
}
