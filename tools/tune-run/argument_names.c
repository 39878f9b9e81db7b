//===- argument_names.c -------------------------------------------------------===//

#include "tools/tune-run/argument_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_line(cursor *c) {
  const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
  c->at = newline ? newline + 1 : c->end;
}

static void skip_string(cursor *c) {
  for (++c->at; c->at < c->end && *c->at != '"'; ++c->at)
    if (*c->at == '\\' && c->at + 1 < c->end)
      ++c->at;
  c->at += c->at < c->end;
}

static void skip_blanks(cursor *c) {
  while (c->at < c->end) {
    if (isspace((unsigned char)*c->at))
      ++c->at;
    else if (*c->at == '/' && c->at + 1 < c->end && c->at[1] == '/')
      skip_line(c);
    else
      return;
  }
}

static bool accept(cursor *c, const char *token) {
  skip_blanks(c);
  size_t length = strlen(token);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, token, length) != 0)
    return false;
  c->at += length;
  return true;
}

static size_t name_length(const cursor *c) {
  size_t length = 0;
  while (c->at + length < c->end && (isalnum((unsigned char)c->at[length]) ||
                                     (c->at[length] && strchr("_$.-", c->at[length]))))
    ++length;
  return length;
}

// Behind "func.func [public|private|nested] @function(" or "func @function(".
static bool find_arguments(cursor *c, const char *function) {
  while (c->at < c->end) {
    if (*c->at == '"') {
      skip_string(c);
      continue;
    }
    if (*c->at == '/' && c->at + 1 < c->end && c->at[1] == '/') {
      skip_line(c);
      continue;
    }
    size_t word = name_length(c);
    bool is_function = (word == 9 && memcmp(c->at, "func.func", word) == 0) ||
                       (word == 4 && memcmp(c->at, "func", word) == 0);
    c->at += word ? word : 1;
    if (!is_function)
      continue;
    cursor head = *c;
    if (!accept(&head, "public") && !accept(&head, "private"))
      accept(&head, "nested");
    if (!accept(&head, "@"))
      continue;
    size_t length = name_length(&head);
    bool is_named = length == strlen(function) && memcmp(head.at, function, length) == 0;
    head.at += length;
    if (is_named && accept(&head, "(")) {
      *c = head;
      return true;
    }
  }
  return false;
}

// To behind the comma or the parenthesis that ends an argument; false at the end of all.
static bool skip_argument(cursor *c) {
  for (int depth = 0; c->at < c->end;) {
    char at = *c->at;
    if (at == '"') {
      skip_string(c);
      continue;
    }
    ++c->at;
    if (at == '-' && c->at < c->end && *c->at == '>')
      ++c->at; // of a map in a type
    else if (strchr("<([{", at))
      ++depth;
    else if (at == ')' && depth == 0)
      return false;
    else if (strchr(">)]}", at))
      --depth;
    else if (at == ',' && depth == 0)
      return true;
  }
  return false;
}

tune_status argument_names_find(const char *text, size_t size, const char *function, size_t count,
                                char ***out_names) {
  cursor c = {text, text + size};
  *out_names = NULL;
  if (count == 0 || !find_arguments(&c, function))
    return TUNE_OK;
  char **names = calloc(count + 1, sizeof *names);
  if (!names)
    return tune_status_out_of_memory("reading the names of arguments");
  size_t found = 0;
  bool is_good = true, goes_on = true;
  for (; is_good && goes_on && found < count; ++found) {
    is_good = accept(&c, "%");
    size_t length = name_length(&c);
    names[found] = strndup(c.at, length);
    if (!names[found]) {
      argument_names_destroy(names, count);
      return tune_status_out_of_memory("reading the names of arguments");
    }
    goes_on = skip_argument(&c);
  }
  if (!is_good || goes_on || found != count) {
    argument_names_destroy(names, count);
    names = NULL;
  }
  *out_names = names;
  return TUNE_OK;
}

void argument_names_destroy(char **names, size_t count) {
  for (size_t i = 0; names && i < count; ++i)
    free(names[i]);
  free(names);
}
