//===- context_fixture.h - One context for all tests of a program ----------------------===//
//
// make_context and destroy_context are the group's setup and teardown. To be included after
// cmocka.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_CONTEXT_FIXTURE_H
#define TUNE_UNITTESTS_TRANSFORMS_CONTEXT_FIXTURE_H

#include "unittests/common/assert_ok.h"
#include "unittests/transforms/mlir_context.h"

static MlirContext context;

static inline int make_context(void **state) {
  (void)state;
  context = make_full_context();
  return 0;
}

static inline int destroy_context(void **state) {
  (void)state;
  mlirContextDestroy(context);
  return 0;
}

#endif // TUNE_UNITTESTS_TRANSFORMS_CONTEXT_FIXTURE_H
