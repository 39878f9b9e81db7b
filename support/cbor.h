//===- cbor.h - JSON values as bytes ---------------------------------------------===//
//
// CBOR (RFC 8949), as much of it as JSON has. Of a value there is one form, whatever library
// prints and reads numbers: a double is its 8 bytes and comes back as it was, and members stand in
// the order in which they were set. It is smaller than text where there are many numbers, and read
// without parsing them.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_CBOR_H
#define TUNE_SUPPORT_CBOR_H

#include "support/status.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Appends `value`; the builder remembers where memory ran out.
void tune_cbor_append(tune_string_builder *bytes, const json_t *value);

// Reads one value, which takes all of the bytes, trusting nothing: DATA_LOSS for what append does
// not write. A new reference.
tune_status tune_cbor_read(const void *bytes, size_t size, json_t **out_value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_CBOR_H
