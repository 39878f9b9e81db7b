//===- tokens.h - The words of PTX text ------------------------------------------------------===//
//
// Comments and white space are nothing. A name holds its dots ("ld.global.b32", "%tid.x", ".reg"),
// and "::" where a name goes on behind it.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_TOKENS_H
#define TUNE_UNITTESTS_PTX_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_token_kind {
  PTX_TOKEN_END,
  PTX_TOKEN_NAME,
  PTX_TOKEN_NUMBER,
  PTX_TOKEN_STRING, // with its quotes
  PTX_TOKEN_SIGN,   // one character
} ptx_token_kind;

typedef struct ptx_token {
  ptx_token_kind kind;
  const char *text; // in the text, not NUL-terminated
  size_t length;
  unsigned line; // from 1
} ptx_token;

typedef struct ptx_tokens {
  const char *next, *end;
  unsigned line;
  ptx_token token; // the one to look at
} ptx_tokens;

// `text` must outlive what is read from it. The first token is there at once.
void ptx_tokens_init(ptx_tokens *tokens, const char *text, size_t length);
void ptx_tokens_advance(ptx_tokens *tokens);

bool ptx_token_is(const ptx_token *token, const char *text);
bool ptx_tokens_at(const ptx_tokens *tokens, const char *text);
// Goes past the token if it is `text`.
bool ptx_tokens_take(ptx_tokens *tokens, const char *text);

// What a number is. An integer has its 64 bits; "0f…" the 32 bits of a float, "0d…" and "1.5" the
// 64 of a double.
typedef enum ptx_number {
  PTX_NOT_A_NUMBER,
  PTX_INTEGER,
  PTX_FLOAT_BITS,
  PTX_DOUBLE_BITS
} ptx_number;
ptx_number ptx_token_number(const ptx_token *token, uint64_t *out_bits);

#endif // TUNE_UNITTESTS_PTX_TOKENS_H
