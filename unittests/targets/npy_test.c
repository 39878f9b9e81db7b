//===- npy_test.c ---------------------------------------------------------------------------===//

#include "support/file.h"
#include "targets/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/npy-test-XXXXXX";

static int setup(void **state) {
  (void)state;
  strcpy(path, "/tmp/npy-test-XXXXXX");
  int fd = mkstemp(path);
  return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state) {
  (void)state;
  return unlink(path);
}

static void assert_refused(const tune_value_type *expected, tune_status_code code,
                           const char *message) {
  tune_buffer buffer;
  tune_status status = tune_npy_read(path, expected, &buffer);
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("expected %s, got: %s\n", message, tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  assert_non_null(strstr(tune_status_get_message(status), path));
  tune_status_free(status);
}

// Every type and rank comes back as it was written, and the data stands where NumPy wants it.
static void what_is_written_is_read_back(void **state) {
  (void)state;
  const int64_t shape[3] = {3, 5, 2};
  for (tune_element_type element = 0; element < TUNE_ELEMENT_TYPE_COUNT; ++element)
    for (size_t rank = 0; rank <= 3; ++rank) {
      tune_value_type type = {.element = element, .rank = rank};
      memcpy(type.shape, shape, rank * sizeof *shape);
      tune_buffer out, in;
      assert_null(tune_buffer_init(&out, &type));
      tune_buffer_fill(&out, 3, TUNE_FILL_SIGNED, 100);
      assert_null(tune_npy_write(path, &out));
      for (size_t i = 0; i < rank; ++i)
        type.shape[i] = TUNE_DYNAMIC;
      assert_null(tune_npy_read(path, &type, &in));
      assert_int_equal(in.type.rank, rank);
      assert_memory_equal(in.type.shape, shape, rank * sizeof *shape);
      assert_memory_equal(in.data, out.data, out.size);
      char *bytes;
      size_t size;
      assert_null(tune_file_read(path, &bytes, &size));
      assert_int_equal((size - out.size) % 64, 0);
      assert_int_equal(bytes[size - out.size - 1], '\n');
      free(bytes);
      tune_buffer_deinit(&out);
      tune_buffer_deinit(&in);
    }
}

// A file of two little-endian bytes of header length, as NumPy writes it.
static void write_file(int version, const char *header, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  size_t length = strlen(header);
  fwrite("\x93NUMPY", 1, 6, file);
  fputc(version, file);
  fputc(0, file);
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    fputc((int)(length >> 8 * i) & 255, file);
  fwrite(header, 1, length, file);
  fwrite(data, 1, size, file);
  assert_int_equal(fclose(file), 0);
}

static const tune_value_type pair = {.element = TUNE_F32, .rank = 1, .shape = {2}};
static const float values[2] = {1.5f, -2};

// What NumPy of any age writes: padding, key order, version 2, one dimension with its comma.
static void other_writers_are_understood(void **state) {
  (void)state;
  const char *const headers[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }                  \n",
      "{'shape': (2,), 'descr': '<f4', 'fortran_order': False}",
      "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,)}\n",
      "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }\n",
  };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
    for (int version = 1; version <= 2; ++version) {
      write_file(version, headers[i], values, sizeof values);
      tune_buffer buffer;
      assert_null(tune_npy_read(path, &pair, &buffer));
      assert_memory_equal(buffer.data, values, sizeof values);
      tune_buffer_deinit(&buffer);
    }
  tune_value_type half = {.element = TUNE_BF16, .rank = 1, .shape = {4}};
  const char *const bf16[] = {"{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }\n",
                              "{'descr': '|V2', 'fortran_order': False, 'shape': (4,), }\n"};
  for (size_t i = 0; i < 2; ++i) {
    write_file(1, bf16[i], values, sizeof values);
    tune_buffer buffer;
    assert_null(tune_npy_read(path, &half, &buffer));
    tune_buffer_deinit(&buffer);
  }
}

