//===- memory.c - The caching arena of the runtime -------------------------------===//

#include "targets/runtime/runtime.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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
// Around guarded memory, on either side.
#define ZONE ((size_t)4096)
#define UNWRITTEN 0xff
// No NaN (6.3 in f16, 12672 in bf16, 12689 in f32): adding to one leaves it as it was.
#define ZONE_BYTE 0x46

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

//===- Guarded memory -------------------------------------------------------------===//

// Stands for itself, where no kernel writes by a small mistake.
typedef struct guarded_block {
  struct guarded_block *next;
  void *raw;
  unsigned char *data;
  size_t size;
} guarded_block;

static atomic_bool is_guarding;
static atomic_flag guarded_lock;
static _Atomic(guarded_block *) first_guarded; // changed under the lock
static size_t overwritten;                     // of those that are gone; under the lock

static void lock_guarded(void) {
  while (atomic_flag_test_and_set_explicit(&guarded_lock, memory_order_acquire))
    ;
}

static void unlock_guarded(void) {
  atomic_flag_clear_explicit(&guarded_lock, memory_order_release);
}

static void *allocate_guarded(size_t alignment, size_t size) {
  size_t total;
  if (__builtin_add_overflow(size, alignment + 2 * ZONE, &total))
    return NULL;
  guarded_block *made = malloc(sizeof *made);
  char *raw = malloc(total);
  if (!made || !raw) {
    free(made);
    free(raw);
    return NULL;
  }
  uintptr_t data = ((uintptr_t)raw + ZONE + alignment - 1) & ~(uintptr_t)(alignment - 1);
  *made = (guarded_block){.raw = raw, .data = (unsigned char *)data, .size = size};
  memset(made->data - ZONE, ZONE_BYTE, size + 2 * ZONE);
  memset(made->data, UNWRITTEN, size);
  lock_guarded();
  made->next = first_guarded;
  first_guarded = made;
  unlock_guarded();
  return made->data;
}

static size_t count_overwritten(const guarded_block *of) {
  size_t count = 0;
  for (size_t i = 0; i < ZONE; ++i)
    count += (of->data[-1 - (ptrdiff_t)i] != ZONE_BYTE) + (of->data[of->size + i] != ZONE_BYTE);
  return count;
}

// Whether `memory` is guarded; it is gone then.
static bool free_guarded(const void *memory) {
  if (!atomic_load_explicit(&first_guarded, memory_order_relaxed))
    return false;
  lock_guarded();
  guarded_block *found = first_guarded, *before = NULL;
  for (; found && found->data != memory; found = found->next)
    before = found;
  if (found) {
    overwritten += count_overwritten(found);
    if (before)
      before->next = found->next;
    else
      first_guarded = found->next;
  }
  unlock_guarded();
  if (!found)
    return false;
  free(found->raw);
  free(found);
  return true;
}

void tune_runtime_guard(bool is_guarded) { is_guarding = is_guarded; }

size_t tune_runtime_overwritten(void) {
  lock_guarded();
  size_t count = overwritten;
  for (const guarded_block *at = first_guarded; at; at = at->next)
    count += count_overwritten(at);
  unlock_guarded();
  return count;
}

//===- Either ---------------------------------------------------------------------===//

static void *allocate(size_t alignment, size_t size) {
  if (size > LARGEST_SIZE)
    return NULL;
  if (alignment < ALIGNMENT)
    alignment = ALIGNMENT;
  if (atomic_load_explicit(&is_guarding, memory_order_relaxed))
    return allocate_guarded(alignment, size);
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
  if (!memory || free_guarded(memory))
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
