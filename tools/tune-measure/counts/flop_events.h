//===- flop_events.h - Events of processors that count floating-point operations -===//
//
// Linux has no event for them that all processors know, so they are counted by the processor's own
// ("raw") events, chosen by what CPUID says it is:
//
// - AMD: PMCx003, retired SSE/AVX FLOPs, counts each lane, and a multiply-add as two (Processor
//   Programming References of families 17h, 19h and 1Ah, "Floating-Point Events"). It can count 64
//   in a cycle, for which Linux joins two counters by itself (MergeEvent). From Zen 4 on bf16's
//   multiply-adds are in it.
// - Intel, Broadwell and later: FP_ARITH_INST_RETIRED.* (event C7h) counts instructions by the
//   width of their vectors and the size of their elements, a multiply-add twice, so each is
//   weighted by its lanes (perfmon events, github.com/intel/perfmon; Software Developer's Manual,
//   volume 3, "Performance Monitoring Events").
//
// Both count additions, multiplications, multiply-adds, divisions and square roots of f32 and f64,
// Intel minima and maxima as well. Not counted: x87, conversions, arithmetic in f16 (AVX512-FP16),
// dot products of bf16 on Intel, of integers, and matrix units (AMX).
//
// Not known are processors with cores of two kinds (Intel's Alder Lake and later clients), whose
// kinds count different events, and any that is not named here: a number that nobody has looked up
// is worse than none.
//
// Threads: functions of their arguments; any thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COUNTS_FLOP_EVENTS_H
#define TUNE_TOOLS_TUNE_MEASURE_COUNTS_FLOP_EVENTS_H

#include <stddef.h>
#include <stdint.h>

// Which processor it is, as manuals name it.
typedef struct cpu_identity {
  char vendor[13]; // "AuthenticAMD"; "": no x86
  unsigned family, model;
} cpu_identity;

// From EBX, ECX and EDX of CPUID's leaf 0, and EAX of leaf 1.
cpu_identity cpu_identity_from_cpuid(uint32_t ebx, uint32_t ecx, uint32_t edx, uint32_t version);
cpu_identity cpu_identity_here(void);

// An event, and the operations that one of it stands for.
typedef struct flop_event {
  uint64_t config; // of a PERF_TYPE_RAW event
  double flops;
} flop_event;

#define FLOP_EVENT_LIMIT 5

// The events whose weighted sum is the operations; 0: not known of this processor.
size_t flop_events_find(const cpu_identity *cpu, flop_event out_events[FLOP_EVENT_LIMIT]);

#endif // TUNE_TOOLS_TUNE_MEASURE_COUNTS_FLOP_EVENTS_H
