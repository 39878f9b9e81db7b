//===- onednn.c - oneDNN 3 as a contestant -------------------------------------------===//
//
//   op=matmul batch= m= n= k= layout=nn|nt|tn types=f32|bf16|u8s8|s8s8 post=none|relu|gelu
//             form=plain|packed        packed: weights in the layout it likes best, once ahead
//   op=conv   n= h= w= c= f= kh= kw= stride= pad= groups= layout=nhwc|nchw
//             form=activations|any     weights in the layout it likes; any: activations too
//   op=softmax, norm, gelu, transpose, sum, sum-rows, sum-columns   rows= columns=
//   op=attention heads= sequence= width=      matmul, softmax, matmul
//
// Layouts are strides here: the dimensions are in oneDNN's order, whatever the memory's. `post`
// other than none has a bias of n as the third input. Reorders that a user does once are done
// before the line "ready" or after the last run; what is timed are executions.
//
//===--------------------------------------------------------------------------===//

#include "contestant.h"

#include <oneapi/dnnl/dnnl.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { STEP_LIMIT = 3, ARGUMENT_LIMIT = 5 };

typedef struct step {
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[ARGUMENT_LIMIT];
  int argument_count;
} step;

typedef struct network {
  tune_contest *contest;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  step steps[STEP_LIMIT];
  int step_count;
  dnnl_memory_t result; // of the last step
  dnnl_memory_t output; // contest->output, in the module's layout
  const char *form;     // of the step that counts
} network;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    dnnl_status_t check_status = (call);                                                           \
    if (check_status != dnnl_success)                                                              \
      tune_contest_fail("oneDNN: %s: status %d", #call, (int)check_status);                        \
  } while (0)

static const char *text(const network *self, const char *key) {
  return tune_contest_text(self->contest, key);
}

static int64_t number(const network *self, const char *key) {
  return tune_contest_number(self->contest, key);
}

static bool is(const network *self, const char *key, const char *value) {
  return strcmp(text(self, key), value) == 0;
}

//===----------------------------------------------------------------------------------------------
// Memory
//===----------------------------------------------------------------------------------------------

// Dimensions with their strides, as a value that fits into an argument list.
typedef struct shape {
  int rank;
  dnnl_dims_t sizes, strides;
} shape;

// Row-major.
static shape shape_of(int rank, const int64_t *sizes) {
  shape result = {.rank = rank};
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    result.sizes[i] = sizes[i];
    result.strides[i] = stride;
    stride *= sizes[i];
  }
  return result;
}

#define SHAPE(...)                                                                                 \
  shape_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})

// The last two dimensions exchanged: the same memory seen the other way.
static shape transposed(shape of) {
  shape result = of;
  result.sizes[of.rank - 1] = of.sizes[of.rank - 2];
  result.sizes[of.rank - 2] = of.sizes[of.rank - 1];
  result.strides[of.rank - 1] = of.strides[of.rank - 2];
  result.strides[of.rank - 2] = of.strides[of.rank - 1];
  return result;
}

// Dimension i of the result is dimension order[i] of `of`.
static shape permuted(shape of, const int *order) {
  shape result = {.rank = of.rank};
  for (int i = 0; i < of.rank; ++i) {
    result.sizes[i] = of.sizes[order[i]];
    result.strides[i] = of.strides[order[i]];
  }
  return result;
}

static dnnl_memory_desc_t fixed(shape of, dnnl_data_type_t type) {
  dnnl_memory_desc_t desc;
  CHECK(dnnl_memory_desc_create_with_strides(&desc, of.rank, of.sizes, type, of.strides));
  return desc;
}

// In the layout the primitive likes best.
static dnnl_memory_desc_t any(shape of, dnnl_data_type_t type) {
  dnnl_memory_desc_t desc;
  CHECK(dnnl_memory_desc_create_with_tag(&desc, of.rank, of.sizes, type, dnnl_format_tag_any));
  return desc;
}

