//===- contestant.h - A program that runs one workload when asked ------------------===//
//
// The benchmark compares programs, one per library: each has its inputs and its pinned cores to
// itself, and no library's threads, allocator or environment touches another's. contest.py starts
// them, lets one run at a time, in turns, and does all that is statistics. A contestant is
//
//   program output-bytes=2097152 input=a.bin input=b.bin op=matmul m=512 …
//
// `input` are files with the raw bytes of an argument, in their order; what else there is (op,
// m, …) is between workloads.py and the program. It says one line once it is set up, then answers
// line by line on stdin and stdout:
//
//   ready FORM          FORM says how the library computes it, e.g. "jit:avx512_core"
//   error TEXT          instead: this library cannot do that; exit status 1
//   run N       →       seconds of N calls, after one that is not counted
//   write PATH  →       done, after one call; PATH has the raw bytes of the output, in the
//                       module's layout
//
// End of input ends it.
//
// Threads: one; what a library starts is its own.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_BENCHMARKS_CPU_CONTESTANT_H
#define TUNE_BENCHMARKS_CPU_CONTESTANT_H

#include <stddef.h>
#include <stdint.h>

#define TUNE_CONTEST_INPUTS 24

typedef struct tune_contest {
  char **pairs; // "key=value", borrowed from argv
  int pair_count;
  void *inputs[TUNE_CONTEST_INPUTS];
  size_t input_sizes[TUNE_CONTEST_INPUTS]; // bytes
  size_t input_count;
  void *output; // zeroed
  size_t output_size;
} tune_contest;

// How a library is called. `state` is the program's own.
typedef struct tune_contest_entry {
  void *state;
  void (*call)(void *state);   // computes the output once, as a user's program would
  void (*finish)(void *state); // brings the last output into contest->output; NULL if it is there
} tune_contest_entry;

// Says "error TEXT" and ends the program.
_Noreturn void tune_contest_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reads the inputs. What is wrong ends the program.
void tune_contest_init(tune_contest *contest, int argc, char **argv);
// The value of `key`, which has to be there.
const char *tune_contest_text(const tune_contest *contest, const char *key);
int64_t tune_contest_number(const tune_contest *contest, const char *key);

// Zeroed memory for tensors, the same for all contestants: aligned to a cache line, its pages
// touched. Ends the program where there is none.
void *tune_contest_allocate(size_t size);

// Serves until the input ends; releases the contest's memory. Returns the exit status.
int tune_contest_serve(tune_contest *contest, const char *form, const tune_contest_entry *entry);

#endif // TUNE_BENCHMARKS_CPU_CONTESTANT_H
