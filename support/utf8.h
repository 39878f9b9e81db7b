//===- utf8.h -----------------------------------------------------------------===//
//
// Overlong forms, surrogates and what is beyond Unicode are no UTF-8.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_UTF8_H
#define TUNE_SUPPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The length in bytes of the character that `text` begins with, or 0 where it begins with none. The
// NUL at the end of a text is one.
size_t tune_utf8_decode(const char *text, uint32_t *out_character);

bool tune_utf8_is_valid(const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_UTF8_H