static dnnl_memory_t over(const network *self, const_dnnl_memory_desc_t desc, void *data) {
  dnnl_memory_t memory;
  CHECK(dnnl_memory_create(&memory, desc, self->engine, data));
  return memory;
}

static dnnl_memory_t fresh(const network *self, const_dnnl_memory_desc_t desc) {
  return over(self, desc, tune_contest_allocate(dnnl_memory_desc_get_size(desc)));
}

static const_dnnl_memory_desc_t desc_of(const_dnnl_memory_t memory) {
  const_dnnl_memory_desc_t desc;
  CHECK(dnnl_memory_get_memory_desc(memory, &desc));
  return desc;
}

static void reorder(const network *self, dnnl_memory_t from, dnnl_memory_t to) {
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t primitive;
  CHECK(dnnl_reorder_primitive_desc_create(&desc, desc_of(from), self->engine, desc_of(to),
                                           self->engine, NULL));
  CHECK(dnnl_primitive_create(&primitive, desc));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  CHECK(dnnl_primitive_execute(primitive, self->stream, 2, arguments));
  CHECK(dnnl_stream_wait(self->stream));
  CHECK(dnnl_primitive_destroy(primitive));
  CHECK(dnnl_primitive_desc_destroy(desc));
}

// `memory` in the layout `wanted`, brought there once, now.
static dnnl_memory_t in_layout(const network *self, dnnl_memory_t memory,
                               const_dnnl_memory_desc_t wanted) {
  if (dnnl_memory_desc_equal(desc_of(memory), wanted))
    return memory;
  dnnl_memory_t other = fresh(self, wanted);
  reorder(self, memory, other);
  return other;
}

// Input `index` of the module, as `of`.
static dnnl_memory_t input(const network *self, size_t index, shape of, dnnl_data_type_t type) {
  dnnl_memory_desc_t desc = fixed(of, type);
  if (index >= self->contest->input_count ||
      self->contest->input_sizes[index] != dnnl_memory_desc_get_size(desc))
    tune_contest_fail("input %zu is not of the size that %s has", index, text(self, "op"));
  return over(self, desc, self->contest->inputs[index]);
}

static void set_output(network *self, shape of, dnnl_data_type_t type) {
  self->output = over(self, fixed(of, type), self->contest->output);
}

//===----------------------------------------------------------------------------------------------
// Steps
//===----------------------------------------------------------------------------------------------

static step *append(network *self, dnnl_primitive_desc_t desc) {
  step *added = &self->steps[self->step_count++];
  CHECK(dnnl_primitive_create(&added->primitive, desc));
  CHECK(dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &self->form));
  return added;
}

static void give(step *to, int kind, dnnl_memory_t memory) {
  to->arguments[to->argument_count++] = (dnnl_exec_arg_t){kind, memory};
}

// The result of the last step: the output itself where it is in its layout.
static void give_result(network *self, step *to, const_dnnl_memory_desc_t desc) {
  self->result =
      dnnl_memory_desc_equal(desc, desc_of(self->output)) ? self->output : fresh(self, desc);
  give(to, DNNL_ARG_DST, self->result);
}

static const_dnnl_memory_desc_t wants(const_dnnl_primitive_desc_t desc, dnnl_query_t what) {
  return dnnl_primitive_desc_query_md(desc, what, 0);
}

// An elementwise op on what the primitive computes, while it is in registers. NULL for none.
static dnnl_primitive_attr_t post_op(dnnl_alg_kind_t kind, float alpha) {
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t operations;
  CHECK(dnnl_primitive_attr_create(&attributes));
  CHECK(dnnl_post_ops_create(&operations));
  CHECK(dnnl_post_ops_append_eltwise(operations, kind, alpha, 0));
  CHECK(dnnl_primitive_attr_set_post_ops(attributes, operations));
  CHECK(dnnl_post_ops_destroy(operations));
  return attributes;
}

