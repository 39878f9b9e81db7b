//===- utf8.c -----------------------------------------------------------------===//

#include "support/utf8.h"

size_t tune_utf8_decode(const char *text, uint32_t *out_character) {
  const unsigned char *c = (const unsigned char *)text;
  size_t length = c[0] < 0x80             ? 1
                  : (c[0] & 0xe0) == 0xc0 ? 2
                  : (c[0] & 0xf0) == 0xe0 ? 3
                  : (c[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  uint32_t character = length == 1 ? c[0] : c[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((c[i] & 0xc0) != 0x80)
      return 0;
    character = character << 6 | (c[i] & 0x3f);
  }
  if (character < smallest[length] || character > 0x10ffff || (character & 0x1ff800) == 0xd800)
    return 0;
  *out_character = character;
  return length;
}

bool tune_utf8_is_valid(const char *text) {
  uint32_t character;
  while (*text) {
    size_t length = tune_utf8_decode(text, &character);
    if (length == 0)
      return false;
    text += length;
  }
  return true;
}
