//===- device_program_test.c - Descriptions of device programs, written and read -----===//

#include "formats/device_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// Every member that there is, in the order in which it is written: programs have digests.
static const char TEXT[] =
    "{\"version\":1,\"target\":\"cuda\",\"unordered\":true,\"modules\":[{\"bytes\":8},"
    "{\"bytes\":4,\"opt_level\":3,\"load_cache\":\"cg\"},{\"bytes\":9,\"host\":true}],\"buffers\":["
    "{\"argument\":0},"
    "{\"result\":0},{\"bytes\":0},{\"bytes\":12,\"data\":12}],\"steps\":["
    "{\"copy\":0,\"to\":1,\"bytes\":64},{\"launch\":\"k\",\"module\":0,\"groups\":[16,8,1],"
    "\"group_size\":[8,1,4294967295],\"shared_bytes\":0,\"subgroup_size\":32,\"arguments\":["
    "{\"buffer\":0},{\"buffer\":3,\"texels\":\"rgba32f\"},{\"buffer\":1,\"written\":true},"
    "{\"i32\":-5},{\"f32\":-0.5},{\"i32\":0},{\"buffer\":2,\"tensor_map\":{\"element_bytes\":2,"
    "\"sizes\":[64,8],\"box\":[8,8],\"swizzle\":0}}]},{\"launch\":\"l\",\"module\":1,"
    "\"groups\":[1,1,1],\"group_size\":[1,1,1],\"shared_bytes\":32,\"subgroup_size\":0,"
    "\"arguments\":[]},{\"branch\":4},{\"branch\":0,\"unless\":2},"
    "{\"host\":2,\"arguments\":[{\"buffer\":0},{\"buffer\":1,\"written\":true}]}]}";

static void a_description_is_written_as_it_was_read(void **state) {
  (void)state;
  json_t *object = json_loads(TEXT, 0, NULL), *again;
  assert_non_null(object);
  tune_described_program program;
  assert_ok(tune_described_program_from_json(object, &program));
  assert_ok(tune_described_program_to_json(&program, &again));
  char *text = json_dumps(again, JSON_COMPACT);
  assert_string_equal(text, TEXT);
  free(text);
  json_decref(object);
  json_decref(again);
  tune_described_program_deinit(&program);
}

// Another version is told before what else may be new in it.
static void another_version_is_refused(void **state) {
  (void)state;
  json_t *object = json_pack("{s:i}", "version", 2);
  tune_described_program program;
  tune_status status = tune_described_program_from_json(object, &program);
  assert_int_equal(tune_status_get_code(status), TUNE_FAILED_PRECONDITION);
  tune_status_free(status);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_is_written_as_it_was_read),
      cmocka_unit_test(another_version_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