// What has its first dimension innermost comes out with the last one innermost.
static void fortran_order_is_turned(void **state) {
  (void)state;
  static const tune_value_type cube = {
      .element = TUNE_I8, .rank = 3, .shape = {2, 3, TUNE_DYNAMIC}};
  char in[24];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        in[i + 2 * j + 6 * k] = (char)(100 * i + 10 * j + k);
  write_file(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3, 4), }\n", in, sizeof in);
  tune_buffer buffer;
  assert_null(tune_npy_read(path, &cube, &buffer));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        assert_int_equal(((char *)buffer.data)[12 * i + 4 * j + k], 100 * i + 10 * j + k);
  tune_buffer_deinit(&buffer);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  write_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT,
                 "the array is float64 where f32 is wanted; save x.astype(numpy.float32)");
  write_file(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", values, 8);
  assert_refused(
      &pair, TUNE_INVALID_ARGUMENT,
      "the array is big-endian float32 where f32 is wanted; save x.astype(numpy.float32)");
  write_file(1, "{'descr': '|V2', 'fortran_order': False, 'shape': (4,), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT,
                 "the array is bf16 where f32 is wanted; save "
                 "x.view(ml_dtypes.bfloat16).astype(numpy.float32)");
  write_file(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT, "the array is uint16 where f32 is wanted");
  assert_refused(&pair, TUNE_INVALID_ARGUMENT, "or of bits of bf16 x.view(ml_dtypes.bfloat16)");
  const tune_value_type halves = {.element = TUNE_BF16, .rank = 1, .shape = {2}};
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", values, 8);
  assert_refused(&halves, TUNE_INVALID_ARGUMENT,
                 "the array is float32 where bf16 is wanted; save x.astype(ml_dtypes.bfloat16)");
  write_file(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT,
                 "the array is complex64 where f32 is wanted; save x.real.astype(numpy.float32)");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT, "the array is 2x1xf32, expected 2xf32");
  write_file(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", values, 8);
  assert_refused(&pair, TUNE_INVALID_ARGUMENT, "version 3.0");
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  const char *const headers[] = {
      "",
      "{",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x",
      "{'descr': '<f4<f4<f4<f4', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (2,), }",
  };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
    write_file(1, headers[i], values, sizeof values);
    assert_refused(&pair, TUNE_DATA_LOSS, "the header is damaged");
  }
  const char *const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  write_file(1, good, values, 7);
  assert_refused(&pair, TUNE_DATA_LOSS, "7 bytes of data where the shape needs 8");
  write_file(1, good, "123456789", 9);
  assert_refused(&pair, TUNE_DATA_LOSS, "9 bytes of data");
  tune_value_type any = {.element = TUNE_F64, .rank = 2, .shape = {TUNE_DYNAMIC, TUNE_DYNAMIC}};
  write_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
             values, 0);
  assert_refused(&any, TUNE_DATA_LOSS, "where the shape needs");
  tune_value_type flag = {.element = TUNE_I1, .rank = 1, .shape = {2}};
  write_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\1\2", 2);
  assert_refused(&flag, TUNE_DATA_LOSS, "element 1 is no bool");
}

// A good file cut anywhere is an error, never a crash or an array.
static void cut_files_are_refused(void **state) {
  (void)state;
  tune_buffer buffer;
  assert_null(tune_buffer_init(&buffer, &pair));
  assert_null(tune_npy_write(path, &buffer));
  tune_buffer_deinit(&buffer);
  char *bytes;
  size_t size;
  assert_null(tune_file_read(path, &bytes, &size));
  for (size_t length = 0; length < size; ++length) {
    assert_null(tune_file_write(path, bytes, length));
    assert_refused(&pair, TUNE_DATA_LOSS, "");
  }
  free(bytes);
}

static void files_that_cannot_be_reached_are_named(void **state) {
  (void)state;
  tune_buffer buffer;
  tune_status status = tune_npy_read("/nowhere/x.npy", &pair, &buffer);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_non_null(strstr(tune_status_get_message(status), "/nowhere/x.npy"));
  tune_status_free(status);
  assert_null(tune_buffer_init(&buffer, &pair));
  status = tune_npy_write("/nowhere/x.npy", &buffer);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  tune_status_free(status);
  tune_buffer_deinit(&buffer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_written_is_read_back), TEST(other_writers_are_understood),
      TEST(fortran_order_is_turned),      TEST(damaged_files_are_refused),
      TEST(what_does_not_fit_is_refused), TEST(damaged_files_are_refused),
      TEST(cut_files_are_refused),        TEST(files_that_cannot_be_reached_are_named),
  };
  return cmocka_run_group_tests_name("targets/npy", tests, NULL, NULL);
}
