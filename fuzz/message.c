//===- message.c - Messages as bytes on a pipe ---------------------------------------===//
//
// The bytes are what a peer writes: read one by one as poll(2) would have it, and by the blocking
// reader, which have to agree on how many messages there are.
//
//===--------------------------------------------------------------------------===//

#include "support/message.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <unistd.h>

static size_t read_as_it_comes(int fd) {
  tune_message_reader reader;
  tune_message_reader_init(&reader);
  size_t count = 0;
  for (bool goes_on = true; goes_on;) {
    goes_on = fuzz_accept(tune_message_reader_fill(&reader, fd));
    json_t *message = NULL;
    while (goes_on && (goes_on = fuzz_accept(tune_message_reader_pop(&reader, &message))) &&
           message) {
      ++count;
      fuzz_accept(tune_message_get_status(message));
      json_decref(message);
      message = NULL;
    }
  }
  tune_message_reader_deinit(&reader);
  return count;
}

static size_t read_blocking(int fd) {
  size_t count = 0;
  json_t *message = NULL;
  for (; fuzz_accept(tune_message_read(fd, &message)); ++count)
    json_decref(message);
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int fd = fuzz_file(data, size), null = fuzz_file(NULL, 0);
  size_t count = read_as_it_comes(fd);
  lseek(fd, 0, SEEK_SET);
  fuzz_require(read_blocking(fd) == count, "both readers find the same messages");
  lseek(fd, 0, SEEK_SET);
  char *peer = NULL;
  if (fuzz_accept(tune_message_handshake(fd, null, "fuzz", &peer)))
    free(peer);
  close(null);
  close(fd);
  return 0;
}
