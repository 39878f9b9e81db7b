//===- config_complete_test.c -------------------------------------------------===//

#include "tuning/space/config_complete.h"

#include "unittests/common/failing_malloc.h"
#include "unittests/tuning/space_fixture.h"

static tune_space *space;

// As in `gpu_tiles`: the copies go with one kind of product, and the default has that kind.
static int setup(void **state) {
  (void)state;
  space = make_space();
  ADD_CATEGORICAL(space, "cores", 2, 1);
  ADD_CATEGORICAL(space, "copies", 1, 0);
  ADD_ORDERED(space, "rows", 64, 128, 256);
  assert_ok(
      tune_space_add_constraint(space, "cores == 2 || copies == 0", "copies are for cores 2"));
  assert_ok(tune_space_add_constraint(space, "cores == 2 || rows >= 128", NULL));
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tune_space_destroy(space);
  return 0;
}

static void assert_completes(const char *given, const char *expected) {
  tune_config config;
  char *text;
  assert_ok(tune_config_complete_text(&config, space, given));
  assert_ok(tune_config_to_text(&config, space, &text));
  assert_string_equal(text, expected);
  free(text);
  tune_config_deinit(&config);
}

// Defaults where they go with what was said, else the next that does.
static void others_follow(void **state) {
  (void)state;
  assert_completes("", "cores=2,copies=1,rows=64");
  assert_completes("rows=256", "cores=2,copies=1,rows=256");
  assert_completes("cores=1", "cores=1,copies=0,rows=128");
  assert_completes("copies=0,cores=1", "cores=1,copies=0,rows=128");
  assert_completes("cores=1,rows=256", "cores=1,copies=0,rows=256");
}

static void what_cannot_be_is_told_with_what_can(void **state) {
  (void)state;
  tune_config config;
  assert_fails(tune_config_complete_text(&config, space, "cores=1,copies=1"), TUNE_INVALID_ARGUMENT,
               "violates cores == 2 || copies == 0: copies are for cores 2; what goes together is, "
               "for example, cores=");
  assert_fails(tune_config_complete_text(&config, space, "core=1"), TUNE_NOT_FOUND, "cores");
}

static tune_status complete(void *context) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_complete_text(&config, space, context));
  tune_config_deinit(&config);
  return TUNE_OK;
}

static void memory_may_run_out(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(complete, "cores=1") >= 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(others_follow),
      TEST(what_cannot_be_is_told_with_what_can),
      TEST(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
