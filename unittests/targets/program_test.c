//===- program_test.c - Device programs, whole and damaged ------------------------------------===//

#include "targets/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static const char good[] =
    "{'version': 1, 'target': 'vulkan', 'unordered': true, 'modules': [{'bytes': 8}, {'bytes': 4}],"
    " 'buffers': [{'argument': 0}, {'argument': 1}, {'result': 0}, {'bytes': 64},"
    "             {'bytes': 12, 'data': 12}],"
    " 'steps': [{'launch': 'k', 'module': 1, 'groups': [16, 8, 1], 'group_size': [8, 1, 2],"
    "            'shared_bytes': 32, 'subgroup_size': 8, 'arguments': [{'buffer': 0},"
    "             {'buffer': 0, 'texels': 'rgba32f'}, {'buffer': 4, 'texels': 'r32f'},"
    "             {'buffer': 2, 'written': true}, {'i32': -5}, {'f32': 0.5}]},"
    "           {'copy': 2, 'to': 3, 'bytes': 64}, {'branch': 0, 'unless': 4}, {'branch': 4}]}";

// The modules' code, and the constant.
static const char tail[] = "module 0mod1a constant!!";
#define TAIL_SIZE (sizeof tail - 1)

typedef struct file {
  char bytes[4096];
  size_t size;
} file;

static file make_file(const char *json) {
  file made = {.size = 12 + strlen(json) + TAIL_SIZE};
  assert_true(made.size < sizeof made.bytes);
  memcpy(made.bytes, "TUNEPRG1", 8);
  made.bytes[8] = (char)strlen(json);
  made.bytes[9] = (char)(strlen(json) >> 8);
  for (size_t i = 0; json[i]; ++i)
    made.bytes[12 + i] = json[i] == '\'' ? '"' : json[i];
  memcpy(made.bytes + 12 + strlen(json), tail, TAIL_SIZE);
  return made;
}

static int make_signature(void **state) {
  static tune_signature signature;
  json_t *object = json_pack("{ss s[{ss ss s[ii] ss} {ssss}] s[{ss ss s[ii]}]}", "entry",
                             "tune_entry", "arguments", "kind", "tensor", "type", "f32", "shape", 4,
                             4, "access", "read", "kind", "scalar", "type", "i64", "results",
                             "kind", "tensor", "type", "f32", "shape", 4, 4);
  assert_ok(tune_signature_from_json(object, &signature));
  json_decref(object);
  *state = &signature;
  return 0;
}

static int drop_signature(void **state) {
  tune_signature_deinit(*state);
  return 0;
}

static void all_is_read(void **state) {
  tune_program p;
  file f = make_file(good);
  assert_ok(tune_program_parse(f.bytes, f.size, "vulkan", *state, &p));
  assert_true(p.is_unordered);
  assert_int_equal(p.module_count, 2);
  assert_int_equal(p.modules[0].size, 8);
  assert_memory_equal(p.modules[1].code, "mod1", 4);
  assert_int_equal(p.buffer_count, 5);
  assert_int_equal(p.buffers[0].size, 64);
  assert_true(p.buffers[0].is_read_only && !p.buffers[2].is_read_only);
  assert_int_equal(p.buffers[1].size, 8);
  assert_int_equal(p.buffers[3].kind, TUNE_PROGRAM_SCRATCH);
  assert_memory_equal(p.buffers[4].data, "a constant!!", 12);
  assert_int_equal(p.step_count, 4);
  const tune_program_step *launch = &p.steps[0], *copy = &p.steps[1];
  assert_string_equal(launch->entry, "k");
  assert_true(launch->module == 1 && launch->groups[0] == 16 && launch->group_size[2] == 2);
  assert_true(launch->shared_bytes == 32 && launch->subgroup_size == 8);
  assert_int_equal(launch->argument_count, 6);
  assert_int_equal(launch->arguments[1].kind, TUNE_PROGRAM_TEXEL_4F32);
  assert_int_equal(launch->arguments[2].kind, TUNE_PROGRAM_TEXEL_F32);
  assert_true(launch->arguments[3].is_written && !launch->arguments[0].is_written);
  assert_int_equal(launch->arguments[4].i32, -5);
  assert_true(launch->arguments[5].f32 == 0.5f);
  assert_true(copy->kind == TUNE_PROGRAM_COPY && copy->from == 2 && copy->to == 3);
  assert_int_equal(copy->bytes, 64);
  const tune_program_step *back = &p.steps[2], *end = &p.steps[3];
  assert_true(back->kind == TUNE_PROGRAM_BRANCH && back->target == 0);
  assert_true(back->has_condition && back->from == 4);
  assert_true(end->kind == TUNE_PROGRAM_BRANCH && end->target == 4 && !end->has_condition);
  assert_true(p.has_stops);
  assert_int_equal(tune_program_find_stop(&p, 0), 2);
  assert_int_equal(tune_program_find_stop(&p, 4), 4);
  char name[32];
  tune_program_buffer_name(&p, 2, name);
  assert_string_equal(name, "result 0");
  tune_program_buffer_name(&p, 4, name);
  assert_string_equal(name, "buffer 4");
  tune_program_deinit(&p);
}

