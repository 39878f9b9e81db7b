//===- failing_allocations.c - malloc and its like ----------------------------------===//

#include "failing_state.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What is behind the functions defined here: the C library's, or the sanitizer's.
#ifdef __SANITIZE_ADDRESS__
#define BEHIND(name) __interceptor_##name
#else
#define BEHIND(name) __libc_##name
#endif

void *BEHIND(malloc)(size_t size);
void *BEHIND(calloc)(size_t count, size_t size);
void *BEHIND(realloc)(void *block, size_t size);
void *BEHIND(memalign)(size_t alignment, size_t size);
void BEHIND(free)(void *block);

//===- Blocks that are followed -------------------------------------------------===//
// A hash table without removal: what was freed stays as a mark until the next run.

#define SLOTS ((size_t)1 << 17)
#define FREED ((void *)1)

static bool is_following;
static void *blocks[SLOTS];
static void *makers[SLOTS]; // who asked for it
static size_t block_count;

static size_t slot_of(const void *block) {
  return (size_t)((uintptr_t)block / 16 * 0x9e3779b97f4a7c15u >> 47) % SLOTS;
}

static void *follow(void *block, void *maker) {
  if (!is_following || !block)
    return block;
  if (++block_count > SLOTS / 2) // never in a scenario of ours
    abort();
  size_t slot = slot_of(block);
  while (blocks[slot])
    slot = (slot + 1) % SLOTS;
  blocks[slot] = block;
  makers[slot] = maker;
  return block;
}

static void forget(const void *block) {
  if (!is_following || !block)
    return;
  for (size_t slot = slot_of(block); blocks[slot]; slot = (slot + 1) % SLOTS)
    if (blocks[slot] == block)
      blocks[slot] = FREED;
}

void failing_calls_begin_blocks(void) {
  memset(blocks, 0, sizeof blocks);
  block_count = 0;
  is_following = true;
}

size_t failing_calls_end_blocks(void *const **out_addresses, size_t *out_count) {
  static void *left[8];
  is_following = false;
  size_t count = 0;
  for (size_t slot = 0; slot < SLOTS; ++slot)
    if (blocks[slot] && blocks[slot] != FREED) {
      if (count < sizeof left / sizeof *left)
        left[count] = makers[slot];
      ++count;
    }
  *out_addresses = left;
  *out_count = count < sizeof left / sizeof *left ? count : sizeof left / sizeof *left;
  return count;
}

//===- The functions ------------------------------------------------------------===//

#define MAKER __builtin_return_address(0)

static bool must_fail(const failing_function *function) {
  return failing_calls_count(FAILING_ALLOCATIONS, function) != 0;
}

void *malloc(size_t size) {
  static const failing_function self = {"malloc", {ENOMEM}};
  return must_fail(&self) ? NULL : follow(BEHIND(malloc)(size), MAKER);
}

void *calloc(size_t count, size_t size) {
  static const failing_function self = {"calloc", {ENOMEM}};
  return must_fail(&self) ? NULL : follow(BEHIND(calloc)(count, size), MAKER);
}

void *realloc(void *block, size_t size) {
  static const failing_function self = {"realloc", {ENOMEM}};
  if (must_fail(&self))
    return NULL;
  void *moved = BEHIND(realloc)(block, size);
  if (moved || size == 0)
    forget(block);
  return follow(moved, MAKER);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
  static const failing_function self = {"memalign", {ENOMEM}};
  return must_fail(&self) ? NULL : follow(BEHIND(memalign)(alignment, size), MAKER);
}

void *aligned_alloc(size_t alignment, size_t size) {
  static const failing_function self = {"aligned_alloc", {ENOMEM}};
  return must_fail(&self) ? NULL : follow(BEHIND(memalign)(alignment, size), MAKER);
}

int posix_memalign(void **out_block, size_t alignment, size_t size) {
  static const failing_function self = {"posix_memalign", {ENOMEM}};
  if (must_fail(&self))
    return ENOMEM;
  *out_block = follow(BEHIND(memalign)(alignment, size), MAKER);
  return *out_block ? 0 : ENOMEM;
}

void free(void *block) {
  forget(block);
  BEHIND(free)(block);
}

// The sanitizer's do not come here for their memory.

char *strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *strndup(const char *text, size_t limit) {
  size_t length = strnlen(text, limit);
  char *copy = malloc(length + 1);
  if (!copy)
    return NULL;
  copy[length] = '\0';
  return memcpy(copy, text, length);
}
