//===- buffer.c - Tensors in host memory, with guards around them ------------------===//

#include "targets/buffer.h"
#include "targets/random_at.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
// At least so many bytes of zone follow the data.
#define SMALLEST_ZONE 64
// From so many numbers on small ones are made as often as large ones.
#define MANY 0x1p16
// From a range's end down to numbers that are small beside one.
#define OCTAVES 68

static unsigned char guard_byte(const tune_value_type *type) {
  return type->is_readwrite ? TUNE_BUFFER_WRITTEN_GUARD : TUNE_BUFFER_READ_GUARD;
}

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

tune_status tune_buffer_init(tune_buffer *buffer, const tune_value_type *type) {
  memset(buffer, 0, sizeof *buffer);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t size = tune_value_type_element_count(type) * tune_element_type_size(type->element);
  size_t alignment = size >= HUGE_PAGE ? HUGE_PAGE : page;
  size_t accessible = page + round_up(size + SMALLEST_ZONE, page);
  // Reserved without access; what is for use is opened below.
  size_t mapping_size = accessible + 2 * page + alignment;
  char *mapping =
      mmap(NULL, mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return tune_status_from_errno(errno, "a buffer of %zu bytes", size);
  char *data = (char *)round_up((uintptr_t)mapping + 2 * page, alignment);
  if (mprotect(data - page, accessible, PROT_READ | PROT_WRITE) != 0) {
    tune_status status = tune_status_from_errno(errno, "a buffer of %zu bytes", size);
    munmap(mapping, mapping_size);
    return status;
  }
  if (alignment == HUGE_PAGE)
    madvise(data, size, MADV_HUGEPAGE); // a wish; where it is refused small pages do
  memset(data - page, guard_byte(type), page);
  memset(data + size, guard_byte(type), accessible - page - size);
  buffer->type = *type;
  buffer->data = data;
  buffer->size = size;
  buffer->mapping = mapping;
  buffer->mapping_size = mapping_size;
  return TUNE_OK;
}

tune_status tune_buffer_init_copy(tune_buffer *buffer, const tune_buffer *other) {
  TUNE_RETURN_IF_ERROR(tune_buffer_init(buffer, &other->type));
  memcpy(buffer->data, other->data, other->size);
  return TUNE_OK;
}

void tune_buffer_deinit(tune_buffer *buffer) {
  if (buffer->mapping)
    munmap(buffer->mapping, buffer->mapping_size);
  memset(buffer, 0, sizeof *buffer);
}

tune_status tune_buffer_protect(const tune_buffer *buffer) {
  // From the first page of the data on; what is written before them is seen by the guards there.
  if (mprotect(buffer->data, buffer->size + SMALLEST_ZONE, PROT_READ) != 0)
    return tune_status_from_errno(errno, "a buffer of %zu bytes", buffer->size);
  return TUNE_OK;
}

static size_t zone_after(const tune_buffer *buffer, size_t page) {
  return round_up(buffer->size + SMALLEST_ZONE, page) - buffer->size;
}

static size_t count_changed(const unsigned char *zone, size_t size, unsigned char from) {
  size_t changed = 0;
  for (size_t i = 0; i < size; ++i)
    changed += zone[i] != from;
  return changed;
}

tune_status tune_buffer_overwritten(size_t before, size_t after) {
  if (before)
    return tune_status_make(TUNE_DATA_LOSS, "%zu bytes before the beginning were overwritten",
                            before);
  if (after)
    return tune_status_make(TUNE_DATA_LOSS, "%zu bytes after the end were overwritten", after);
  return TUNE_OK;
}

tune_status tune_buffer_check_guards(const tune_buffer *buffer) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const unsigned char *data = buffer->data;
  size_t before = count_changed(data - page, page, guard_byte(&buffer->type));
  size_t after =
      count_changed(data + buffer->size, zone_after(buffer, page), guard_byte(&buffer->type));
  return tune_buffer_overwritten(before, after);
}

tune_buffer_place tune_buffer_locate(const tune_buffer *buffer, const void *address) {
  uintptr_t at = (uintptr_t)address, data = (uintptr_t)buffer->data;
  uintptr_t mapping = (uintptr_t)buffer->mapping;
  if (at < mapping || at >= mapping + buffer->mapping_size)
    return TUNE_BUFFER_ELSEWHERE;
  if (at < data)
    return TUNE_BUFFER_BEFORE;
  return at < data + buffer->size ? TUNE_BUFFER_WITHIN : TUNE_BUFFER_AFTER;
}

