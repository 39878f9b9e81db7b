//===- build_test.c - Payloads become artifacts that compute what they should -------===//

#include "unittests/lower/build_fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_not_opened(const char *payload, tune_status_code code, const char *message) {
  tune_build_source source = {.payload = payload, .payload_source = "p.mlir"};
  tune_build_task *task;
  tune_status status = tune_build_task_create(context, &source, &task);
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), message))
    fail_msg("\"%s\" is not in \"%s\"", message, tune_status_get_message(status));
  tune_status_free(status);
}

static void assert_signature(const char *payload, const char *expected) {
  tune_build_task *task = open_task(payload, NULL);
  json_t *object;
  assert_ok(tune_signature_to_json(&tune_build_task_get_signature(task)->interface, &object));
  char *text = json_dumps(object, JSON_COMPACT);
  assert_string_equal(text, expected);
  free(text);
  json_decref(object);
  tune_build_task_destroy(task);
}

//===--------------------------------------------------------------------------===//
// Artifacts
//===--------------------------------------------------------------------------===//

typedef struct built_artifact {
  char path[64];
  void *handle;
  void (*entry)(void **);
  void (*give_back)(void *);
} built_artifact;

typedef enum build_way { PLAIN, DEFAULT, THREADS } build_way;

static void build(const char *payload, const char *schedule, build_way way,
                  built_artifact *artifact) {
  tune_build_task *task = open_task(payload, schedule);
  tune_config config = {0};
  assert_ok(tune_config_init_default(&config, tune_build_task_get_space(task)));
  tune_code code;
  assert_ok(tune_build_task_run(task, way == THREADS ? threaded : lowering,
                                way == PLAIN ? NULL : &config, TUNE_EMIT_OBJECT, &code));
  static int count;
  snprintf(artifact->path, sizeof artifact->path, "/tmp/tune-build-test-%d-%d.so", (int)getpid(),
           count++);
  assert_ok(tune_linker_run(way == THREADS ? threaded_linker : linker, code.bytes, code.size,
                            artifact->path));
  tune_code_deinit(&code);
  tune_config_deinit(&config);
  tune_build_task_destroy(task);
  artifact->handle = dlopen(artifact->path, RTLD_NOW | RTLD_LOCAL);
  if (!artifact->handle)
    fail_msg("%s", dlerror());
  *(void **)&artifact->entry = dlsym(artifact->handle, "tune_entry");
  *(void **)&artifact->give_back = dlsym(artifact->handle, "tune_runtime_free");
  assert_non_null(artifact->entry);
}

static void discard(built_artifact *artifact) {
  dlclose(artifact->handle);
  unlink(artifact->path);
}

typedef struct descriptor2 {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} descriptor2;

static descriptor2 describe2(void *data, int64_t rows, int64_t columns) {
  return (descriptor2){data, data, 0, {rows, columns}, {columns, 1}};
}

#define M 20
#define N 36
#define K 28

// 64-byte aligned, as artifacts may expect.
typedef struct matrices {
  _Alignas(64) float a[M][K];
  _Alignas(64) float b[K][N];
  _Alignas(64) float c[M][N];
  float expected[M][N]; // c + a b
} matrices;

static void fill(matrices *m) {
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < K; ++k)
      m->a[i][k] = (float)((i * 7 + k * 3) % 11) - 5;
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < N; ++j)
      m->b[k][j] = (float)((k * 5 + j) % 13) - 6;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      m->c[i][j] = m->expected[i][j] = (float)(i - j);
      for (int k = 0; k < K; ++k)
        m->expected[i][j] += m->a[i][k] * m->b[k][j];
    }
}

static bool multiplies(const char *schedule, build_way way) {
  built_artifact artifact;
  build(MATMUL, schedule, way, &artifact);
  matrices m;
  fill(&m);
  descriptor2 a = describe2(m.a, M, K), b = describe2(m.b, K, N), c = describe2(m.c, M, N);
  void *arguments[] = {&a, &b, &c};
  artifact.entry(arguments);
  discard(&artifact);
  // Small integers: exact in whatever order they are added.
  return memcmp(m.c, m.expected, sizeof m.c) == 0;
}

static void a_matmul_is_lowered_plainly(void **state) {
  (void)state;
  assert_true(multiplies(NULL, PLAIN));
}

static void a_matmul_without_schedule_is_lowered(void **state) {
  (void)state;
  assert_true(multiplies(NULL, DEFAULT));
}

static void a_scheduled_matmul_is_lowered(void **state) {
  (void)state;
  assert_true(multiplies(FORALL_SCHEDULE, DEFAULT));
}

