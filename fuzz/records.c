//===- records.c - What tune-db import reads -----------------------------------------===//
//
// The bytes are a file of records. What comes in goes out again, and in once more.
//
//===--------------------------------------------------------------------------===//

#include "fuzz/fuzz.h"
#include "tuning/database/database_transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static tune_status see(void *user, const tune_record *record) {
  ++*(size_t *)user;
  return tune_record_validate(record);
}

static bool import(tune_database *database, void *bytes, size_t size,
                   tune_database_transfer *out_transfer) {
  FILE *stream = fmemopen(bytes, size, "r");
  fuzz_require(stream != NULL, "a stream in memory");
  bool is_ok = fuzz_accept(tune_database_import(database, stream, "in.jsonl", out_transfer));
  fclose(stream);
  return is_ok;
}

static void go_round(tune_database *database) {
  size_t count = 0;
  fuzz_require(fuzz_accept(tune_database_load(database, NULL, NULL, see, &count)),
               "what came in is valid");
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  fuzz_require(stream != NULL, "a stream in memory");
  tune_database_transfer transfer;
  fuzz_require(fuzz_accept(tune_database_export(database, NULL, NULL, stream, "out", &transfer)),
               "what came in goes out");
  fclose(stream);
  fuzz_require(transfer.records == count, "all records go out");
  fuzz_require(import(database, text, size, &transfer) && transfer.known == count,
               "what went out is known");
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  char path[FUZZ_PATH], log[FUZZ_PATH], shared[FUZZ_PATH];
  fuzz_scratch_path("fuzz.db", path);
  fuzz_scratch_path("fuzz.db-wal", log);
  fuzz_scratch_path("fuzz.db-shm", shared);
  tune_database *database;
  fuzz_require(fuzz_accept(tune_database_open(path, &database)), "a new database");
  char *bytes = fuzz_text(data, size);
  tune_database_transfer transfer;
  if (import(database, bytes, size, &transfer))
    go_round(database);
  free(bytes);
  tune_database_destroy(database);
  unlink(path);
  unlink(log);
  unlink(shared);
  return 0;
}
