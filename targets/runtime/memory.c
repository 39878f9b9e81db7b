//===- memory.c - The caching arena of the runtime -------------------------------===//

#include "targets/runtime/runtime.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define ALIGNMENT 64
// From here on blocks start on a huge page, so that the kernel can back them with some.
#define HUGE_PAGE ((size_t)2 << 20)
#define CLASSES_PER_DOUBLING 8
#define SMALLEST_CLASS 64
// Classes cover 64 B to 2^46 B; more than that is a size gone wrong.
#define LARGEST_SIZE ((size_t)1 << 46)
#define CLASS_COUNT (40 * CLASSES_PER_DOUBLING + 1)
// A free block of up to this many classes above the wanted one is taken: at most 1.5 times as big.
#define CLASSES_TRIED 5
// Free blocks that a thread looks through for one that it had.
#define BLOCKS_SEEN 16

// Stands right before the memory handed out.
typedef struct block {
  struct block *next; // in its class's free list
  void *raw;          // what malloc gave
  const char *user;   // `this_thread` of the thread that had it last
  size_t alignment;   // of the memory handed out
  uint32_t size_class;
} block;

_Static_assert(sizeof(block) <= ALIGNMENT, "the header fits before an aligned address");

typedef struct free_list {
  atomic_flag lock; // held for a few instructions only
  block *first;
} free_list;

// Global, as generated code has nothing to pass a context in. Zero is unlocked and empty.
static free_list free_lists[CLASS_COUNT];

static void lock(free_list *list) {
  while (atomic_flag_test_and_set_explicit(&list->lock, memory_order_acquire))
    ;
}

static void unlock(free_list *list) {
  atomic_flag_clear_explicit(&list->lock, memory_order_release);
}

// The smallest class that holds `size`, and how much that is.
static uint32_t class_of(size_t size, size_t *out_capacity) {
  if (size <= SMALLEST_CLASS) {
    *out_capacity = SMALLEST_CLASS;
    return 0;
  }
  unsigned doubling = 63 - (unsigned)__builtin_clzl(size - 1); // 2^doubling < size <= twice that
  size_t base = (size_t)1 << doubling;
  size_t step = base / CLASSES_PER_DOUBLING;
  size_t steps = (size - base + step - 1) / step;
  *out_capacity = base + steps * step;
  return (doubling - 6) * CLASSES_PER_DOUBLING + (uint32_t)steps;
}

// Its address tells threads apart.
static _Thread_local char this_thread;

// The block that was freed last, of those that the thread `self` had last if there are any: it is
// still in the cache of its core. Two threads that swap their blocks on each call fetch them from
// each other. Among many blocks it is not looked for far.
static block *take(free_list *list, size_t alignment, const char *self) {
  lock(list);
  block **link = NULL;
  unsigned seen = 0;
  for (block **at = &list->first; *at && !(link && ++seen > BLOCKS_SEEN); at = &(*at)->next) {
    if ((*at)->alignment < alignment)
      continue;
    bool is_own = (*at)->user == self;
    if (!link || is_own)
      link = at;
    if (is_own)
      break;
  }
  block *found = link ? *link : NULL;
  if (found)
    *link = found->next;
  unlock(list);
  if (found)
    found->user = self;
  return found;
}

static block *make(uint32_t size_class, size_t capacity, size_t alignment, const char *self) {
  size_t total;
  if (__builtin_add_overflow(capacity, alignment + ALIGNMENT, &total))
    return NULL;
  char *raw = malloc(total);
  if (!raw) {
    tune_runtime_trim();
    raw = malloc(total);
  }
  if (!raw)
    return NULL;
  uintptr_t start = ((uintptr_t)raw + sizeof(block) + alignment - 1) & ~(uintptr_t)(alignment - 1);
  block *made = (block *)start - 1;
  *made = (block){.raw = raw, .user = self, .alignment = alignment, .size_class = size_class};
  return made;
}

static void *allocate(size_t alignment, size_t size) {
  if (size > LARGEST_SIZE)
    return NULL;
  if (alignment < ALIGNMENT)
    alignment = ALIGNMENT;
  const char *self = &this_thread;
  size_t capacity;
  uint32_t size_class = class_of(size, &capacity);
  for (uint32_t i = size_class; i < size_class + CLASSES_TRIED && i < CLASS_COUNT; ++i) {
    block *found = take(&free_lists[i], alignment, self);
    if (found)
      return found + 1;
  }
  if (capacity >= HUGE_PAGE && alignment < HUGE_PAGE)
    alignment = HUGE_PAGE;
  block *made = make(size_class, capacity, alignment, self);
  return made ? made + 1 : NULL;
}

void *tune_runtime_allocate(size_t size) { return allocate(ALIGNMENT, size); }

void tune_runtime_free(void *memory) {
  if (!memory)
    return;
  block *freed = (block *)memory - 1;
  free_list *list = &free_lists[freed->size_class];
  lock(list);
  // Last in, first out: the block that is still in the cache is the next to be used.
  freed->next = list->first;
  list->first = freed;
  unlock(list);
}

void tune_runtime_trim(void) {
  for (size_t i = 0; i < CLASS_COUNT; ++i) {
    lock(&free_lists[i]);
    block *first = free_lists[i].first;
    free_lists[i].first = NULL;
    unlock(&free_lists[i]);
    while (first) {
      block *next = first->next;
      free(first->raw);
      first = next;
    }
  }
}

// An artifact that is unloaded leaves nothing behind.
__attribute__((destructor)) static void trim_at_unload(void) { tune_runtime_trim(); }

void *_mlir_memref_to_llvm_alloc(size_t size) { return allocate(ALIGNMENT, size); }

void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) {
  return allocate(alignment, size);
}

void _mlir_memref_to_llvm_free(void *memory) { tune_runtime_free(memory); }
