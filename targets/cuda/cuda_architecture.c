//===- cuda_architecture.c - Features of NVIDIA's architectures --------------===//

#include "targets/cuda/cuda_architecture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB(count) ((count)*INT64_C(1024))

// A group gets what a multiprocessor has, but for the KiB that the system takes from 8.0 on.
static const cuda_architecture architectures[] = {
    {7, 5, 1024, KIB(64), KIB(64)},    {8, 0, 2048, KIB(164), KIB(163)},
    {8, 6, 1536, KIB(100), KIB(99)},   {8, 7, 1536, KIB(164), KIB(163)},
    {8, 9, 1536, KIB(100), KIB(99)},   {9, 0, 2048, KIB(228), KIB(227)},
    {10, 0, 2048, KIB(228), KIB(227)}, {10, 3, 2048, KIB(228), KIB(227)},
    {11, 0, 1536, KIB(228), KIB(227)}, {12, 0, 1536, KIB(100), KIB(99)},
};

#define ARCHITECTURE_COUNT (sizeof architectures / sizeof *architectures)

bool cuda_architecture_parse(const char *text, int *out_number) {
  if (strncmp(text, "sm_", 3) != 0)
    return false;
  const char *digits = text + 3;
  size_t count = strspn(digits, "0123456789");
  *out_number = atoi(digits);
  return count > 0 && count < 5 && digits[count] == '\0';
}

tune_status cuda_architecture_find(const char *name, const cuda_architecture **out_architecture) {
  int number;
  bool is_one = cuda_architecture_parse(name, &number);
  char names[128] = "";
  for (size_t i = 0; i < ARCHITECTURE_COUNT; ++i) {
    const cuda_architecture *a = &architectures[i];
    if (is_one && a->major * 10 + a->minor == number) {
      *out_architecture = a;
      return TUNE_OK;
    }
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%ssm_%d%d", i ? ", " : "", a->major, a->minor);
  }
  *out_architecture = NULL;
  return tune_status_make(TUNE_NOT_FOUND, "no architecture '%s' is known of CUDA; there are: %s",
                          name, names);
}