static void forall_runs_on_threads(void **state) {
  (void)state;
  // In a process of its own: the threads of OpenMP stay, and must not outlive the library.
  pid_t child = fork();
  if (child == 0)
    _exit(!multiplies(FORALL_SCHEDULE, THREADS));
  int end;
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
}

// A schedule that bufferizes by itself, as upstream's examples do.
static void a_schedule_may_bufferize(void **state) {
  (void)state;
  assert_true(multiplies(
      SCHEDULE_HEAD "%b = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} "
                    "%root {bufferize_function_boundaries = true} : (!transform.any_op) -> "
                    "!transform.any_op\n" SCHEDULE_TAIL,
      DEFAULT));
}

//===--------------------------------------------------------------------------===//
// Signatures
//===--------------------------------------------------------------------------===//

static void signatures_tell_outputs(void **state) {
  (void)state;
  assert_signature(
      MATMUL, "{\"entry\":\"tune_entry\",\"arguments\":["
              "{\"kind\":\"tensor\",\"type\":\"f32\",\"shape\":[20,28],\"access\":\"read\"},"
              "{\"kind\":\"tensor\",\"type\":\"f32\",\"shape\":[28,36],\"access\":\"read\","
              "\"range\":[-0.32732683535398854,0.32732683535398854]},"
              "{\"kind\":\"tensor\",\"type\":\"f32\",\"shape\":[20,36],\"access\":\"readwrite\"}],"
              "\"results\":[],\"sums_arguments\":true,\"sums\":\"f32\",\"exact\":16777216}");
  assert_signature(
      "func.func @f(%x: index, %a: tensor<?x4xbf16>, %m: memref<3xi1>, %n: memref<3xi1>) -> "
      "(tensor<?x4xbf16>, f64) {\n"
      "  memref.copy %m, %n : memref<3xi1> to memref<3xi1>\n"
      "  %c = arith.constant 1.0 : f64\n"
      "  return %a, %c : tensor<?x4xbf16>, f64\n"
      "}\n",
      "{\"entry\":\"tune_entry\",\"arguments\":["
      "{\"kind\":\"scalar\",\"type\":\"index\"},"
      "{\"kind\":\"tensor\",\"type\":\"bf16\",\"shape\":[-1,4],\"access\":\"read\"},"
      "{\"kind\":\"tensor\",\"type\":\"i1\",\"shape\":[3],\"access\":\"read\"},"
      "{\"kind\":\"tensor\",\"type\":\"i1\",\"shape\":[3],\"access\":\"readwrite\"}],"
      "\"results\":["
      "{\"kind\":\"tensor\",\"type\":\"bf16\",\"shape\":[-1,4]},"
      "{\"kind\":\"scalar\",\"type\":\"f64\"}]}");
}

static void what_cannot_be_an_entry_is_refused(void **state) {
  (void)state;
  assert_not_opened("module {", TUNE_INVALID_ARGUMENT, "p.mlir:1:");
  assert_not_opened("module {}", TUNE_NOT_FOUND, "no function with a body");
  assert_not_opened("func.func @a() { return }\nfunc.func @b() { return }\n", TUNE_NOT_FOUND,
                    "name one of @a, @b");
  assert_not_opened("module {\nfunc.func @a(%x: tensor<*xf32>) { return }\n}",
                    TUNE_INVALID_ARGUMENT,
                    "p.mlir:2:1: error: argument 0 has the type tensor<*xf32>");
  assert_not_opened("module {\nfunc.func @a(%x: tensor<4xi4>) { return }\n}", TUNE_INVALID_ARGUMENT,
                    "argument 0 has the type tensor<4xi4>");
  assert_not_opened("module {\nfunc.func @a() {\n  call @a() : () -> ()\n  return\n}\n}",
                    TUNE_FAILED_PRECONDITION, "p.mlir:2:1: error: the function calls itself");
}

//===--------------------------------------------------------------------------===//
// Results and arguments of all kinds
//===--------------------------------------------------------------------------===//

