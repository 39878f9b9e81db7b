//===- allowed_assembly.h - The assembly that schedules may bring ------------===//
//
// Schedules come from strangers, too, and what they bring is linked: of inline assembly only what
// is here is taken (schedule_result.h). Our own rules write it (rules/contraction/dot_patterns.c).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_ALLOWED_ASSEMBLY_H
#define TUNE_TRANSFORMS_SCHEDULE_ALLOWED_ASSEMBLY_H

#ifdef __cplusplus
extern "C" {
#endif

// Sums of bytes.
#define TUNE_DOT_ASSEMBLY "vpdpbusd $2, $1, $0"
#define TUNE_DOT_CONSTRAINTS "=v,v,v,0"
// Sums of two products of 16 bits.
#define TUNE_PAIRS_ASSEMBLY "vpmaddwd $2, $1, $0"
#define TUNE_PAIRS_CONSTRAINTS "=v,v,v"

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_ALLOWED_ASSEMBLY_H
