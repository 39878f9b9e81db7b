//===- requests.h - What a driver says, from bytes ------------------------------------===//
//
// An input for the servers is text: a JSON object a line, each of which becomes a message, so that
// the fuzzer gets past the framing (which message.c is about) into what requests mean. Files that
// they name are in the fuzz target's own folder, or are not there.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FUZZ_REQUESTS_H
#define TUNE_FUZZ_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

// A file of messages to be read from its start, a handshake and then the lines; close() it.
int fuzz_requests_open(const uint8_t *data, size_t size);

#endif // TUNE_FUZZ_REQUESTS_H