// Reads what is at `bytes`, at the end of memory of its own, so that a sanitizer sees each byte
// that is read behind it.
static tune_status parse_exactly(const char *bytes, size_t size, const tune_signature *signature,
                                 tune_program *out) {
  char *exact = malloc(size ? size : 1);
  assert_non_null(exact);
  memcpy(exact, bytes, size);
  tune_status status = tune_program_parse(exact, size, "vulkan", signature, out);
  free(exact);
  return status;
}

static void each_truncation_is_refused(void **state) {
  file f = make_file(good);
  for (size_t size = 0; size < f.size; ++size) {
    tune_program p;
    tune_status status = parse_exactly(f.bytes, size, *state, &p);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    assert_non_null(strstr(tune_status_get_message(status), "not a device program"));
    assert_true(p.module_count == 0 && p.buffer_count == 0 && p.step_count == 0);
    tune_status_free(status);
  }
  memcpy(f.bytes + f.size, "more", 4);
  tune_program p;
  tune_status status = parse_exactly(f.bytes, f.size + 4, *state, &p);
  assert_non_null(strstr(tune_status_get_message(status), "4 bytes are left"));
  tune_status_free(status);
}

// Whatever a byte becomes, the file is refused or makes sense.
static void each_damage_is_survived(void **state) {
  const file f = make_file(good);
  const char others[] = {'\0', '\xff', '"', '9', '-', '{', ']', ',', 'a', '\x80'};
  for (size_t at = 0; at < f.size; ++at)
    for (size_t i = 0; i < sizeof others; ++i) {
      file damaged = f;
      damaged.bytes[at] = others[i];
      tune_program p;
      tune_status status = parse_exactly(damaged.bytes, damaged.size, *state, &p);
      tune_status_code code = tune_status_get_code(status);
      assert_true(code == TUNE_STATUS_OK || code == TUNE_INVALID_ARGUMENT ||
                  code == TUNE_FAILED_PRECONDITION);
      tune_status_free(status);
      tune_program_deinit(&p);
    }
}

