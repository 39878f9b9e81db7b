//===- cpu_roofline.c - The CPU's peaks and bandwidths ---------------------------------===//
//
// This file is compiled for the plainest CPU of its kind; what needs more is compiled for that, a
// function at a time, and called where the fingerprint has it. Vectors are those of the compilers'
// extension; a * b + c becomes one instruction (-ffp-contract=fast is set for this file).
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "targets/buffer.h"
#include "targets/roofline.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define FOR_AVX512 __attribute__((target("avx512f")))
#define FOR_BF16 __attribute__((target("avx512f,avx512bf16")))
#define FOR_VNNI __attribute__((target("avx512f,avx512vnni")))
#endif

// What one thread has to do: `iterations` of a loop, over `data` or registers only. What it
// computes goes to `sink`, so that it has to be computed.
typedef struct work {
  uint64_t iterations;
  const char *data;
  size_t size; // bytes, a multiple of READ_STEP
  void *sink;  // 64 bytes, aligned
} work;

typedef void (*work_function)(const work *w);

//===- Kernels -----------------------------------------------------------------------===//

// 12 chains hide a latency of 4 cycles on up to 3 units, and fit 16 registers.
#define CHAINS 12
#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#define DECLARE(i) vector a##i = (vector){0} + (1 + 0.01f * i);
#define ADVANCE(i) a##i = a##i * factor + term;
#define COLLECT(i) sum += a##i;

// The factor and the term make each chain converge: no overflow, no subnormal numbers.
#define DEFINE_FMA(name, attributes, element, bytes)                                               \
  attributes static void name(const work *w) {                                                     \
    typedef element vector __attribute__((vector_size(bytes)));                                    \
    volatile element half = (element)0.5;                                                          \
    vector factor = (vector){0} + half, term = (vector){0} + half;                                 \
    EACH_CHAIN(DECLARE)                                                                            \
    for (uint64_t i = 0; i < w->iterations; ++i) {                                                 \
      EACH_CHAIN(ADVANCE)                                                                          \
      __asm__ volatile("" : : : "memory");                                                         \
    }                                                                                              \
    vector sum = {0};                                                                              \
    EACH_CHAIN(COLLECT)                                                                            \
    *(vector *)w->sink = sum;                                                                      \
  }

// Reads everything once an iteration. OR costs less than a load on every CPU.
#define READ_STEP 512
#define DEFINE_READ(name, attributes, bytes)                                                       \
  attributes static void name(const work *w) {                                                     \
    typedef long long vector __attribute__((vector_size(bytes)));                                  \
    vector a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};                                                 \
    for (uint64_t i = 0; i < w->iterations; ++i) {                                                 \
      for (size_t at = 0; at < w->size; at += 4 * (bytes)) {                                       \
        const vector *v = (const vector *)(w->data + at);                                          \
        a0 |= v[0];                                                                                \
        a1 |= v[1];                                                                                \
        a2 |= v[2];                                                                                \
        a3 |= v[3];                                                                                \
      }                                                                                            \
      __asm__ volatile("" : : : "memory");                                                         \
    }                                                                                              \
    *(vector *)w->sink = a0 | a1 | a2 | a3;                                                        \
  }

DEFINE_FMA(fma_f32_plain, , float, 16)
DEFINE_FMA(fma_f64_plain, , double, 16)
DEFINE_READ(read_plain, , 16)

#if defined(__x86_64__)
DEFINE_FMA(fma_f32_avx2, FOR_AVX2, float, 32)
DEFINE_FMA(fma_f64_avx2, FOR_AVX2, double, 32)
DEFINE_READ(read_avx2, FOR_AVX2, 32)
DEFINE_FMA(fma_f32_avx512, FOR_AVX512, float, 64)
DEFINE_FMA(fma_f64_avx512, FOR_AVX512, double, 64)
DEFINE_READ(read_avx512, FOR_AVX512, 64)

#define DECLARE_BF16(i) __m512 a##i = _mm512_set1_ps(i); // equal chains would be merged
#define ADVANCE_BF16(i) a##i = _mm512_dpbf16_ps(a##i, pair, pair);
#define COLLECT_BF16(i) sum = _mm512_add_ps(sum, a##i);