static void add_matmul(network *self) {
  int64_t batch = number(self, "batch"), m = number(self, "m"), n = number(self, "n"),
          k = number(self, "k");
  const char *layout = text(self, "layout");
  shape a = layout[0] == 't' ? transposed(SHAPE(batch, k, m)) : SHAPE(batch, m, k);
  shape b = layout[1] == 't' ? transposed(SHAPE(batch, n, k)) : SHAPE(batch, k, n);
  shape c = SHAPE(batch, m, n), bias = SHAPE(1, 1, n);
  if (batch == 1) { // the kernels for two dimensions are other ones
    static const int without_batch[] = {1, 2};
    a.rank = b.rank = c.rank = bias.rank = 2;
    a = permuted(a, without_batch), b = permuted(b, without_batch);
    c = permuted(c, without_batch), bias = permuted(bias, without_batch);
  }
  dnnl_data_type_t type_a = dnnl_f32, type_b = dnnl_f32, type_c = dnnl_f32;
  if (is(self, "types", "bf16"))
    type_a = type_b = dnnl_bf16;
  else if (!is(self, "types", "f32")) {
    type_a = is(self, "types", "u8s8") ? dnnl_u8 : dnnl_s8;
    type_b = dnnl_s8;
    type_c = dnnl_s32;
  }
  dnnl_memory_t memory_a = input(self, 0, a, type_a), memory_b = input(self, 1, b, type_b);
  set_output(self, c, type_c);

  bool has_bias = !is(self, "post", "none");
  dnnl_memory_t memory_bias = has_bias ? input(self, 2, bias, dnnl_f32) : NULL;
  dnnl_primitive_attr_t attributes = is(self, "post", "relu")   ? post_op(dnnl_eltwise_relu, 0)
                                     : is(self, "post", "gelu") ? post_op(dnnl_eltwise_gelu_erf, 0)
                                                                : NULL;
  dnnl_primitive_desc_t desc;
  CHECK(dnnl_matmul_primitive_desc_create(
      &desc, self->engine, desc_of(memory_a),
      is(self, "form", "packed") ? any(b, type_b) : desc_of(memory_b),
      has_bias ? desc_of(memory_bias) : NULL, desc_of(self->output), attributes));
  step *added = append(self, desc);
  give(added, DNNL_ARG_SRC, memory_a);
  give(added, DNNL_ARG_WEIGHTS, in_layout(self, memory_b, wants(desc, dnnl_query_weights_md)));
  if (has_bias)
    give(added, DNNL_ARG_BIAS, memory_bias);
  give_result(self, added, wants(desc, dnnl_query_dst_md));
}

static void add_conv(network *self) {
  int64_t n = number(self, "n"), h = number(self, "h"), w = number(self, "w"),
          c = number(self, "c"), f = number(self, "f"), kh = number(self, "kh"),
          kw = number(self, "kw"), stride = number(self, "stride"), pad = number(self, "pad"),
          groups = number(self, "groups");
  int64_t oh = (h + 2 * pad - kh) / stride + 1, ow = (w + 2 * pad - kw) / stride + 1;
  bool is_nhwc = is(self, "layout", "nhwc");
  static const int nhwc[] = {0, 3, 1, 2}, hwcf[] = {3, 2, 0, 1}, depthwise[] = {2, 3, 4, 0, 1};
  shape x = is_nhwc ? permuted(SHAPE(n, h, w, c), nhwc) : SHAPE(n, c, h, w);
  shape y = is_nhwc ? permuted(SHAPE(n, oh, ow, f), nhwc) : SHAPE(n, f, oh, ow);
  shape filter;
  if (groups == 1)
    filter = is_nhwc ? permuted(SHAPE(kh, kw, c, f), hwcf) : SHAPE(f, c, kh, kw);
  else if (is_nhwc && groups == c && f == c)
    filter = permuted(SHAPE(kh, kw, c, 1, 1), depthwise);
  else
    tune_contest_fail("no groups but depthwise NHWC");

  dnnl_memory_t memory_x = input(self, 0, x, dnnl_f32);
  dnnl_memory_t memory_filter = input(self, 1, filter, dnnl_f32);
  set_output(self, y, dnnl_f32);
  bool is_any = is(self, "form", "any");
  dnnl_primitive_desc_t desc;
  CHECK(dnnl_convolution_forward_primitive_desc_create(
      &desc, self->engine, dnnl_forward_inference, dnnl_convolution_direct,
      is_any ? any(x, dnnl_f32) : desc_of(memory_x), any(filter, dnnl_f32), NULL,
      is_any ? any(y, dnnl_f32) : desc_of(self->output), (dnnl_dims_t){stride, stride},
      (dnnl_dims_t){0, 0}, (dnnl_dims_t){pad, pad}, (dnnl_dims_t){pad, pad}, NULL));
  step *added = append(self, desc);
  give(added, DNNL_ARG_SRC, in_layout(self, memory_x, wants(desc, dnnl_query_src_md)));
  give(added, DNNL_ARG_WEIGHTS, in_layout(self, memory_filter, wants(desc, dnnl_query_weights_md)));
  give_result(self, added, wants(desc, dnnl_query_dst_md));
}

