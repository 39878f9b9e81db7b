//===- artifact.c - Artifacts, good and bad ---------------------------------------------===//
//
// Compiled once for each VARIANT of measure_test.c, linked with the runtime as the worker links
// what it builds. The entry takes a 64x32 f32 tensor x that is read, a tensor y of the same type
// that is read and written, and a f32 scalar a; it adds a * x to y and returns x * x.
//
//===--------------------------------------------------------------------------===//

#include "targets/runtime/runtime.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROWS 64
#define COLUMNS 32
#define COUNT (ROWS * COLUMNS)

enum {
  GOOD,
  SLOW,             // the same, a thousand times over
  WAKING,           // takes a third of a second for its first call
  NUMB,             // right, and prints a lot
  WRONG,            // one element of the result
  WRONG_NAN,        // likewise, NaN
  WRONG_WRITE,      // one element of the argument that is written
  WRONG_SHAPE,      // of the result
  BOUNDS,           // writes after the end of y
  BEFORE,           // writes before the beginning of x
  SCRIBBLE,         // writes to x
  FAR,              // writes a page after the end of y
  NO_ADDRESS,       // writes through NULL
  MISALIGNED,       // 16 bytes at an address that is no multiple of them
  ILLEGAL,          // an instruction that is none
  DIVIDE,           // an integer by zero
  ABORT,            // with a message
  EXIT,             //
  STACK,            // recursion without end
  ENDLESS,          // a loop without end
  STUCK,            // likewise where much of x is zero
  MEMORY,           // takes memory without end
  OVERWRITE,        // sets y instead of adding to it; nothing is wrong with it as its own reference
  ENVIRONMENT,      // the result begins with the number of CPUs it may run on, and OMP_NUM_THREADS
  LEFTOVER,         // makes the file that LLVM's OpenMP runtime makes, if it is not there
  LACKING,          // calls a function that is nowhere
  CHAOTIC,          // the result is what ten steps of a chaotic map make of x
  CHAOTIC_TOO,      // likewise, rounded otherwise
  SOCKET,           // opens one
  PROGRAM,          // starts one
  FORK,             // a process of its own
  HOME,             // makes a file in $HOME, and says so if it cannot
  FADING,           // one element of the result is wrong from the fifth call on
  FADING_WRITE,     // likewise, of the argument that is written
  FADING_OVERWRITE, // likewise, where y is set instead of added to
  STUBBORN,         // a loop without end, which no signal ends that can be ignored or blocked
  FLOOD,            // prints without end
  CLAMPED,          // the result is 4 at most, which shows on large inputs
  UNWRITTEN,        // reads memory of its own that it has not written
  PAST,             // writes after the end of memory of its own
  UNWRITTEN_STACK,  // reads what it has not written on the stack
  WAVERING,         // one element of the result is a bit off from the fifth call on
  WAVERING_TOO,     // likewise, and says that it may be
};

typedef struct descriptor {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} descriptor;

void a_function_that_nobody_has(void);

__attribute__((visibility("default"))) void tune_entry(void **arguments);

static void fill_result(descriptor *result, const descriptor *x) {
  *result = (descriptor){.sizes = {ROWS, COLUMNS}, .strides = {COLUMNS, 1}};
  result->allocated = result->aligned = tune_runtime_allocate(COUNT * sizeof(float));
  for (int i = 0; i < COUNT; ++i)
    result->aligned[i] = x->aligned[i] * x->aligned[i];
}

__attribute__((noinline)) static int recurse(volatile int *depth) {
  volatile char frame[4096];
  frame[0] = (char)++*depth;
  return recurse(depth) + frame[0];
}

__attribute__((noinline)) static float read_stack(int at) {
  volatile float frame[4096];
  return frame[at];
}

#ifdef MAY_WAVER
__attribute__((visibility("default"))) const char tune_unordered = 1;
#endif

// Each step doubles what is off, more or less.
static void iterate_map(descriptor *result, int rounds_late) {
  for (int step = 0; step < 10; ++step)
    for (int i = 0; i < COUNT; ++i) {
      float z = result->aligned[i];
      result->aligned[i] = rounds_late ? (float)(1 - 2 * (double)z * z) : 1 - 2 * z * z;
    }
}

static void leave_behind(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/left-behind", getenv("HOME"));
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) {
    fputs("nothing can be left behind\n", stderr);
    abort();
  }
  close(fd);
}

static int calls;