// 24 bits: exact in f32, so that f32 and f64 tensors of one seed hold the same values.
static double float_at(uint64_t seed, size_t index, bool is_positive) {
  double unit = (double)((tune_random_at(seed, index) >> 40) + 1) * 0x1p-24; // in (0, 1]
  return is_positive ? unit : 2 * unit - 1;
}

static void fill_floats(tune_buffer *buffer, uint64_t seed, bool is_positive) {
  tune_element_type element = buffer->type.element;
  size_t size = tune_element_type_size(element);
  size_t count = buffer->size / size;
  if (element == TUNE_F32) { // by far the most common, and large
    float *data = buffer->data;
    for (size_t i = 0; i < count; ++i)
      data[i] = (float)float_at(seed, i, is_positive);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    tune_element_store(element, float_at(seed, i, is_positive), (char *)buffer->data + i * size);
}

// The integer next to a number, which may be beyond all of them.
static int64_t to_integer(double value) {
  if (value >= 0x1p63)
    return INT64_MAX;
  return value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

// Small ones as often as large ones where there are many, and each sixteenth is an end.
static int64_t integer_in(int64_t low, int64_t high, uint64_t bits, uint64_t more) {
  uint64_t span = (uint64_t)high - (uint64_t)low;
  if (span < (uint64_t)MANY)
    return low + (int64_t)(bits % (span + 1));
  if ((more & 15) == 0)
    return more & 16 ? low : high;
  unsigned shift = (unsigned)(more >> 8) % 64;
  int64_t value = low < 0 ? (int64_t)bits >> shift : (int64_t)(bits >> shift >> 1);
  return value < low || value > high ? low + (int64_t)(bits % span) : value;
}

// Where there are many numbers half are of any size, down to fractions of one.
static double float_in(const double *range, uint64_t bits, uint64_t more) {
  double unit = (double)(bits >> 40) * 0x1p-24;
  if (range[1] - range[0] < MANY || more & 1)
    return range[0] + unit * (range[1] - range[0]);
  double size = range[1] * exp2(-OCTAVES * unit);
  return range[0] < 0 && more & 2 ? -size : size;
}

// One that may be divided by, next to `value`.
static int64_t divisor_at(int64_t value) { return value == 0 ? 1 : value == -1 ? -2 : value; }

static int64_t integer_at(const tune_value_type *type, int64_t low, int64_t high, uint64_t bits,
                          uint64_t more) {
  if (type->is_flag && more & 32)
    return (int64_t)(bits & 1);
  int64_t value = integer_in(low, high, bits, more);
  return type->is_divisor ? divisor_at(value) : value;
}

static void fill_range(tune_buffer *buffer, uint64_t seed) {
  const tune_value_type *type = &buffer->type;
  size_t size = tune_element_type_size(type->element);
  bool is_float = tune_element_type_is_float(type->element);
  int64_t low = to_integer(type->range[0]), high = to_integer(type->range[1]);
  for (size_t i = 0; i < buffer->size / size; ++i) {
    char *at = (char *)buffer->data + i * size;
    uint64_t bits = tune_random_at(seed, i);
    uint64_t more = tune_random_at(~seed, i);
    int64_t value = integer_at(type, low, high, bits, more);
    if (!is_float)
      memcpy(at, &value, size); // the low bytes come first
    else
      tune_element_store(type->element,
                         type->is_whole ? (double)value : float_in(type->range, bits, more), at);
  }
}

void tune_buffer_fill(tune_buffer *buffer, uint64_t seed, tune_fill fill, int64_t index_limit) {
  tune_element_type element = buffer->type.element;
  if (buffer->type.has_range && element != TUNE_I1) {
    fill_range(buffer, seed);
    return;
  }
  if (tune_element_type_is_float(element)) {
    fill_floats(buffer, seed, fill == TUNE_FILL_POSITIVE || buffer->type.is_scalar);
    return;
  }
  uint64_t values = element == TUNE_I1                          ? 2
                    : element == TUNE_I8 || element == TUNE_I16 ? 16
                                                                : (uint64_t)index_limit;
  int64_t lowest = element == TUNE_I8 || element == TUNE_I16 ? -8 : 0;
  size_t size = tune_element_type_size(element);
  for (size_t i = 0; i < buffer->size / size; ++i)
    tune_element_store(element, (double)(lowest + (int64_t)(tune_random_at(seed, i) % values)),
                       (char *)buffer->data + i * size);
}
