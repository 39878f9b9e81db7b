//===- worker_requests.c - What a driver asks of tune-worker --------------------------===//
//
// The server itself, on messages made of the input's lines. Its context, which takes long to make,
// is kept for many inputs; it builds nothing, since fork(2) fails here as where there are too many
// processes.
//
//===--------------------------------------------------------------------------===//

#include "fuzz/fuzz.h"
#include "fuzz/requests.h"
#include "tools/tune-worker/context.h"
#include "tools/tune-worker/server.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

tune_status __real_tune_worker_context_create(MlirContext *out_context);
tune_status __wrap_tune_worker_context_create(MlirContext *out_context);
void __real_mlirContextDestroy(MlirContext context);
void __wrap_mlirContextDestroy(MlirContext context);
pid_t __wrap_fork(void);

static MlirContext kept;

tune_status __wrap_tune_worker_context_create(MlirContext *out_context) {
  if (mlirContextIsNull(kept))
    TUNE_RETURN_IF_ERROR(__real_tune_worker_context_create(&kept));
  *out_context = kept;
  return TUNE_OK;
}

void __wrap_mlirContextDestroy(MlirContext context) {
  if (!mlirContextEqual(context, kept))
    __real_mlirContextDestroy(context);
}

pid_t __wrap_fork(void) {
  errno = EAGAIN;
  return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int in = fuzz_requests_open(data, size);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fuzz_require(dup2(in, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0, "streams");
  close(in);
  fuzz_accept(server_run());
  close(null);
  return 0;
}
