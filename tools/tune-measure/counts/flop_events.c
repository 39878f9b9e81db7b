//===- flop_events.c ------------------------------------------------------------------------===//

#include "tools/tune-measure/counts/flop_events.h"

#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

//===- The processor -----------------------------------------------------------------------===//

cpu_identity cpu_identity_from_cpuid(uint32_t ebx, uint32_t ecx, uint32_t edx, uint32_t version) {
  cpu_identity cpu = {.family = version >> 8 & 0xf, .model = version >> 4 & 0xf};
  memcpy(cpu.vendor, &ebx, 4);
  memcpy(cpu.vendor + 4, &edx, 4);
  memcpy(cpu.vendor + 8, &ecx, 4);
  // The upper digit of the model counts in these two families alone.
  if (cpu.family == 6 || cpu.family == 15)
    cpu.model |= (version >> 16 & 0xf) << 4;
  if (cpu.family == 15)
    cpu.family += version >> 20 & 0xff;
  return cpu;
}

cpu_identity cpu_identity_here(void) {
#ifdef __x86_64__
  uint32_t eax, ebx, ecx, edx, version, unused[3];
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) &&
      __get_cpuid(1, &version, &unused[0], &unused[1], &unused[2]))
    return cpu_identity_from_cpuid(ebx, ecx, edx, version);
#endif
  return (cpu_identity){{0}, 0, 0};
}

//===- Its events --------------------------------------------------------------------------===//

#define AMD_SSE_AVX_FLOPS 0x03
#define INTEL_FP_ARITH 0xc7

static uint64_t raw(unsigned event, unsigned mask) { return event | (uint64_t)mask << 8; }

static bool is_among(unsigned model, const unsigned char *models, size_t count) {
  return model <= 0xff && memchr(models, (int)model, count);
}

// The mask for all kinds of operations; 0: not known.
static unsigned amd_mask(const cpu_identity *cpu) {
  unsigned upper = cpu->model >> 4;
  switch (cpu->family) {
  case 0x17: // Zen, Zen+, Zen 2
    return 0xff;
  case 0x19: // Zen 3, and Zen 4 with a kind more
    return upper == 0 || upper == 2 || upper == 4 || upper == 5 ? 0xff : 0x1f;
  case 0x1a: // Zen 5, whose upper bits pick a type; others of the family are later ones
    return upper <= 4 || upper == 6 || upper == 7 ? 0x0f : 0;
  default:
    return 0;
  }
}

static size_t find_intel(const cpu_identity *cpu, flop_event events[FLOP_EVENT_LIMIT]) {
  // Broadwell; Skylake, Kaby Lake, Coffee Lake and Comet Lake of clients.
  static const unsigned char narrow[] = {0x3d, 0x47, 0x4f, 0x56, 0x4e,
                                         0x5e, 0x8e, 0x9e, 0xa5, 0xa6};
  // Skylake of servers; Cannon, Ice, Tiger and Rocket Lake; Sapphire, Emerald and Granite Rapids.
  static const unsigned char wide[] = {0x55, 0x66, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c,
                                       0x8d, 0xa7, 0x8f, 0xcf, 0xad, 0xae};
  bool is_wide = is_among(cpu->model, wide, sizeof wide);
  if (cpu->family != 6 || (!is_wide && !is_among(cpu->model, narrow, sizeof narrow)))
    return 0;
  // Masks of as many lanes are asked for together: scalars of f64 and f32, 128 bits of f64, those
  // of f32 with 256 of f64, 256 of f32 (with 512 of f64), 512 of f32.
  events[0] = (flop_event){raw(INTEL_FP_ARITH, 0x03), 1};
  events[1] = (flop_event){raw(INTEL_FP_ARITH, 0x04), 2};
  events[2] = (flop_event){raw(INTEL_FP_ARITH, 0x18), 4};
  events[3] = (flop_event){raw(INTEL_FP_ARITH, is_wide ? 0x60 : 0x20), 8};
  events[4] = (flop_event){raw(INTEL_FP_ARITH, 0x80), 16};
  return is_wide ? 5 : 4;
}

size_t flop_events_find(const cpu_identity *cpu, flop_event out_events[FLOP_EVENT_LIMIT]) {
  if (strcmp(cpu->vendor, "GenuineIntel") == 0)
    return find_intel(cpu, out_events);
  unsigned mask = strcmp(cpu->vendor, "AuthenticAMD") == 0 ? amd_mask(cpu) : 0;
  if (!mask)
    return 0;
  out_events[0] = (flop_event){raw(AMD_SSE_AVX_FLOPS, mask), 1};
  return 1;
}
