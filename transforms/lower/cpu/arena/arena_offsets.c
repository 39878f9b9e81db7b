//===- arena_offsets.c ---------------------------------------------------------===//

#include "transforms/lower/cpu/arena/arena_offsets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Orders that are tried beyond each of the three, and pairs of buffers that they look at together.
enum { MOST_ORDERS = 64, MOST_PAIRS = 50000000 };

static int64_t padded(int64_t size) {
  return (size + TUNE_ARENA_ALIGNMENT - 1) / TUNE_ARENA_ALIGNMENT * TUNE_ARENA_ALIGNMENT;
}

int64_t tune_arena_bound(const tune_arena_buffer *buffers, size_t count) {
  int64_t most = 0;
  // The most is needed where some buffer begins.
  for (size_t i = 0; i < count; ++i) {
    int64_t alive = 0;
    for (size_t k = 0; k < count; ++k)
      if (buffers[k].first <= buffers[i].first && buffers[i].first <= buffers[k].last)
        alive += padded(buffers[k].size);
    if (alive > most)
      most = alive;
  }
  return most;
}

typedef struct placer {
  const tune_arena_buffer *buffers;
  size_t count;
  size_t *order;   // indices
  int64_t *offset; // by index
  size_t *placed;  // indices, by offset
} placer;

static bool overlap(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

// The smallest gap between those placed that are needed with buffer `index`; else above them.
static int64_t best_fit(const placer *self, size_t index, size_t placed) {
  int64_t size = padded(self->buffers[index].size), end = 0, best = -1, best_gap = INT64_MAX;
  for (size_t p = 0; p < placed; ++p) {
    size_t other = self->placed[p];
    if (!overlap(&self->buffers[index], &self->buffers[other]))
      continue;
    int64_t gap = self->offset[other] - end;
    if (gap >= size && gap < best_gap) {
      best = end;
      best_gap = gap;
    }
    int64_t other_end = self->offset[other] + padded(self->buffers[other].size);
    if (other_end > end)
      end = other_end;
  }
  return best >= 0 ? best : end;
}

// Places all in their order. Returns the size of the block.
static int64_t place_in_order(placer *self) {
  int64_t top = 0;
  for (size_t n = 0; n < self->count; ++n) {
    size_t index = self->order[n];
    int64_t offset = best_fit(self, index, n);
    self->offset[index] = offset;
    size_t at = n;
    for (; at > 0 && self->offset[self->placed[at - 1]] > offset; --at)
      self->placed[at] = self->placed[at - 1];
    self->placed[at] = index;
    int64_t end = offset + padded(self->buffers[index].size);
    if (end > top)
      top = end;
  }
  return top;
}

typedef bool comes_first(const tune_arena_buffer *a, const tune_arena_buffer *b);

static bool is_larger(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  return a->size > b->size;
}

static bool begins_earlier(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  return a->first < b->first || (a->first == b->first && a->size > b->size);
}

static bool lives_longer(const tune_arena_buffer *a, const tune_arena_buffer *b) {
  size_t of_a = a->last - a->first, of_b = b->last - b->first;
  return of_a > of_b || (of_a == of_b && a->size > b->size);
}

// By insertion: stable, so that the same buffers have the same places wherever they are.
static void sort(placer *self, comes_first *first) {
  for (size_t i = 0; i < self->count; ++i) {
    size_t at = i;
    for (; at > 0 && first(&self->buffers[i], &self->buffers[self->order[at - 1]]); --at)
      self->order[at] = self->order[at - 1];
    self->order[at] = i;
  }
}

static void keep(const placer *self, tune_arena_buffer *buffers) {
  for (size_t i = 0; i < self->count; ++i)
    buffers[i].offset = self->offset[i];
}

// Brings the buffer that ends at the top of the block to the front of the order.
static void bring_forward(placer *self, int64_t top) {
  for (size_t n = 0; n < self->count; ++n) {
    size_t index = self->order[n];
    if (self->offset[index] + padded(self->buffers[index].size) != top)
      continue;
    memmove(self->order + 1, self->order, n * sizeof *self->order);
    self->order[0] = index;
    return;
  }
}

static int64_t place(placer *self, tune_arena_buffer *buffers) {
  comes_first *const FIRST[] = {is_larger, begins_earlier, lives_longer};
  int64_t bound = tune_arena_bound(buffers, self->count), best = INT64_MAX;
  size_t pairs = self->count * self->count + 1;
  size_t orders = pairs * MOST_ORDERS > MOST_PAIRS ? MOST_PAIRS / pairs : MOST_ORDERS;
  for (size_t i = 0; i < sizeof FIRST / sizeof *FIRST && best > bound; ++i) {
    sort(self, FIRST[i]);
    int64_t top = place_in_order(self);
    for (size_t n = 0;; ++n) {
      if (top < best) {
        best = top;
        keep(self, buffers);
      }
      if (n >= orders || best <= bound)
        break;
      bring_forward(self, top);
      top = place_in_order(self);
    }
  }
  return best == INT64_MAX ? 0 : best;
}

tune_status tune_arena_place(tune_arena_buffer *buffers, size_t count, int64_t *out_size) {
  placer self = {.buffers = buffers,
                 .count = count,
                 .order = calloc(count + 1, sizeof *self.order),
                 .offset = calloc(count + 1, sizeof *self.offset),
                 .placed = calloc(count + 1, sizeof *self.placed)};
  tune_status status = TUNE_OK;
  if (self.order && self.offset && self.placed)
    *out_size = place(&self, buffers);
  else
    status = tune_status_out_of_memory("placing buffers");
  free(self.order);
  free(self.offset);
  free(self.placed);
  return status;
}
