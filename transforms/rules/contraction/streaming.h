//===- streaming.h - Results that go past the caches -------------------------===//
//
// What is written once and does not fit the caches is faster written to memory directly:
// a store through the caches reads the line first. Upstream's lowering knows stores that
// are `nontemporal`; LLVM makes instructions of them where they are aligned, too.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_STREAMING_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_STREAMING_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether the result of `root`, the last op of `structure`, can be written so: it is large, in
// memory that is allocated for it (and so aligned), of whole vectors, and contiguous along `loop`
// of the root, which the vectors run along: a column of it would be written element by element.
bool tune_streaming_applies(const tune_structure *structure, const tune_nest *root, size_t loop,
                            const tune_machine *machine);

// To be written into @tune_buffers after tune_writer_lower_vectors, where tune_streaming_applies:
// the knob `stores`, through the caches or past them. `results` are the shapes that the memory of
// the result has, one for each form of the schedule. Vectors begin at multiples of `step` elements,
// a power of two: what is said to be aligned has to be. `is_apart`: one vector after the other is
// of another row. On 16 registers (others were not measured) the default is past the caches then
// only where vectors are half of a line or more; others go to memory in pieces: bytes of 4096 x
// 4096 take 1.3 times as long to turn so.
void tune_streaming_write(const tune_operand *results, size_t result_count, int64_t step,
                          bool is_apart, const tune_machine *machine, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_STREAMING_H
