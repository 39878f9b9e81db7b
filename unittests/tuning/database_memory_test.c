//===- database_memory_test.c - Where memory runs out under a database ------------------===//

#include "tuning/database/database_transfer.h"
#include "tuning/database/database_upkeep.h"
#include "unittests/common/failing_malloc.h"
#include "unittests/tuning/database_fixture.h"

#include <sqlite3.h>

// One of everything, on a file that is there.
static tune_status use_everything(void *context) {
  const fixture *f = context;
  tune_database *database = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_open(f->path, &database));
  tune_record record = make_record(0.5, "{\"a\":1}"), best;
  give_reasons(&record);
  tune_record_init(&best);
  tune_kept_task task;
  tune_kept_task_init(&task);
  tune_database_neighbour neighbours[2];
  size_t count = 0, neighbour_count = 0;
  char *key = NULL, *target = NULL, *description = NULL;
  tune_status status = tune_database_append(database, &record);
  if (tune_status_is_ok(status))
    status = tune_database_load(database, "aaaa", "ffff", count_record, &count);
  if (tune_status_is_ok(status))
    status = tune_database_best(database, "aaaa", "ffff", NULL, &best);
  if (tune_status_is_ok(status))
    status = tune_database_get_task(database, "aaaa", &task);
  if (tune_status_is_ok(status))
    status = tune_database_put_task(database, &task);
  if (tune_status_is_ok(status))
    status = tune_database_nearest(database, &task, "ffff", 2, neighbours, &neighbour_count);
  tune_database_neighbours_deinit(neighbours, neighbour_count);
  if (tune_status_is_ok(status))
    status = tune_database_find_task(database, "aa", &key);
  if (tune_status_is_ok(status))
    status = tune_database_get_fingerprint(database, "ffff", &target, &description);
  tune_record_deinit(&best);
  tune_kept_task_deinit(&task);
  free(key);
  free(target);
  free(description);
  tune_database_destroy(database);
  return status;
}

static tune_status open_default(void *context) {
  (void)context;
  tune_database *database = NULL;
  tune_status status = tune_database_open(NULL, &database);
  tune_database_destroy(database);
  return status;
}

static tune_status move_everything(void *context) {
  const fixture *f = context;
  tune_database *database = NULL, *other = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_open_read_only(f->path, &database));
  char *lines = NULL, path[128];
  size_t size = 0;
  FILE *stream = open_memstream(&lines, &size);
  tune_database_transfer done;
  tune_status status = tune_database_export(database, NULL, NULL, stream, "memory", &done);
  fclose(stream);
  snprintf(path, sizeof path, "%s/other.db", f->folder);
  if (tune_status_is_ok(status))
    status = tune_database_open(path, &other);
  if (tune_status_is_ok(status)) {
    stream = fmemopen(lines, size, "r");
    status = tune_database_import(other, stream, "memory", &done);
    fclose(stream);
  }
  if (tune_status_is_ok(status))
    status = tune_database_merge(other, database, &done);
  free(lines);
  tune_database_destroy(other);
  tune_database_destroy(database);
  return status;
}

// Our own allocations fail one after the other; nothing leaks, and the database stays sound.
static void our_memory_may_run_out(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  put_task(database, "near", 512, 1024, 512);
  tune_record record = make_record(0.5, "{}");
  record.task = "near";
  assert_ok(tune_database_append(database, &record));
  tune_database_destroy(database);
  setenv("XDG_CACHE_HOME", f->folder, 1);
  assert_true(tune_fail_each_allocation(open_default, NULL) >= 4);
  assert_true(tune_fail_each_allocation(use_everything, f) > 30);
  assert_true(tune_fail_each_allocation(move_everything, f) > 60);
  assert_ok(tune_database_open(f->path, &database));
  assert_int_equal(count_records(database), 2);
  assert_sound(database);
  tune_database_destroy(database);
}

// SQLite's allocator, with a countdown to the one that fails.
static sqlite3_mem_methods sqlite_memory;
static size_t sqlite_countdown; // 0: none fails

static bool sqlite_runs_out(void) { return sqlite_countdown && --sqlite_countdown == 0; }

static void *countdown_malloc(int size) {
  return sqlite_runs_out() ? NULL : sqlite_memory.xMalloc(size);
}

static void *countdown_realloc(void *old, int size) {
  return sqlite_runs_out() ? NULL : sqlite_memory.xRealloc(old, size);
}

// The same for SQLite's allocations: each failure is OUT_OF_MEMORY or is got over.
static void sqlites_memory_may_run_out(void **state) {
  fixture *f = *state;
  tune_database_destroy(open_with_task(f));
  size_t failures = 0;
  bool failed = true;
  for (size_t n = 1; failed; ++n) {
    sqlite_countdown = n;
    tune_status status = use_everything(f);
    failed = sqlite_countdown == 0;
    sqlite_countdown = 0;
    if (!tune_status_is_ok(status) && tune_status_get_code(status) != TUNE_OUT_OF_MEMORY)
      fail_msg("allocation %zu: %s", n, tune_status_get_message(status));
    failures += !tune_status_is_ok(status);
    tune_status_free(status);
  }
  assert_true(failures > 100);
  tune_database *database = NULL;
  assert_ok(tune_database_open(f->path, &database));
  assert_int_equal(count_records(database), 1);
  assert_sound(database);
  tune_database_destroy(database);
}

static int install_countdown(void **state) {
  (void)state;
  sqlite3_mem_methods methods;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK)
    return -1;
  methods = sqlite_memory;
  methods.xMalloc = countdown_malloc;
  methods.xRealloc = countdown_realloc;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK ? 0 : -1;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(our_memory_may_run_out),
      TEST(sqlites_memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, install_countdown, NULL);
}