// Sums of columns as ones times the input: its reduction primitive takes the slow way there.
static void add_column_sums(network *self) {
  int64_t rows = number(self, "rows"), columns = number(self, "columns");
  dnnl_memory_t memory = input(self, 0, SHAPE(rows, columns), dnnl_f32);
  dnnl_memory_desc_t line = fixed(SHAPE(1, rows), dnnl_f32);
  float *ones = tune_contest_allocate(dnnl_memory_desc_get_size(line));
  for (int64_t i = 0; i < rows; ++i)
    ones[i] = 1;
  set_output(self, SHAPE(1, columns), dnnl_f32);
  dnnl_primitive_desc_t desc;
  CHECK(dnnl_matmul_primitive_desc_create(&desc, self->engine, line, desc_of(memory), NULL,
                                          desc_of(self->output), NULL));
  step *added = append(self, desc);
  give(added, DNNL_ARG_SRC, over(self, line, ones));
  give(added, DNNL_ARG_WEIGHTS, memory);
  give_result(self, added, desc_of(self->output));
}

// Other ops with one input of rows x columns: softmax, norm, gelu, transpose, sums.
static void add_row_op(network *self) {
  int64_t rows = number(self, "rows"), columns = number(self, "columns");
  shape x = SHAPE(rows, columns);
  dnnl_memory_t memory = input(self, 0, x, dnnl_f32);
  bool is_norm = is(self, "op", "norm"), is_transpose = is(self, "op", "transpose");
  shape y = is(self, "op", "sum-rows") ? SHAPE(rows, 1)
            : is(self, "op", "sum")    ? SHAPE(1, 1)
            : is_transpose             ? transposed(SHAPE(columns, rows))
                                       : x;
  set_output(self, y, dnnl_f32);
  const_dnnl_memory_desc_t in = desc_of(memory), out = desc_of(self->output);
  dnnl_primitive_desc_t desc;
  if (is(self, "op", "softmax"))
    CHECK(dnnl_softmax_forward_primitive_desc_create(&desc, self->engine, dnnl_forward_inference,
                                                     dnnl_softmax_accurate, in, out, 1, NULL));
  else if (is_norm)
    CHECK(dnnl_layer_normalization_forward_primitive_desc_create(
        &desc, self->engine, dnnl_forward_inference, in, out, NULL, 1e-5F,
        dnnl_use_scale | dnnl_use_shift, NULL));
  else if (is(self, "op", "gelu"))
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&desc, self->engine, dnnl_forward_inference,
                                                     dnnl_eltwise_gelu_erf, in, out, 0, 0, NULL));
  else if (is_transpose)
    CHECK(dnnl_reorder_primitive_desc_create(&desc, in, self->engine, out, self->engine, NULL));
  else
    CHECK(dnnl_reduction_primitive_desc_create(&desc, self->engine, dnnl_reduction_sum, in, out, 0,
                                               0, NULL));
  step *added = append(self, desc);
  give(added, DNNL_ARG_SRC, memory);
  if (is_norm) {
    give(added, DNNL_ARG_SCALE, input(self, 1, SHAPE(columns), dnnl_f32));
    give(added, DNNL_ARG_SHIFT, input(self, 2, SHAPE(columns), dnnl_f32));
  }
  give_result(self, added, out);
}

