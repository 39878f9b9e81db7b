//===- memory.c - What memory there is
//----------------------------------------------------------===//

#include "unittests/ptx/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
  uintptr_t start, end;
} range;

struct ptx_memory {
  range *ranges; // by their starts
  size_t count;
  size_t last; // that something was found in
};

tune_status ptx_memory_create(ptx_memory **out_memory) {
  *out_memory = calloc(1, sizeof **out_memory);
  return *out_memory ? TUNE_OK : tune_status_out_of_memory("ranges of memory");
}

void ptx_memory_destroy(ptx_memory *memory) {
  if (memory)
    free(memory->ranges);
  free(memory);
}

// The first range that begins behind `address`.
static size_t find_behind(const ptx_memory *memory, uintptr_t address) {
  size_t low = 0, high = memory->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (memory->ranges[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

tune_status ptx_memory_add(ptx_memory *memory, const void *start, size_t bytes) {
  if (!ptx_grow(&memory->ranges, memory->count, sizeof *memory->ranges))
    return tune_status_out_of_memory("ranges of memory");
  size_t at = find_behind(memory, (uintptr_t)start);
  memmove(&memory->ranges[at + 1], &memory->ranges[at],
          (memory->count - at) * sizeof *memory->ranges);
  memory->ranges[at] = (range){(uintptr_t)start, (uintptr_t)start + bytes};
  memory->count++;
  return TUNE_OK;
}

tune_status ptx_memory_remove(ptx_memory *memory, const void *start) {
  size_t at = find_behind(memory, (uintptr_t)start);
  if (!at || memory->ranges[at - 1].start != (uintptr_t)start)
    return tune_status_make(TUNE_NOT_FOUND, "no memory begins at %p", start);
  memmove(&memory->ranges[at - 1], &memory->ranges[at],
          (memory->count - at) * sizeof *memory->ranges);
  memory->count--;
  memory->last = 0;
  return TUNE_OK;
}

static bool is_in(const ptx_memory *memory, size_t index, uintptr_t address, size_t bytes) {
  const range *r = &memory->ranges[index];
  return address >= r->start && address <= r->end && bytes <= r->end - address;
}

bool ptx_memory_has(const ptx_memory *memory, const void *start, size_t bytes) {
  size_t behind = find_behind(memory, (uintptr_t)start);
  return behind && is_in(memory, behind - 1, (uintptr_t)start, bytes);
}

static bool memory_has(ptx_memory *memory, uintptr_t address, size_t bytes) {
  if (!memory || !memory->count)
    return false;
  if (is_in(memory, memory->last, address, bytes))
    return true;
  size_t behind = find_behind(memory, address);
  if (!behind || !is_in(memory, behind - 1, address, bytes))
    return false;
  memory->last = behind - 1;
  return true;
}

static const char *verb(unsigned access) {
  return access & PTX_ATOMIC ? "updates" : access & PTX_WRITE ? "writes" : "reads";
}

static uint8_t *refuse(ptx_thread *thread, const ptx_instruction *instruction, unsigned access,
                       unsigned bytes, uint64_t address, const char *where) {
  ptx_fail(thread, instruction, PTX_FAULT_ADDRESS, "%s %u bytes at 0x%" PRIx64 ", outside of %s",
           verb(access), bytes, address, where);
  return NULL;
}

static uint8_t *locate_shared(ptx_thread *thread, const ptx_instruction *instruction,
                              uint64_t address, unsigned bytes, unsigned access) {
  ptx_group *group = thread->group;
  uint64_t start = address - PTX_SHARED_START;
  if (address < PTX_SHARED_START || start > group->shared_bytes ||
      bytes > group->shared_bytes - start)
    return refuse(thread, instruction, access, bytes, address, "shared memory");
  if (group->shadow &&
      ptx_shadow_touch(thread, instruction, (uint32_t)start, bytes, access) != PTX_GO)
    return NULL;
  return group->shared + start;
}

uint8_t *ptx_locate(ptx_thread *thread, const ptx_instruction *instruction, ptx_space space,
                    uint64_t address, unsigned bytes, unsigned access) {
  if (address & (bytes - 1)) {
    ptx_fail(thread, instruction, PTX_FAULT_MISALIGNED,
             "%s %u bytes at 0x%" PRIx64 ", which is no multiple of that", verb(access), bytes,
             address);
    return NULL;
  }
  if (space == PTX_GENERIC) {
    static const ptx_space spaces[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM};
    uint64_t window = address >> PTX_WINDOW_SHIFT;
    space = window < 4 ? spaces[window] : PTX_GLOBAL;
    address -= space == PTX_GLOBAL ? 0 : window << PTX_WINDOW_SHIFT;
  }
  ptx_run *run = thread->group->run;
  switch (space) {
  case PTX_SHARED:
    return locate_shared(thread, instruction, address, bytes, access);
  case PTX_LOCAL:
    if (address > thread->local_top || bytes > thread->local_top - address)
      return refuse(thread, instruction, access, bytes, address, "the thread's local memory");
    return thread->local + address;
  case PTX_PARAM: {
    size_t end = thread->frame->function->param_bytes;
    if (address > end || bytes > end - address)
      return refuse(thread, instruction, access, bytes, address, "the parameters");
    return thread->frame->param + address;
  }
  default:
    if (!memory_has(run->launch->memory, (uintptr_t)address, bytes) &&
        !memory_has(run->kernel->module->memory, (uintptr_t)address, bytes))
      return refuse(thread, instruction, access, bytes, address, "all of the device's memory");
    return (uint8_t *)(uintptr_t)address;
  }
}
