//===- narrow_steps.h - Steps between narrow floats and f32, as integer ops ---===//
//
// What float emulation (float_emulation.h) leaves of narrow types (narrow_ops.h) is the steps from
// them to f32 and back. These become shifts and other ops on the bits; where four elements are two
// words in memory, on the words as they are.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_STEPS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_STEPS_H

#include "formats/device_facts.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens the steps in `kernel`, whose dialects are loaded (arith, spirv, vector). What goes in
// and comes out are bits in integers of 16, cast from and to the narrow types by arith.bitcast.
// OUT_OF_MEMORY alone.
tune_status tune_narrow_steps_open(MlirOperation kernel, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_STEPS_H