// The good file with `old` replaced by `new` is refused with a message that contains `message`.
static void expect(void **state, const char *old, const char *new, tune_status_code code,
                   const char *message) {
  char json[2048];
  const char *at = strstr(good, old);
  assert_non_null(at);
  snprintf(json, sizeof json, "%.*s%s%s", (int)(at - good), good, new, at + strlen(old));
  file f = make_file(json);
  tune_program p;
  tune_status status = parse_exactly(f.bytes, f.size, *state, &p);
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("for %s: %s\n", new, tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  tune_status_free(status);
}

static void what_makes_no_sense_is_named(void **state) {
  const tune_status_code invalid = TUNE_INVALID_ARGUMENT;
  expect(state, "'version': 1", "'version': 2", TUNE_FAILED_PRECONDITION, "version 2");
  expect(state, "'version': 1, ", "", invalid, "\"version\": expected");
  expect(state, "'vulkan'", "'cuda'", invalid, "for the target 'cuda', not 'vulkan'");
  expect(state, "'unordered': true", "'unordered': 1", invalid,
         "\"unordered\": expected true or false");
  expect(state, "{'bytes': 8}", "{'bytes': -8}", invalid,
         "module 0: \"bytes\": expected an integer of at least 0");
  expect(state, "{'bytes': 8}", "{'bytes': 8, 'opt_level': 3}", invalid,
         "module 0: \"opt_level\" and \"load_cache\" are for the target 'cuda'");
  expect(state, "{'bytes': 8}", "{'bytes': 8, 'opt_level': 5}", invalid,
         "module 0: \"opt_level\": expected 1 to 4");
  expect(state, "{'bytes': 8}", "{'bytes': 1e3}", invalid,
         "module 0: \"bytes\": expected an integer of at least 0");
  expect(state, "{'bytes': 8}", "{'bytes': 9000000000000000000}", invalid,
         "module 0: the file has");
  expect(state, "{'argument': 1}", "{'argument': 0}", invalid,
         "buffers 0 and 1 are the same argument 0");
  expect(state, "{'argument': 1}", "{'argument': 2}", invalid,
         "buffer 1: argument 2 is out of range, there are 2");
  expect(state, "{'result': 0}", "{'result': -1}", invalid, "buffer 2: \"result\"");
  expect(state, "{'result': 0}", "{'bytes': 64}", invalid,
         "no buffer is result 0, which is an output");
  expect(state, "'data': 12", "'data': 8", invalid, "8 bytes of data for a buffer of 12");
  expect(state, "'module': 1", "'module': 2", invalid,
         "step 0: module 2 is out of range, there are 2");
  expect(state, "[16, 8, 1]", "[16, 8]", invalid, "step 0: \"groups\"");
  expect(state, "[16, 8, 1]", "[16, 0, 1]", invalid, "step 0: \"groups\"");
  expect(state, "[8, 1, 2]", "[8, 1, 4294967296]", invalid, "step 0: \"group_size\"");
  expect(state, "'subgroup_size': 8", "'subgroup_size': 8.5", invalid, "\"subgroup_size\"");
  expect(state, "'k'", "''", invalid, "step 0: the kernel has no name");
  expect(state, "{'buffer': 0}", "{'buffer': 5}", invalid,
         "step 0: argument 0: buffer 5 is out of range");
  expect(state, "{'buffer': 0}", "{}", invalid, "step 0: argument 0: it is no buffer");
  expect(state, "{'buffer': 0}", "{'buffer': 0, 'written': true}", invalid,
         "argument 0 is written, but it is only to be read");
  expect(state, "'rgba32f'", "'rgba16f'", invalid, "argument 1: the texels are neither");
  expect(state, "'texels': 'r32f'", "'written': true", invalid,
         "buffer 4 is written, but it is only to be read");
  expect(state, "'written': true", "'written': true, 'texels': 'r32f'", invalid,
         "texels are written");
  static const char PLAIN[] = "{'buffer': 0}";
#define MAP(sizes, box, bytes, swizzle)                                                            \
  "{'buffer': 0, 'tensor_map': {'element_bytes': " #bytes ", 'sizes': " sizes ", 'box': " box      \
  ", 'swizzle': " #swizzle "}}"
  expect(state, PLAIN, MAP("[8, 2]", "[8]", 4, 32), invalid, "step 0: argument 0: \"box\" has 1");
  expect(state, PLAIN, MAP("[8, 2]", "[8, 0]", 4, 32), invalid, "\"box\": expected numbers from 1");
  expect(state, PLAIN, MAP("[8, 2]", "[8, 257]", 4, 32), invalid, "expected numbers from 1 to 256");
  expect(state, PLAIN, MAP("[8, 3]", "[8, 1]", 4, 32), invalid, "in the buffer of 64 bytes");
  expect(state, PLAIN, MAP("[8, 2]", "[8, 1]", 3, 32), invalid, "elements of 1, 2 or 4 bytes");
  expect(state, PLAIN, MAP("[8, 2]", "[8, 1]", 4, 48), invalid, "swizzled by 0, 32, 64 or 128");
  expect(state, PLAIN, MAP("[8, 2]", "[8, 1]", 4, 'x'), invalid, "\"swizzle\"");
  expect(state, "-5", "3000000000", invalid, "argument 4: \"i32\"");
  expect(state, "0.5", "'x'", invalid, "argument 5: \"f32\"");
  expect(state, "'copy': 2", "'copy': 3", invalid, "step 1: buffer 3 is copied to itself");
  expect(state, "'to': 3", "'to': 0", invalid, "argument 0 is written");
  expect(state, "'bytes': 64}, {'b", "'bytes': 65}, {'b", invalid, "65 bytes are copied");
  expect(state, "'copy'", "'cope'", invalid, "step 1: it is no launch, no copy, no branch");
  expect(state, "{'branch': 4}", "{'host': 1, 'arguments': []}", invalid,
         "step 3: module 1 is not the host's");
  expect(state, "{'bytes': 4}", "{'bytes': 4, 'host': true}", invalid,
         "step 0: module 1 is the host's, not the device's");
  expect(state, "{'branch': 4}", "{'host': 2, 'arguments': []}", invalid,
         "step 3: module 2 is out of range");
  expect(state, "'branch': 4", "'branch': 5", invalid, "step 3: step 5 is out of range");
  expect(state, "'branch': 4", "'branch': -1", invalid, "step 3: \"branch\"");
  expect(state, "'unless': 4", "'unless': 5", invalid, "step 2: buffer 5 is out of range");
  expect(state, "'unless': 4", "'unless': '4'", invalid, "step 2: \"unless\"");
  expect(state, "{'bytes': 64}", "{'bytes': 3}", invalid, "step 1: 64 bytes are copied");
  expect(state, "'to': 3", "'too': 3", invalid, "step 1: \"to\": expected an integer");
  expect(state, "{'argument': 1}", "{}", invalid, "buffer 1: it is no argument, no result");
  expect(state, "'steps'", "'stairs'", invalid, "\"steps\": expected an array");
}

static void shapes_are_to_be_static(void **state) {
  tune_signature *signature = *state;
  file f = make_file(good);
  tune_program p;
  signature->results[0].shape[1] = TUNE_DYNAMIC;
  tune_status status = parse_exactly(f.bytes, f.size, signature, &p);
  assert_non_null(strstr(tune_status_get_message(status),
                         "buffer 2: it is 4x?xf32, and programs are for static shapes only"));
  tune_status_free(status);
  signature->results[0].shape[1] = 4;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_read),
      cmocka_unit_test(each_truncation_is_refused),
      cmocka_unit_test(each_damage_is_survived),
      cmocka_unit_test(what_makes_no_sense_is_named),
      cmocka_unit_test(shapes_are_to_be_static),
  };
  return cmocka_run_group_tests_name("targets/program", tests, make_signature, drop_signature);
}
