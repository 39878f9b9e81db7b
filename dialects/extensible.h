//===- extensible.h - Dynamic attributes and types, of which the C API has none -===//
//
// MLIR 22's C API can neither register a dialect made at run time, nor read and make
// its attributes, nor emit a diagnostic that is not an error. These few functions do;
// extensible.cpp is C++ for them alone, and goes when upstream's C API has caught up.
//
// Threads: as for MLIR: the functions on attributes and diagnostics may be called by
// many threads on one context; registration belongs to the thread that sets it up.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_EXTENSIBLE_H
#define TUNE_DIALECTS_EXTENSIBLE_H

#include "support/status.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checks the parameters of the attribute `#<dialect>.<name>` beyond what IRDL can say. Called by
// any thread that makes such an attribute, in the parser too.
typedef tune_status (*tune_attribute_verifier)(const char *name, intptr_t parameter_count,
                                               const MlirAttribute *parameters);

// Puts the dialect `name`, whose attributes are described by `irdl` (the text of a module with one
// irdl.dialect of that name), into `registry`. Each attribute is verified by its IRDL constraints
// and then by `verify`. `name`, `irdl` and `verify` must outlive all contexts made with the
// registry; `irdl` is parsed when a context loads the dialect, and has to be right: a text that is
// not leaves the dialect without attributes, after MLIR said so on stderr.
void tune_extensible_register_dialect(MlirDialectRegistry registry, const char *name,
                                      const char *irdl, tune_attribute_verifier verify);

// Whether `attribute` belongs to a dialect made at run time.
bool tune_extensible_attribute_is_dynamic(MlirAttribute attribute);

// Of a dynamic attribute, the name without the dialect's ("tile"; borrowed from the context) and
// the parameters.
MlirStringRef tune_extensible_attribute_name(MlirAttribute attribute);
intptr_t tune_extensible_attribute_parameter_count(MlirAttribute attribute);
MlirAttribute tune_extensible_attribute_parameter(MlirAttribute attribute, intptr_t position);

// Makes `#<dialect>.<name><parameters>`. The dialect has to be loaded in the context of `location`.
// NOT_FOUND where it, or the attribute in it, is not; INVALID_ARGUMENT where verification fails.
tune_status tune_extensible_attribute_create(MlirLocation location, const char *dialect,
                                             const char *name, intptr_t parameter_count,
                                             const MlirAttribute *parameters,
                                             MlirAttribute *out_attribute);

// Emits `message` with the notes `notes[i]` at `note_locations[i]` through the diagnostics of the
// context that `location` belongs to.
void tune_extensible_emit(MlirLocation location, MlirDiagnosticSeverity severity,
                          const char *message, intptr_t note_count,
                          const MlirLocation *note_locations, const char *const *notes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_EXTENSIBLE_H