// softmax(Q K^T / sqrt(width)) V, with the scores in memory between the steps.
static void add_attention(network *self) {
  int64_t heads = number(self, "heads"), sequence = number(self, "sequence"),
          width = number(self, "width");
  shape rows = SHAPE(heads, sequence, width), scores = SHAPE(heads, sequence, sequence);
  dnnl_memory_t q = input(self, 0, rows, dnnl_f32), v = input(self, 2, rows, dnnl_f32);
  dnnl_memory_t k = input(self, 1, transposed(rows), dnnl_f32);
  dnnl_memory_t score = fresh(self, fixed(scores, dnnl_f32));
  set_output(self, rows, dnnl_f32);

  float scale = 1;
  while (scale * scale * (float)width > 1)
    scale /= 2;
  if (scale * scale * (float)width != 1)
    tune_contest_fail("the width of a head is no power of four");
  dnnl_primitive_desc_t desc;
  CHECK(dnnl_matmul_primitive_desc_create(&desc, self->engine, desc_of(q), desc_of(k), NULL,
                                          desc_of(score), post_op(dnnl_eltwise_linear, scale)));
  step *first = append(self, desc);
  give(first, DNNL_ARG_SRC, q);
  give(first, DNNL_ARG_WEIGHTS, k);
  give(first, DNNL_ARG_DST, score);

  CHECK(dnnl_softmax_forward_primitive_desc_create(&desc, self->engine, dnnl_forward_inference,
                                                   dnnl_softmax_accurate, desc_of(score),
                                                   desc_of(score), 2, NULL));
  step *second = append(self, desc);
  give(second, DNNL_ARG_SRC, score);
  give(second, DNNL_ARG_DST, score);

  CHECK(dnnl_matmul_primitive_desc_create(&desc, self->engine, desc_of(score), desc_of(v), NULL,
                                          desc_of(self->output), NULL));
  step *third = append(self, desc);
  give(third, DNNL_ARG_SRC, score);
  give(third, DNNL_ARG_WEIGHTS, v);
  give_result(self, third, desc_of(self->output));
}

static void call(void *state) {
  network *self = state;
  for (int i = 0; i < self->step_count; ++i)
    CHECK(dnnl_primitive_execute(self->steps[i].primitive, self->stream,
                                 self->steps[i].argument_count, self->steps[i].arguments));
  CHECK(dnnl_stream_wait(self->stream));
}

static void finish(void *state) {
  network *self = state;
  if (self->result != self->output)
    reorder(self, self->result, self->output);
}

int main(int argc, char **argv) {
  tune_contest contest;
  tune_contest_init(&contest, argc, argv);
  network self = {.contest = &contest};
  CHECK(dnnl_engine_create(&self.engine, dnnl_cpu, 0));
  CHECK(dnnl_stream_create(&self.stream, self.engine, dnnl_stream_default_flags));
  if (is(&self, "op", "matmul"))
    add_matmul(&self);
  else if (is(&self, "op", "conv"))
    add_conv(&self);
  else if (is(&self, "op", "attention"))
    add_attention(&self);
  else if (is(&self, "op", "sum-columns"))
    add_column_sums(&self);
  else
    add_row_op(&self);
  // What oneDNN holds lives as long as the process.
  return tune_contest_serve(&contest, self.form, &(tune_contest_entry){&self, call, finish});
}