// Results with shapes known at run time only, one of them an argument as it came: fresh memory,
// one descriptor after the other, that goes back to the artifact.
static void fresh_results_belong_to_the_caller(void **state) {
  (void)state;
  built_artifact artifact;
  build("#id = affine_map<(d0, d1) -> (d0, d1)>\n"
        "func.func @f(%a: tensor<?x4xf32>, %s: f32) -> (tensor<?x4xf32>, tensor<?x4xf32>) {\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %d = tensor.dim %a, %c0 : tensor<?x4xf32>\n"
        "  %e = tensor.empty(%d) : tensor<?x4xf32>\n"
        "  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = [\"parallel\", "
        "\"parallel\"]} ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {\n"
        "  ^bb0(%x: f32, %y: f32):\n"
        "    %z = arith.mulf %x, %s : f32\n"
        "    linalg.yield %z : f32\n"
        "  } -> tensor<?x4xf32>\n"
        "  return %a, %r : tensor<?x4xf32>, tensor<?x4xf32>\n"
        "}\n",
        NULL, DEFAULT, &artifact);
  _Alignas(64) float a[12];
  for (int i = 0; i < 12; ++i)
    a[i] = (float)i;
  float scale = 2;
  descriptor2 in = describe2(a, 3, 4), out[2];
  void *arguments[] = {&in, &scale, out};
  for (int call = 0; call < 3; ++call) {
    memset(out, 0xff, sizeof out);
    artifact.entry(arguments);
    for (int r = 0; r < 2; ++r) {
      assert_int_equal(out[r].sizes[0], 3);
      assert_int_equal(out[r].sizes[1], 4);
      assert_ptr_not_equal(out[r].allocated, a);
      const float *data = (const float *)out[r].aligned + out[r].offset;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
          assert_true(data[i * out[r].strides[0] + j * out[r].strides[1]] ==
                      a[i * 4 + j] * (r ? scale : 1));
      artifact.give_back(out[r].allocated);
    }
  }
  discard(&artifact);
}

// An argument that results are written to and that is also read afterwards cannot be updated in
// place; the result is there all the same.
static void results_reach_their_argument_also_by_copy(void **state) {
  (void)state;
  built_artifact artifact;
  build("#id = affine_map<(d0) -> (d0)>\n"
        "#back = affine_map<(d0) -> (3 - d0)>\n"
        "func.func @f(%c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
        "  %one = arith.constant 1.0 : f32\n"
        "  %f = linalg.fill ins(%one : f32) outs(%c : tensor<4xf32>) -> tensor<4xf32>\n"
        "  %e = tensor.empty() : tensor<4xf32>\n"
        "  %g = linalg.generic {indexing_maps = [#back, #id], iterator_types = [\"parallel\"]} "
        "ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) {\n"
        "  ^bb0(%x: f32, %y: f32):\n"
        "    linalg.yield %x : f32\n"
        "  } -> tensor<4xf32>\n"
        "  return %f, %g : tensor<4xf32>, tensor<4xf32>\n"
        "}\n",
        NULL, DEFAULT, &artifact);
  struct {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } c, out;
  _Alignas(64) float data[4] = {5, 6, 7, 8};
  c.allocated = c.aligned = data;
  c.offset = 0;
  c.size = 4;
  c.stride = 1;
  void *arguments[] = {&c, &out};
  artifact.entry(arguments);
  for (int i = 0; i < 4; ++i) {
    assert_true(data[i] == 1);
    assert_true(((float *)out.aligned)[i] == (float)(8 - i));
  }
  artifact.give_back(out.allocated);
  discard(&artifact);
}

static void scalars_of_every_width_arrive(void **state) {
  (void)state;
  built_artifact artifact;
  build("func.func @f(%b: i1, %c: i8, %s: i16, %i: i32, %l: i64, %x: index, %d: f64) -> i64 {\n"
        "  %b64 = arith.extui %b : i1 to i64\n"
        "  %c64 = arith.extsi %c : i8 to i64\n"
        "  %s64 = arith.extsi %s : i16 to i64\n"
        "  %i64 = arith.extsi %i : i32 to i64\n"
        "  %x64 = arith.index_cast %x : index to i64\n"
        "  %d64 = arith.fptosi %d : f64 to i64\n"
        "  %0 = arith.addi %b64, %c64 : i64\n"
        "  %1 = arith.addi %0, %s64 : i64\n"
        "  %2 = arith.addi %1, %i64 : i64\n"
        "  %3 = arith.addi %2, %l : i64\n"
        "  %4 = arith.addi %3, %x64 : i64\n"
        "  %5 = arith.addi %4, %d64 : i64\n"
        "  return %5 : i64\n"
        "}\n",
        NULL, DEFAULT, &artifact);
  uint8_t b = 1;
  int8_t c = -3;
  int16_t s = -300;
  int32_t i = 70000;
  int64_t l = (int64_t)1 << 40, x = 1000, result = 0;
  double d = 12;
  void *arguments[] = {&b, &c, &s, &i, &l, &x, &d, &result};
  artifact.entry(arguments);
  assert_true(result == 1 - 3 - 300 + 70000 + ((int64_t)1 << 40) + 1000 + 12);
  discard(&artifact);
}

