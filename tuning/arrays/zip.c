//===- zip.c - Files in a zip archive ----------------------------------------===//

#include "tuning/arrays/zip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// What begins each part (PKWARE's APPNOTE.TXT).
#define LOCAL_MAGIC 0x04034b50
#define ENTRY_MAGIC 0x02014b50
#define END_MAGIC 0x06054b50
#define END64_MAGIC 0x06064b50
#define LOCATOR64_MAGIC 0x07064b50
// Their sizes, without what varies.
#define LOCAL_SIZE 30
#define ENTRY_SIZE 46
#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR64_SIZE 20
#define LONGEST_COMMENT 65535
#define SIZE64_ID 1
#define ELSEWHERE UINT32_MAX // in place of a size of 32 bits: it is among the extra fields
#define STORED 0
#define DEFLATED 8
// deflate makes nothing so much smaller: what claims to be larger is damaged, or meant to do harm.
#define MOST_RATIO 1100

typedef struct archive {
  const unsigned char *bytes;
  size_t size;
} archive;

// Of the central directory.
typedef struct entry {
  const char *name;
  size_t name_length;
  unsigned flags, method;
  uint32_t crc;
  uint64_t packed, size, local;
} entry;

static uint64_t number(const unsigned char *at, size_t length) {
  uint64_t value = 0;
  for (size_t i = length; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

static tune_status damaged(const char *what) {
  return tune_status_make(TUNE_DATA_LOSS, "the zip archive is damaged: %s", what);
}

static bool fits(const archive *a, uint64_t offset, uint64_t length) {
  return offset <= a->size && length <= a->size - offset;
}

static tune_status find_end(const archive *a, size_t *out_offset) {
  size_t least = a->size > END_SIZE + LONGEST_COMMENT ? a->size - END_SIZE - LONGEST_COMMENT : 0;
  for (size_t at = a->size < END_SIZE ? 0 : a->size - END_SIZE + 1; at-- > least;)
    if (number(a->bytes + at, 4) == END_MAGIC &&
        at + END_SIZE + number(a->bytes + at + 20, 2) == a->size) {
      *out_offset = at;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_DATA_LOSS, "not a zip archive, or the end of it is missing");
}

static tune_status find_directory(const archive *a, uint64_t *out_count, uint64_t *out_offset) {
  size_t end = 0;
  TUNE_RETURN_IF_ERROR(find_end(a, &end));
  *out_count = number(a->bytes + end + 10, 2);
  *out_offset = number(a->bytes + end + 16, 4);
  if (end < LOCATOR64_SIZE || number(a->bytes + end - LOCATOR64_SIZE, 4) != LOCATOR64_MAGIC)
    return TUNE_OK;
  uint64_t end64 = number(a->bytes + end - LOCATOR64_SIZE + 8, 8);
  if (!fits(a, end64, END64_SIZE) || number(a->bytes + end64, 4) != END64_MAGIC)
    return damaged("its end of 64 bits is not where it should be");
  *out_count = number(a->bytes + end64 + 32, 8);
  *out_offset = number(a->bytes + end64 + 48, 8);
  return TUNE_OK;
}

// Takes the numbers of 64 bits from the extra fields, in the order of those that are elsewhere.
static tune_status read_extra(const unsigned char *extra, size_t length, entry *e) {
  uint64_t *const fields[] = {&e->size, &e->packed, &e->local};
  for (size_t at = 0; at + 4 <= length;) {
    size_t size = number(extra + at + 2, 2), from = at + 4;
    if (size > length - from)
      return damaged("an extra field is cut");
    if (number(extra + at, 2) == SIZE64_ID) {
      for (size_t i = 0; i < 3; ++i) {
        if (*fields[i] != ELSEWHERE)
          continue;
        if (from + 8 > at + 4 + size)
          return damaged("a size of 64 bits is missing");
        *fields[i] = number(extra + from, 8);
        from += 8;
      }
      return TUNE_OK;
    }
    at = from + size;
  }
  return TUNE_OK;
}

static tune_status read_entry(const archive *a, uint64_t *offset, entry *out) {
  if (!fits(a, *offset, ENTRY_SIZE) || number(a->bytes + *offset, 4) != ENTRY_MAGIC)
    return damaged("an entry of its directory is missing");
  const unsigned char *at = a->bytes + *offset;
  size_t extra = number(at + 30, 2), comment = number(at + 32, 2);
  *out = (entry){.name = (const char *)at + ENTRY_SIZE,
                 .name_length = number(at + 28, 2),
                 .flags = (unsigned)number(at + 8, 2),
                 .method = (unsigned)number(at + 10, 2),
                 .crc = (uint32_t)number(at + 16, 4),
                 .packed = number(at + 20, 4),
                 .size = number(at + 24, 4),
                 .local = number(at + 42, 4)};
  uint64_t length = ENTRY_SIZE + out->name_length + extra + comment;
  if (!fits(a, *offset, length))
    return damaged("an entry of its directory is cut");
  *offset += length;
  return read_extra(at + ENTRY_SIZE + out->name_length, extra, out);
}

static tune_status find_data(const archive *a, const entry *e, const unsigned char **out_data) {
  if (!fits(a, e->local, LOCAL_SIZE) || number(a->bytes + e->local, 4) != LOCAL_MAGIC)
    return damaged("a file is not where its directory says");
  const unsigned char *at = a->bytes + e->local;
  uint64_t begin = e->local + LOCAL_SIZE + number(at + 26, 2) + number(at + 28, 2);
  if (!fits(a, begin, e->packed))
    return damaged("a file is cut");
  *out_data = a->bytes + begin;
  return TUNE_OK;
}

// As much as fits in an unsigned int at a time, which is what zlib takes.
static unsigned some_of(uint64_t left) { return left > 1u << 30 ? 1u << 30 : (unsigned)left; }

static tune_status unpack(const entry *e, const unsigned char *data, unsigned char *out) {
  z_stream stream = {0};
  uint64_t taken = 0, made = 0;
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return tune_status_out_of_memory("unpacking an archive");
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_in = (Bytef *)(uintptr_t)(data + taken);
    stream.avail_in = some_of(e->packed - taken);
    stream.next_out = out + made;
    stream.avail_out = some_of(e->size - made);
    unsigned in = stream.avail_in, room = stream.avail_out;
    result = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || made != e->size || taken != e->packed)
    return damaged("a file does not unpack to its size");
  return TUNE_OK;
}

static tune_status check_crc(const entry *e, const unsigned char *bytes) {
  uLong crc = crc32_z(0, NULL, 0);
  return crc32_z(crc, bytes, e->size) == e->crc ? TUNE_OK : damaged("a file has another checksum");
}

static tune_status visit_entry(const archive *a, const entry *e, tune_zip_visitor visit,
                               void *user) {
  const unsigned char *data = NULL;
  if (e->flags & 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "it is encrypted");
  if (e->method != STORED && e->method != DEFLATED)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "it is packed by method %u; stored and deflated files are read",
                            e->method);
  TUNE_RETURN_IF_ERROR(find_data(a, e, &data));
  if (e->method == STORED && e->size != e->packed)
    return damaged("a stored file has two sizes");
  if (e->method == DEFLATED && e->size / MOST_RATIO > e->packed)
    return damaged("a file is said to be larger than it can be");
  unsigned char *unpacked = NULL;
  tune_status status = TUNE_OK;
  if (e->method == DEFLATED) {
    unpacked = malloc(e->size + 1);
    if (!unpacked)
      return tune_status_out_of_memory("unpacking an archive");
    status = unpack(e, data, unpacked);
    data = unpacked;
  }
  if (tune_status_is_ok(status))
    status = check_crc(e, data);
  if (tune_status_is_ok(status))
    status = visit(user, e->name, e->name_length, (const char *)data, e->size);
  free(unpacked);
  return status;
}

tune_status tune_zip_read(const char *bytes, size_t size, tune_zip_visitor visit, void *user) {
  archive a = {(const unsigned char *)bytes, size};
  uint64_t count = 0, offset = 0;
  TUNE_RETURN_IF_ERROR(find_directory(&a, &count, &offset));
  for (uint64_t i = 0; i < count; ++i) {
    entry e = {0};
    TUNE_RETURN_IF_ERROR(read_entry(&a, &offset, &e));
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(visit_entry(&a, &e, visit, user), "%.*s", (int)e.name_length, e.name));
  }
  return TUNE_OK;
}
