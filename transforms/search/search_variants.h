//===- search_variants.h - Searching a module with variants by size ----------===//
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_VARIANTS_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_VARIANTS_H

#include "transforms/search/search.h"
#include "transforms/search/search_report.h"
#include "transforms/search/search_turns.h"
#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Searches `module` (tune_search_module), of whose function `plan` has the variants; none: as it
// is. For a device it is made for one size, `dynamic`, or with variants for that of each in turn:
// choices go onto the ops of that variant. What the variants are worth is measured in the end
// (search_sizes.h), and those that bring nothing go. What keeps it from that is a warning.
//
// Where `turns` has numbers, how many images of a batch go at once is found out first
// (search_turns.h): on CPUs, without variants.
tune_status tune_search_variants(MlirOperation module, const tune_search_options *options,
                                 int64_t dynamic, const tune_turns_wanted *turns,
                                 tune_variant_plan *plan, const tune_search_reporting *reporting);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_VARIANTS_H