// A call to another function, a constant table, and functions that libm or the runtime provide.
static void payloads_may_call_and_compute(void **state) {
  (void)state;
  built_artifact artifact;
  build("func.func @unused() { return }\n"
        "func.func @helper(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %y = math.erf %x : tensor<2xf32>\n"
        "  %z = math.exp %y : tensor<2xf32>\n"
        "  return %z : tensor<2xf32>\n"
        "}\n"
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xbf16>) {\n"
        "  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
        "  %y = func.call @helper(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  %z = arith.addf %y, %t : tensor<2xf32>\n"
        "  %b = arith.truncf %z : tensor<2xf32> to tensor<2xbf16>\n"
        "  return %z, %b : tensor<2xf32>, tensor<2xbf16>\n"
        "}\n",
        NULL, DEFAULT, &artifact);
  struct descriptor1 {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  } in, out[2];
  _Alignas(64) float x[2] = {0.5f, -1.25f};
  in = (struct descriptor1){x, x, 0, 2, 1};
  void *arguments[] = {&in, out};
  artifact.entry(arguments);
  for (int i = 0; i < 2; ++i) {
    float expected = expf(erff(x[i])) + (float)(i + 1);
    assert_true(fabsf(((float *)out[0].aligned)[i] - expected) < 1e-5f);
    uint32_t bits = (uint32_t)((uint16_t *)out[1].aligned)[i] << 16;
    float rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    assert_true(fabsf(rounded - expected) < expected / 128);
  }
  artifact.give_back(out[0].allocated);
  artifact.give_back(out[1].allocated);
  discard(&artifact);
}

// Ops that are no loops, and arithmetic on whole tensors, lower without a schedule.
static void ops_without_loops_are_taken_apart(void **state) {
  (void)state;
  built_artifact artifact;
  build("func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, "
        "tensor<4x3xf32>) {\n"
        "  %e = tensor.empty() : tensor<2x3xf32>\n"
        "  %s = linalg.softmax dimension(1) ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) "
        "-> tensor<2x3xf32>\n"
        "  %p = tensor.empty() : tensor<1x3x2x1xf32>\n"
        "  %q = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %p : "
        "tensor<2x3xf32> -> tensor<1x3x2x1xf32>\n"
        "  %u = linalg.unpack %q inner_dims_pos = [0, 1] inner_tiles = [2, 1] into %e : "
        "tensor<1x3x2x1xf32> -> tensor<2x3xf32>\n"
        "  %t = arith.addf %x, %u : tensor<2x3xf32>\n"
        "  %c = tensor.concat dim(0) %x, %t : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
        "tensor<4x3xf32>\n"
        "  return %s, %t, %c : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>\n"
        "}\n",
        NULL, DEFAULT, &artifact);
  _Alignas(64) float x[6] = {1, 2, 3, -1, 0, 1};
  descriptor2 in = describe2(x, 2, 3), out[3];
  void *arguments[] = {&in, out};
  artifact.entry(arguments);
  const float *softmax = out[0].aligned, *sum = out[1].aligned, *both = out[2].aligned;
  for (int i = 0; i < 6; ++i) {
    const float *row = x + i / 3 * 3;
    float total = expf(row[0]) + expf(row[1]) + expf(row[2]);
    assert_true(fabsf(softmax[i] - expf(x[i]) / total) < 1e-6f);
    assert_true(sum[i] == 2 * x[i]);
    assert_true(both[i] == x[i] && both[6 + i] == 2 * x[i]);
  }
  for (int i = 0; i < 3; ++i)
    artifact.give_back(out[i].allocated);
  discard(&artifact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_matmul_is_lowered_plainly),
      cmocka_unit_test(a_matmul_without_schedule_is_lowered),
      cmocka_unit_test(a_scheduled_matmul_is_lowered),
      cmocka_unit_test(forall_runs_on_threads),
      cmocka_unit_test(a_schedule_may_bufferize),
      cmocka_unit_test(signatures_tell_outputs),
      cmocka_unit_test(what_cannot_be_an_entry_is_refused),
      cmocka_unit_test(fresh_results_belong_to_the_caller),
      cmocka_unit_test(results_reach_their_argument_also_by_copy),
      cmocka_unit_test(scalars_of_every_width_arrive),
      cmocka_unit_test(payloads_may_call_and_compute),
      cmocka_unit_test(ops_without_loops_are_taken_apart),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
