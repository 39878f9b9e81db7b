//===- device_launches.h - Lowering of a scheduled module to kernels and their launches -===//
//
// What the ways to all devices share:
//  1. tensors that the schedule left are bufferized, results are placed (as lower/cpu/cpu.h);
//  2. every top-level scf.forall becomes a gpu.launch, as does every linalg op that no schedule has
//     taken (launches.h); what is left of the function is the host's part: buffers, launches,
//     copies;
//  3. vectors become those that devices have (vector_legalization.h);
//  4. launches become kernels with names, each in a gpu.module of its own.
//
// Threads: as lower/cpu/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_DEVICE_LAUNCHES_H
#define TUNE_TRANSFORMS_LOWER_DEVICE_LAUNCHES_H

#include "formats/device_facts.h"
#include "support/status.h"
#include "transforms/ir/signature.h"
#include "transforms/lower/common/stages.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_device_launches tune_device_launches;

// `options` (static, NULL after the last) are the attributes of functions that say how their code
// is to be made (launch_kernels.h). `stages` are "launches", "loops", "pieces", "plain", "kernels".
tune_status tune_device_launches_create(MlirContext context, const tune_device *device,
                                        const char *const *options, const tune_stages *stages,
                                        tune_device_launches **out_launches);
void tune_device_launches_destroy(tune_device_launches *launches);

// Has code made of the functions that the host does by `make` (host_code.h); otherwise they stay as
// they are.
typedef tune_status (*tune_host_maker)(void *user, MlirOperation module);

// Lowers `module`; `make` may be NULL. What its function `name` becomes for the host is
// `*out_function`; copies of the kernels, in the order of their launches, are in `*out_kernels`, a
// builtin.module to be destroyed, null after a failure. INVALID_ARGUMENT (located) for what does
// not fit a kernel.
tune_status tune_device_launches_run(tune_device_launches *launches, MlirOperation module,
                                     const char *name, const tune_function_signature *signature,
                                     tune_host_maker make, void *make_user,
                                     MlirOperation *out_function, MlirOperation *out_kernels);

// Moves what became of `kernels`, all ops called `op_name` ("spirv.module"), into `module`, each in
// place of what has its name there.
void tune_device_launches_merge(MlirOperation module, MlirOperation kernels, const char *op_name);

// The text of both, one after the other; free() it.
tune_status tune_device_launches_print(MlirOperation module, MlirOperation kernels,
                                       char **out_bytes, size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_DEVICE_LAUNCHES_H