void tune_entry(void **arguments) {
  descriptor *x = arguments[0], *y = arguments[1], *result = arguments[3];
  float a = *(const float *)arguments[2];
  volatile int zero = 0, zeros;
  const int sets_y = VARIANT == OVERWRITE || VARIANT == FADING_OVERWRITE;
  fill_result(result, x);
  for (int i = 0; i < COUNT; ++i)
    y->aligned[i] = (sets_y ? 0 : y->aligned[i]) + a * x->aligned[i];
  ++calls;
  switch (VARIANT) {
  case SLOW:
    for (volatile int i = 0; i < 2000000; ++i)
      ;
    break;
  case CHAOTIC:
  case CHAOTIC_TOO:
    iterate_map(result, VARIANT == CHAOTIC_TOO);
    break;
  case WAKING:
    usleep(calls == 1 ? 300000 : 0);
    break;
  case NUMB:
    for (int i = 0; i < 1000; ++i)
      printf("line %d of what nobody wants to read\n", i);
    fflush(stdout);
    break;
  case WRONG:
    result->aligned[3 * COLUMNS + 17] += 0.25f;
    break;
  case CLAMPED:
    for (int i = 0; i < COUNT; ++i)
      result->aligned[i] = result->aligned[i] < 4 ? result->aligned[i] : 4;
    break;
  case UNWRITTEN: {
    float *scratch = tune_runtime_allocate(COUNT * sizeof(float));
    for (int i = 0; i < COUNT; ++i)
      result->aligned[i] += scratch[i];
    tune_runtime_free(scratch);
    break;
  }
  case PAST: {
    float *scratch = tune_runtime_allocate(COUNT * sizeof(float));
    scratch[COUNT] = 1;
    tune_runtime_free(scratch);
    break;
  }
  case WRONG_NAN:
    result->aligned[5] = 0.0f / (float)zero;
    break;
  case WRONG_WRITE:
    y->aligned[COUNT - 1] += 0.01f;
    break;
  case WRONG_SHAPE:
    result->sizes[0] = ROWS - 1;
    break;
  case BOUNDS:
    y->aligned[COUNT] = 1;
    break;
  case BEFORE:
    x->aligned[-1] = 1;
    break;
  case SCRIBBLE:
    x->aligned[7] = 1;
    break;
  case FAR:
    for (int i = 0; i < 4096; ++i)
      y->aligned[COUNT + i] = 1;
    break;
  case NO_ADDRESS:
    *(volatile int *)(uintptr_t)zero = 1;
    break;
  case MISALIGNED:
    __asm__ volatile("movaps %%xmm0, (%0)" : : "r"((char *)y->aligned + 4) : "memory");
    break;
  case ILLEGAL:
    __asm__ volatile("ud2");
    break;
  case DIVIDE:
    __asm__ volatile("xorl %%edx, %%edx; movl $1, %%eax; divl %0" : : "r"(zero) : "eax", "edx");
    break;
  case SOCKET:
    if (socket(AF_INET, SOCK_STREAM, 0) < 0)
      abort();
    break;
  case PROGRAM:
    execl("/bin/true", "true", (char *)NULL);
    break;
  case FORK:
    if (fork() == 0)
      _exit(0);
    break;
  case HOME:
    leave_behind();
    break;
  case ABORT:
    fputs("the artifact gives up\n", stderr);
    abort();
  case EXIT:
    exit(3);
  case STACK:
    recurse(&(int){0});
    break;
  case STUCK:
    for (int i = zeros = 0; i < COUNT; ++i)
      zeros += x->aligned[i] == 0;
    while (zeros > COUNT / 4)
      ;
    break;
  case ENDLESS:
    while (!zero)
      ;
    break;
  case STUBBORN: {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int number = 1; number < NSIG; ++number)
      signal(number, SIG_IGN);
    while (!zero)
      ;
    break;
  }
  case FLOOD: {
    static char bytes[1 << 20];
    memset(bytes, 'x', sizeof bytes);
    while (!zero)
      write(STDERR_FILENO, bytes, sizeof bytes);
    break;
  }
  case MEMORY:
    for (;;) // a page of each will do, as it is address space that is limited
      *(volatile char *)tune_runtime_allocate(1 << 20) = 1;
  case ENVIRONMENT: {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    result->aligned[0] = (float)CPU_COUNT(&set);
    result->aligned[1] = (float)atof(getenv("OMP_NUM_THREADS"));
    break;
  }
  case LEFTOVER: {
    char name[64];
    snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
    int fd = shm_open(name, O_CREAT | O_RDWR, 0666);
    (void)!ftruncate(fd, 12347); // what server_test.c knows it by
    close(fd);
    break;
  }
  case LACKING:
    a_function_that_nobody_has();
    break;
  case FADING:
    result->aligned[9] += calls < 5 ? 0 : 0.25f;
    break;
  case UNWRITTEN_STACK:
    result->aligned[0] += read_stack(calls);
    break;
  case WAVERING:
  case WAVERING_TOO:
    result->aligned[9] *= calls < 5 ? 1 : 1 + 0x1p-23f;
    break;
  case FADING_WRITE:
  case FADING_OVERWRITE:
    y->aligned[9] += calls < 5 ? 0 : 0.25f;
    break;
  default:
    break;
  }
}
