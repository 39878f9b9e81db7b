//===- export_description_test.c - Descriptions of exports, written and read --------===//

#include "formats/export_description.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// Every member that there is, in the order in which it is written, with what may be absent and
// without: an export is known by a digest of this.
static const char *const TEXTS[] = {
    "{\"target\":\"cuda\",\"device\":{\"model\":\"H100\"},\"machine\":\"x86_64\","
    "\"reference_features\":[\"avx2\",\"fma\"],\"threads\":1,\"flush_cache\":true,"
    "\"counters\":true,\"seed\":7,\"dynamic\":64,\"limits\":{\"seconds\":30.0,\"bytes\":8e9},"
    "\"reference_seconds\":120.0,\"measure\":{\"precision\":0.5,\"budget\":2.0},\"tasks\":["
    "{\"task\":{\"key\":\"k\"},\"schedule\":\"s\",\"signature\":{},\"reduction\":0,"
    "\"accumulator\":\"f32\",\"operands\":\"tf32\",\"reference\":0,\"best\":0.25,\"candidates\":["
    "{\"config\":{\"mc\":4},\"strategy\":\"random\",\"seed\":\"18446744073709551615\","
    "\"verdict\":\"ok\",\"digest\":\"d\",\"stages\":{},\"code\":{\"registers\":8},"
    "\"created_ms\":5,\"artifact\":0},{\"config\":{},\"strategy\":\"default\",\"seed\":\"0\","
    "\"verdict\":\"build-failed\",\"error\":\"no such op\",\"stages\":{},\"created_ms\":0}],"
    "\"compare\":{\"confidence\":0.75}}],\"blobs\":[{\"bytes\":0,\"digest\":\"e\"}]}",
    "{\"target\":\"cpu\",\"device\":null,\"machine\":\"x86_64\",\"reference_features\":[],"
    "\"threads\":0,\"flush_cache\":false,\"counters\":false,\"seed\":0,\"dynamic\":0,"
    "\"limits\":{\"seconds\":30.0,\"bytes\":8e9},\"reference_seconds\":120.0,"
    "\"measure\":{\"precision\":0.0,\"budget\":0.0},\"tasks\":[{\"task\":{},\"schedule\":\"s\","
    "\"signature\":{},\"reduction\":3,\"reference\":0,\"best\":0.0,\"candidates\":[]}],"
    "\"blobs\":[]}",
};

static void a_description_is_written_as_it_was_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    json_t *object = json_loads(TEXTS[i], 0, NULL), *again;
    assert_non_null(object);
    tune_export_description described;
    assert_ok(tune_export_description_from_json(object, &described));
    assert_ok(tune_export_description_to_json(&described, &again));
    char *expected = json_dumps(object, JSON_COMPACT), *text = json_dumps(again, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(expected);
    free(text);
    json_decref(object);
    json_decref(again);
    tune_export_description_deinit(&described);
  }
}

// What is not there is told from what is 0.
static void what_is_lacking_is_seen(void **state) {
  (void)state;
  json_t *object = json_loads("{\"tasks\": [{\"candidates\": [{}]}]}", 0, NULL);
  tune_export_description described;
  assert_ok(tune_export_description_from_json(object, &described));
  const tune_exported_task *task = described.tasks.items;
  assert_true(!described.target && described.threads == -1);
  assert_true(task->reduction == -1 && task->reference == -1 && !task->compares);
  assert_int_equal(task->candidates.items[0].artifact, -1);
  tune_export_description_deinit(&described);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_is_written_as_it_was_read),
      cmocka_unit_test(what_is_lacking_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