FOR_BF16 static void dot_bf16(const work *w) {
  volatile float one = 1;
  __m512bh pair = _mm512_cvtne2ps_pbh(_mm512_set1_ps(one), _mm512_set1_ps(-one));
  EACH_CHAIN(DECLARE_BF16)
  for (uint64_t i = 0; i < w->iterations; ++i) {
    EACH_CHAIN(ADVANCE_BF16)
    __asm__ volatile("" : : : "memory");
  }
  __m512 sum = _mm512_setzero_ps();
  EACH_CHAIN(COLLECT_BF16)
  _mm512_store_ps(w->sink, sum);
}

#define DECLARE_INT8(i) __m512i a##i = _mm512_set1_epi32(i);
#define ADVANCE_INT8(i) a##i = _mm512_dpbusd_epi32(a##i, bytes, bytes);
#define COLLECT_INT8(i) sum = _mm512_or_si512(sum, a##i);

FOR_VNNI static void dot_int8(const work *w) {
  volatile int one = 1;
  __m512i bytes = _mm512_set1_epi32(one);
  EACH_CHAIN(DECLARE_INT8)
  for (uint64_t i = 0; i < w->iterations; ++i) {
    EACH_CHAIN(ADVANCE_INT8)
    __asm__ volatile("" : : : "memory");
  }
  __m512i sum = _mm512_setzero_si512();
  EACH_CHAIN(COLLECT_INT8)
  _mm512_store_si512(w->sink, sum);
}
#endif

typedef struct kernels {
  work_function f32, f64, bf16, i8, read;
  size_t vector_bytes;
} kernels;

static kernels pick_kernels(const tune_fingerprint *fingerprint) {
  kernels k = {.f32 = fma_f32_plain, .f64 = fma_f64_plain, .read = read_plain, .vector_bytes = 16};
#if defined(__x86_64__)
  if (tune_fingerprint_has_feature(fingerprint, "avx512f")) {
    k = (kernels){
        .f32 = fma_f32_avx512, .f64 = fma_f64_avx512, .read = read_avx512, .vector_bytes = 64};
    if (fingerprint->has_bf16_dot)
      k.bf16 = dot_bf16;
    if (fingerprint->has_int8_dot)
      k.i8 = dot_int8;
  } else if (tune_fingerprint_has_feature(fingerprint, "avx2") && fingerprint->has_fma) {
    k = (kernels){.f32 = fma_f32_avx2, .f64 = fma_f64_avx2, .read = read_avx2, .vector_bytes = 32};
  }
#else
  (void)fingerprint;
#endif
  return k;
}

//===- Threads -----------------------------------------------------------------------===//

// The best of many windows counts. They are shorter than what a scheduler gives to anybody at a
// time, so that some are whole on a busy machine too.
#define WINDOW_SECONDS 0.25e-3
#define FEWEST_WINDOWS 8

// What is to come from memory is read once and no more, a slice in each window: the first half of
// the data, which writing the other half has pushed out of the caches. Going round would take many
// times as long where a cache has hundreds of megabytes, and caches that know of going round keep a
// part.
#define SLICES (2 * FEWEST_WINDOWS)

// How long a figure is looked at.
typedef struct effort {
  double warm_up_seconds, seconds;
} effort;

static const effort whole_effort = {10e-3, 15e-3}, quick_effort = {2e-3, 4e-3};

enum { CALL_WAIT, CALL_BEGIN, CALL_GO_HOME };

// All threads do the same work at the same time; the first one keeps the time.
typedef struct crew {
  work_function function;
  const effort *effort;
  size_t count;
  const int *cpus;
  atomic_int call; // to begin, or to go home again
  atomic_size_t arrived;
  atomic_size_t generation;
  uint64_t iterations; // of the window to come; 0 ends the work
  size_t bytes;        // of data for each
  bool is_sliced;      // an iteration is over the next one of SLICES
  double best_rate;    // iterations of all threads, a second
} crew;

typedef struct member {
  crew *of;
  size_t index;
  pthread_t thread;
  tune_buffer data;
} member;

// A spinning barrier: a sleeping one would cost a good part of a window.
static void meet(crew *c) {
  size_t generation = atomic_load(&c->generation);
  if (atomic_fetch_add(&c->arrived, 1) + 1 == c->count) {
    atomic_store(&c->arrived, 0);
    atomic_store(&c->generation, generation + 1);
    return;
  }
  // Where there are fewer processors than threads a waiting one must let the others work.
  for (unsigned spins = 1; atomic_load(&c->generation) == generation; ++spins)
    if (spins % 4096 == 0)
      sched_yield();
}

