//===- process.h - Running other programs ----------------------------------------===//
//
// Starts a program with pipes to its standard streams, in a process group of its own, and
// sees to it that it goes away: with tune_process_destroy, and with this process, however
// that ends (PR_SET_PDEATHSIG). It inherits no descriptor but the three streams.
//
// When the program ends, what is left of its group is killed before its end is reported. A
// program whose own children must also survive no death of this process (kill -9 reaches
// nobody's group) has to say so to the kernel for them, as tune-worker does.
//
// Threads: one thread at a time per process. Starting is safe beside other threads: the
// child does nothing but async-signal-safe calls before it executes. PR_SET_PDEATHSIG is
// about the thread that started the program, so that thread has to outlive it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_PROCESS_H
#define TUNE_SUPPORT_PROCESS_H

#include "support/status.h"

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_process_stream {
  TUNE_PROCESS_INHERIT, // this process's own
  TUNE_PROCESS_DISCARD, // /dev/null
  TUNE_PROCESS_PIPE,    // stdin and stdout: see tune_process_stdin and tune_process_stdout
  TUNE_PROCESS_CAPTURE, // stdout and stderr: kept, see tune_process_get_captured
} tune_process_stream;

typedef struct tune_process_options {
  // NULL-terminated; the first is the program's path, see tune_process_find_program.
  const char *const *arguments;
  // NULL, or NULL-terminated "NAME=value" that add to or replace this process's environment.
  const char *const *environment;
  const char *directory; // to start in; NULL: this process's
  tune_process_stream in;
  tune_process_stream out;
  tune_process_stream error;
} tune_process_options;

typedef struct tune_process_exit {
  bool by_signal;
  int code; // the exit status, or the number of the signal
} tune_process_exit;

typedef struct tune_process tune_process;

// Starts the program. NOT_FOUND or FAILED_PRECONDITION where it cannot be executed,
// RESOURCE_EXHAUSTED where there are too many processes or descriptors.
tune_status tune_process_start(const tune_process_options *options, tune_process **out_process);
// Kills the program's group if it still runs, and waits for its end. NULL is fine.
void tune_process_destroy(tune_process *process);

pid_t tune_process_get_id(const tune_process *process); // also the id of its group
// The ends of the pipes, blocking, or -1 where there is no pipe (any more). Borrowed.
int tune_process_get_stdin(const tune_process *process);
int tune_process_get_stdout(const tune_process *process);
// Lets the program see the end of its input.
void tune_process_close_stdin(tune_process *process);

// The last `limit` bytes at most of what the program wrote to a captured stream, as text (free()
// it; bytes as they came, NUL shown as '?'). Of a program that writes more than 64 MiB, what comes
// later is lost; its writes then fail, but never block. stdout and stderr, if both are captured,
// share one text in the order of their writes.
tune_status tune_process_get_captured(const tune_process *process, size_t limit, char **out_text);

// Waits up to `seconds` (INFINITY: for ever; 0: just looks) for the program's end.
// DEADLINE_EXCEEDED if it still runs. May be called again after the end.
tune_status tune_process_wait(tune_process *process, double seconds, tune_process_exit *out_exit);
// Sends `signal` to the program's group; nothing happens after its end.
void tune_process_signal(tune_process *process, int signal);

// "exited with status 3", "was killed by SIGSEGV". `text` has room for 64 bytes; returns it.
const char *tune_process_exit_describe(tune_process_exit exit, char text[64]);

// By a SIGKILL: where nobody here has sent it, that was somebody else, and no fault of the program.
bool tune_process_exit_was_killed(tune_process_exit exit);

// Runs a program to its end with its stderr captured; `in` and `out` are no pipes.
// DEADLINE_EXCEEDED (killed) after `seconds`; INTERNAL where it ends otherwise than with 0, saying
// how, with the last lines of its stderr. One that somebody kills (SIGKILL, which the system sends
// where memory runs out) may be none the worse for it, and is run once more, with as long a time.
tune_status tune_process_run(const tune_process_options *options, double seconds);

// Finds the program `name`: a path if it has a slash in it; else beside the object that holds this
// function (a program, or a shared object such as the plugin), in ../bin and ../libexec/mlir-tune
// from there (and one folder higher, for libraries in lib/<triple>); the same from the running
// program; then on the PATH. `*out_path` belongs to the caller. UNAVAILABLE says where it looked.
tune_status tune_process_find_program(const char *name, char **out_path);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_PROCESS_H
