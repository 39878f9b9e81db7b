//===- fit.h - Compatibility of code that was made elsewhere -----------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_FIT_H
#define TUNE_TOOLS_TUNE_MEASURE_FIT_H

#include "formats/export_description.h"

#include <jansson.h>

// Whether what an export holds, of the target, the machine and the fingerprint that `described`
// names (docs/protocol.md), runs on a device with `fingerprint`. UNAVAILABLE says what is
// missing, and what to do.
tune_status fit_check(const tune_export_description *described, const json_t *fingerprint);

#endif // TUNE_TOOLS_TUNE_MEASURE_FIT_H