static void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set); // if refused the figure is a little worse, no more
}

// How many iterations take a window.
static uint64_t calibrate(const crew *c, const work *base) {
  work w = *base;
  w.iterations = 1;
  double seconds, spent = 0;
  // Long enough for the clock to rise and for the data to be where it belongs.
  do {
    double start = tune_clock_seconds();
    c->function(&w);
    seconds = tune_clock_seconds() - start;
    spent += seconds;
    if (seconds < WINDOW_SECONDS)
      w.iterations *= seconds > WINDOW_SECONDS / 8 ? 2 : 8;
  } while (seconds < WINDOW_SECONDS || spent < c->effort->warm_up_seconds);
  return w.iterations;
}

static void run_window(const crew *c, const work *base, size_t window) {
  work w = *base;
  w.iterations = c->iterations;
  if (c->is_sliced) {
    w.size = base->size / SLICES;
    w.data = base->data + window * w.size;
  }
  c->function(&w);
}

// Keeps the best of some windows. Runs on the first thread, while the others follow in `follow`.
static void lead(crew *c, const work *base) {
  c->iterations = c->is_sliced ? 1 : calibrate(c, base);
  double spent = 0;
  for (size_t i = 0; i < FEWEST_WINDOWS || (!c->is_sliced && spent < c->effort->seconds); ++i) {
    meet(c);
    double start = tune_clock_seconds();
    run_window(c, base, i);
    meet(c);
    double seconds = tune_clock_seconds() - start;
    spent += seconds;
    double rate = (double)c->iterations * (double)c->count / seconds;
    if (rate > c->best_rate)
      c->best_rate = rate;
  }
  c->iterations = 0;
  meet(c);
}

static void follow(crew *c, const work *base) {
  for (size_t i = 0;; ++i) {
    meet(c);
    if (c->iterations == 0)
      return;
    run_window(c, base, i);
    meet(c);
  }
}

static void *take_part(void *argument) {
  member *m = argument;
  while (atomic_load(&m->of->call) == CALL_WAIT)
    sched_yield();
  if (atomic_load(&m->of->call) == CALL_GO_HOME)
    return NULL;
  pin_to(m->of->cpus[m->index]);
  _Alignas(64) char sink[64];
  if (m->data.data)
    memset(m->data.data, 1, m->data.size); // its pages are touched by the thread that reads them
  work w = {.data = m->data.data, .size = m->data.size, .sink = sink};
  if (m->index == 0)
    lead(m->of, &w);
  else
    follow(m->of, &w);
  return NULL;
}

static tune_status prepare(crew *c, member *members) {
  for (size_t i = 0; i < c->count; ++i) {
    members[i] = (member){.of = c, .index = i};
    if (c->bytes == 0)
      continue;
    tune_value_type type = {.element = TUNE_I8, .rank = 1, .shape = {(int64_t)c->bytes}};
    TUNE_RETURN_IF_ERROR(tune_buffer_init(&members[i].data, &type));
  }
  return TUNE_OK;
}

// What figures are taken of, and how.
typedef struct subject {
  kernels kernels;
  const effort *effort;
  const int *cpus;
  size_t count; // of CPUs
} subject;

// Runs `function` on all CPUs, each with `bytes` of data of its own, once over slices of it if
// `is_sliced`; `*out_rate` is iterations a second of all together.
static tune_status run_crew(const subject *s, work_function function, size_t bytes, bool is_sliced,
                            double *out_rate) {
  *out_rate = 0;
  size_t count = s->count;
  crew c = {.function = function,
            .effort = s->effort,
            .count = count,
            .cpus = s->cpus,
            .bytes = bytes,
            .is_sliced = is_sliced};
  member *members = calloc(count, sizeof *members);
  if (!members)
    return tune_status_out_of_memory("measuring the roofline");
  tune_status status = prepare(&c, members);
  // Threads of their own, also the first one: the caller's affinity is not touched. They meet each
  // other, so all of them begin or none.
  size_t started = 0;
  while (tune_status_is_ok(status) && started < count) {
    int error = pthread_create(&members[started].thread, NULL, take_part, &members[started]);
    if (error)
      status = tune_status_from_errno(error, "starting a thread");
    else
      ++started;
  }
  atomic_store(&c.call, tune_status_is_ok(status) ? CALL_BEGIN : CALL_GO_HOME);
  for (size_t i = 0; i < started; ++i)
    pthread_join(members[i].thread, NULL);
  for (size_t i = 0; i < count; ++i)
    tune_buffer_deinit(&members[i].data);
  free(members);
  *out_rate = c.best_rate;
  return status;
}

