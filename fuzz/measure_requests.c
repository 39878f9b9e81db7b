//===- measure_requests.c - What a driver asks of tune-measure ------------------------===//

#include "fuzz/fuzz.h"
#include "fuzz/requests.h"
#include "tools/tune-measure/server.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// Something to measure on the target null, whatever the requests.
static void write_artifact(const char *name) {
  char path[FUZZ_PATH];
  fuzz_scratch_path(name, path);
  FILE *file = fopen(path, "w");
  fuzz_require(file && fputs("{\"seconds\": 1e-3}", file) >= 0 && fclose(file) == 0, "a new file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool has_artifacts;
  if (!has_artifacts) {
    write_artifact("artifact");
    write_artifact("artifacts");
    has_artifacts = true;
  }
  int in = fuzz_requests_open(data, size);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fuzz_require(null >= 0, "/dev/null");
  fuzz_accept(server_run(in, null));
  close(null);
  close(in);
  return 0;
}
