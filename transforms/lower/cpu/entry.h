//===- entry.h - The function that an artifact exports -----------------------===//
//
// `void tune_entry(void **arguments)`, as docs/protocol.md describes it, is written
// around the lowered function. It is then the only function that the artifact's own code
// exports, but for what is packed ahead:
//
//   void *tune_prepack(void **arguments)      takes the arguments of the entry, of which it reads
//                                             constant ones alone; what it gives back is for
//                                             arguments[1 + how many there are] of each call of
//                                             the entry
//   void tune_prepack_free(void *packed)      takes that back
//
//   char tune_unordered                       is there where two runs may differ (unordered.h)
//
// What is packed of the module's own constants alone is so when the artifact is loaded, and nobody
// sees it.
//
// Threads: a module belongs to one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ENTRY_H
#define TUNE_TRANSFORMS_LOWER_CPU_ENTRY_H

#include "transforms/ir/signature.h"
#include "transforms/lower/cpu/weights/prepack.h"

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_ENTRY_NAME "tune_entry"
#define TUNE_PREPACK_NAME "tune_prepack"
#define TUNE_UNORDERED_NAME "tune_unordered"
#define TUNE_PREPACK_FREE_NAME "tune_prepack_free"

// Whether the entry has these two.
bool tune_entry_takes_packed(const tune_prepack *prepack);
// Whether it packs when it is loaded.
bool tune_entry_packs_at_load(const tune_prepack *prepack);

// Adds the entry to `module`, which holds the function `name` of `signature` and, because it was
// lowered with llvm.emit_c_interface, its C wrapper; and the same of `prepack`, if it has a
// function. Everything else that is defined in `module` becomes internal, and the memory of
// different tensor arguments is declared not to overlap. INTERNAL where the wrapper does not look
// as `signature` wants it.
tune_status tune_entry_add(LLVMModuleRef module, const char *name,
                           const tune_function_signature *signature, const tune_prepack *prepack);

// Adds what says that two runs may differ, to a module that has the entry already.
void tune_entry_mark_unordered(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ENTRY_H