//===- The roofline ------------------------------------------------------------------===//

static tune_status measure_peaks(const subject *s, tune_roofline *out) {
  const kernels *k = &s->kernels;
  double f32_lanes = (double)k->vector_bytes / 4;
  struct {
    work_function function;
    double operations; // of one instruction
    double *out;
  } peaks[] = {
      {k->f32, 2 * f32_lanes, &out->f32},
      {k->f64, f32_lanes, &out->f64},
      {k->bf16, 4 * f32_lanes, &out->bf16},
      {k->i8, 8 * f32_lanes, &out->i8},
  };
  for (size_t i = 0; i < sizeof peaks / sizeof *peaks; ++i) {
    if (!peaks[i].function)
      continue;
    double rate;
    TUNE_RETURN_IF_ERROR(run_crew(s, peaks[i].function, 0, false, &rate));
    *peaks[i].out = rate * CHAINS * peaks[i].operations * 1e-9;
  }
  return TUNE_OK;
}

// Each thread reads `bytes_each` again and again.
static tune_status measure_cache(const subject *s, const char *name, size_t held_each,
                                 size_t bytes_each, tune_roofline *out) {
  bytes_each -= bytes_each % READ_STEP;
  double rate;
  TUNE_RETURN_IF_ERROR(run_crew(s, s->kernels.read, bytes_each, false, &rate));
  tune_roofline_add_level(out, name, (double)(held_each * s->count),
                          rate * (double)bytes_each * 1e-9);
  return TUNE_OK;
}

static tune_status measure_memory(const subject *s, size_t bytes, tune_roofline *out) {
  size_t slice = bytes / s->count / SLICES;
  slice -= slice % READ_STEP;
  double rate;
  TUNE_RETURN_IF_ERROR(run_crew(s, s->kernels.read, SLICES * slice, true, &rate));
  tune_roofline_add_level(out, "memory", (double)(SLICES * slice * s->count),
                          rate * (double)slice * 1e-9);
  return TUNE_OK;
}

// A cache of this many times what the one before it holds is not filled to measure it.
#define MOST_TIMES_BEFORE 16
// For slices that take a window.
#define LEAST_OF_MEMORY ((size_t)256 << 20)

// Half of each cache; a shared one is shared by as many of the threads as it has cores.
static tune_status measure_levels(const subject *s, const tune_fingerprint *fingerprint,
                                  tune_roofline *out) {
  static const char *const names[] = {"L1", "L2", "L3", "L4"};
  size_t of_memory = LEAST_OF_MEMORY, most = SIZE_MAX;
  for (size_t i = 0; i < fingerprint->caches.count; ++i) {
    const tune_cache *cache = &fingerprint->caches.items[i];
    size_t sharers = (size_t)cache->cores < s->count ? (size_t)cache->cores : s->count;
    if (cache->level < 1 || cache->level > 4)
      continue;
    size_t half = (size_t)cache->bytes / 2 / sharers;
    TUNE_RETURN_IF_ERROR(
        measure_cache(s, names[cache->level - 1], half, half < most ? half : most, out));
    most = MOST_TIMES_BEFORE * 2 * half;
    if (2 * (size_t)cache->bytes > of_memory)
      of_memory = 2 * (size_t)cache->bytes;
  }
  if (s->effort == &quick_effort)
    return TUNE_OK; // the memory's pages alone take longer than all the rest
  return measure_memory(s, of_memory, out);
}

tune_status tune_roofline_measure_cpu(const tune_fingerprint *fingerprint, const int *cpus,
                                      size_t cpu_count, bool quick, tune_roofline *out_roofline) {
  memset(out_roofline, 0, sizeof *out_roofline);
  out_roofline->threads = cpu_count;
  subject s = {.kernels = pick_kernels(fingerprint),
               .effort = quick ? &quick_effort : &whole_effort,
               .cpus = cpus,
               .count = cpu_count};
  tune_status status = measure_peaks(&s, out_roofline);
  if (tune_status_is_ok(status))
    status = measure_levels(&s, fingerprint, out_roofline);
  return tune_status_annotate(status, "measuring the roofline");
}
