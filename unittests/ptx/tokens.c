#include "unittests/ptx/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool starts_name(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool continues_name(char c) { return starts_name(c) || isdigit((unsigned char)c); }

// Goes past white space and comments; one without an end reaches to that of the text.
static void skip_nothing(ptx_tokens *tokens) {
  while (tokens->next < tokens->end) {
    const char *at = tokens->next;
    size_t left = (size_t)(tokens->end - at);
    if (isspace((unsigned char)*at) || !*at) {
      tokens->line += *at == '\n';
      tokens->next++;
    } else if (left > 1 && at[0] == '/' && at[1] == '/') {
      const char *end = memchr(at, '\n', left);
      tokens->next = end ? end : tokens->end;
    } else if (left > 1 && at[0] == '/' && at[1] == '*') {
      const char *end = memmem(at + 2, left - 2, "*/", 2);
      end = end ? end + 2 : tokens->end;
      for (; tokens->next < end; tokens->next++)
        tokens->line += *tokens->next == '\n';
    } else {
      return;
    }
  }
}

static const char *end_of_name(const char *at, const char *end) {
  while (at < end && (continues_name(*at) || (end - at > 2 && at[0] == ':' && at[1] == ':' &&
                                              isalnum((unsigned char)at[2]))))
    at += *at == ':' ? 2 : 1;
  return at;
}

// Hexadecimal digits, "0f…" and exponents are letters too; the sign of an exponent is the number's.
static const char *end_of_number(const char *at, const char *end) {
  const char *start = at;
  bool is_hexadecimal =
      end - at > 1 && at[0] == '0' && strchr("xXfFdD", at[1]) && at[1]; // no exponent there
  while (at < end && (isalnum((unsigned char)*at) || *at == '.' ||
                      (!is_hexadecimal && at > start && (at[-1] == 'e' || at[-1] == 'E') &&
                       (*at == '+' || *at == '-'))))
    at++;
  return at;
}

void ptx_tokens_advance(ptx_tokens *tokens) {
  skip_nothing(tokens);
  const char *at = tokens->next, *end = tokens->end;
  tokens->token = (ptx_token){PTX_TOKEN_END, at, 0, tokens->line};
  if (at == end)
    return;
  if (starts_name(*at)) {
    tokens->token.kind = PTX_TOKEN_NAME;
    at = end_of_name(at, end);
  } else if (isdigit((unsigned char)*at)) {
    tokens->token.kind = PTX_TOKEN_NUMBER;
    at = end_of_number(at, end);
  } else if (*at == '"') {
    tokens->token.kind = PTX_TOKEN_STRING;
    const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
    at = quote ? quote + 1 : end;
  } else {
    tokens->token.kind = PTX_TOKEN_SIGN;
    at++;
  }
  tokens->token.length = (size_t)(at - tokens->token.text);
  tokens->next = at;
}

void ptx_tokens_init(ptx_tokens *tokens, const char *text, size_t length) {
  *tokens = (ptx_tokens){.next = text, .end = text + length, .line = 1};
  ptx_tokens_advance(tokens);
}

bool ptx_token_is(const ptx_token *token, const char *text) {
  return token->kind != PTX_TOKEN_END && token->length == strlen(text) &&
         !memcmp(token->text, text, token->length);
}

bool ptx_tokens_at(const ptx_tokens *tokens, const char *text) {
  return ptx_token_is(&tokens->token, text);
}

bool ptx_tokens_take(ptx_tokens *tokens, const char *text) {
  if (!ptx_tokens_at(tokens, text))
    return false;
  ptx_tokens_advance(tokens);
  return true;
}

ptx_number ptx_token_number(const ptx_token *token, uint64_t *out_bits) {
  char text[64], *end;
  *out_bits = 0;
  if (token->kind != PTX_TOKEN_NUMBER || token->length >= sizeof text)
    return PTX_NOT_A_NUMBER;
  memcpy(text, token->text, token->length);
  text[token->length] = 0;
  size_t length = token->length;

  char kind = length > 1 && text[0] == '0' ? (char)tolower((unsigned char)text[1]) : 0;
  if (kind == 'f' || kind == 'd') {
    *out_bits = strtoull(text + 2, &end, 16);
    if (*end || length != (kind == 'f' ? 10 : 18))
      return PTX_NOT_A_NUMBER;
    return kind == 'f' ? PTX_FLOAT_BITS : PTX_DOUBLE_BITS;
  }
  if (kind != 'x' && strpbrk(text, ".eE")) {
    double value = strtod(text, &end);
    memcpy(out_bits, &value, sizeof value);
    return *end ? PTX_NOT_A_NUMBER : PTX_DOUBLE_BITS;
  }
  if (text[length - 1] == 'U')
    text[--length] = 0;
  errno = 0;
  *out_bits = kind == 'b' ? strtoull(text + 2, &end, 2) : strtoull(text, &end, 0);
  return *end || end == text || errno ? PTX_NOT_A_NUMBER : PTX_INTEGER;
}
