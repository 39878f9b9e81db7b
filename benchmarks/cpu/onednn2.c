//===- onednn2.c - oneDNN 2's Winograd convolution as a contestant --------------------===//
//
//   op=conv n= h= w= c= f= kh= kw= stride= pad= groups=1 layout=nhwc|nchw
//
// oneDNN 3 no longer has Winograd on CPUs; Debian's 2.6 does. Activations and weights are in the
// layouts it likes best, brought there ahead; the module's layout is that of the files only.
//
//===--------------------------------------------------------------------------===//

#include "contestant.h"

#include <oneapi/dnnl/dnnl.h>

#include <string.h>

typedef struct convolution {
  tune_contest *contest;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[3];
  dnnl_memory_t result, output;
} convolution;

#define CHECK(call)                                                                                \
  do {                                                                                             \
    dnnl_status_t check_status = (call);                                                           \
    if (check_status != dnnl_success)                                                              \
      tune_contest_fail("oneDNN: %s: status %d", #call, (int)check_status);                        \
  } while (0)

static dnnl_memory_t over(const convolution *self, const dnnl_memory_desc_t *desc, void *data) {
  dnnl_memory_t memory;
  CHECK(dnnl_memory_create(&memory, desc, self->engine, data));
  return memory;
}

static const dnnl_memory_desc_t *desc_of(const_dnnl_memory_t memory) {
  const dnnl_memory_desc_t *desc;
  CHECK(dnnl_memory_get_memory_desc(memory, &desc));
  return desc;
}

static void reorder(const convolution *self, dnnl_memory_t from, dnnl_memory_t to) {
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

// The module's memory, and beside it memory as the primitive wants it.
static dnnl_memory_t given(const convolution *self, const dnnl_dims_t sizes, dnnl_format_tag_t tag,
                           void *data, size_t size) {
  dnnl_memory_desc_t desc;
  CHECK(dnnl_memory_desc_init_by_tag(&desc, 4, sizes, dnnl_f32, tag));
  if (dnnl_memory_desc_get_size(&desc) != size)
    tune_contest_fail("a tensor is not of the size that this convolution has");
  return over(self, &desc, data);
}

static dnnl_memory_t wanted(const convolution *self, const_dnnl_primitive_desc_t desc,
                            dnnl_query_t what) {
  const dnnl_memory_desc_t *layout = dnnl_primitive_desc_query_md(desc, what, 0);
  return over(self, layout, tune_contest_allocate(dnnl_memory_desc_get_size(layout)));
}

static void call(void *state) {
  convolution *self = state;
  CHECK(dnnl_primitive_execute(self->primitive, self->stream, 3, self->arguments));
  CHECK(dnnl_stream_wait(self->stream));
}

static void finish(void *state) {
  convolution *self = state;
  reorder(self, self->result, self->output);
}

int main(int argc, char **argv) {
  tune_contest contest;
  tune_contest_init(&contest, argc, argv);
  if (strcmp(tune_contest_text(&contest, "op"), "conv") != 0 ||
      tune_contest_number(&contest, "groups") != 1)
    tune_contest_fail("oneDNN 2 is here for convolutions without groups only");
  int64_t n = tune_contest_number(&contest, "n"), h = tune_contest_number(&contest, "h"),
          w = tune_contest_number(&contest, "w"), c = tune_contest_number(&contest, "c"),
          f = tune_contest_number(&contest, "f"), kh = tune_contest_number(&contest, "kh"),
          kw = tune_contest_number(&contest, "kw"), pad = tune_contest_number(&contest, "pad"),
          stride = tune_contest_number(&contest, "stride");
  int is_nhwc = strcmp(tune_contest_text(&contest, "layout"), "nhwc") == 0;
  dnnl_dims_t x_sizes = {n, c, h, w}, filter_sizes = {f, c, kh, kw};
  dnnl_dims_t y_sizes = {n, f, (h + 2 * pad - kh) / stride + 1, (w + 2 * pad - kw) / stride + 1};
  dnnl_dims_t strides = {stride, stride}, dilations = {0, 0}, padding = {pad, pad};

  convolution self = {.contest = &contest};
  CHECK(dnnl_engine_create(&self.engine, dnnl_cpu, 0));
  CHECK(dnnl_stream_create(&self.stream, self.engine, dnnl_stream_default_flags));
  if (contest.input_count != 2)
    tune_contest_fail("a convolution has two inputs");
  dnnl_format_tag_t tag = is_nhwc ? dnnl_nhwc : dnnl_nchw;
  dnnl_memory_t x = given(&self, x_sizes, tag, contest.inputs[0], contest.input_sizes[0]);
  dnnl_memory_t filter = given(&self, filter_sizes, is_nhwc ? dnnl_hwio : dnnl_oihw,
                               contest.inputs[1], contest.input_sizes[1]);
  self.output = given(&self, y_sizes, tag, contest.output, contest.output_size);

  dnnl_memory_desc_t any_x, any_filter, any_y;
  CHECK(dnnl_memory_desc_init_by_tag(&any_x, 4, x_sizes, dnnl_f32, dnnl_format_tag_any));
  CHECK(dnnl_memory_desc_init_by_tag(&any_filter, 4, filter_sizes, dnnl_f32, dnnl_format_tag_any));
  CHECK(dnnl_memory_desc_init_by_tag(&any_y, 4, y_sizes, dnnl_f32, dnnl_format_tag_any));
  dnnl_convolution_desc_t operation;
  CHECK(dnnl_dilated_convolution_forward_desc_init(
      &operation, dnnl_forward_inference, dnnl_convolution_winograd, &any_x, &any_filter, NULL,
      &any_y, strides, dilations, padding, padding));
  dnnl_primitive_desc_t desc;
  if (dnnl_primitive_desc_create(&desc, &operation, NULL, self.engine, NULL) != dnnl_success)
    tune_contest_fail("oneDNN 2 has no Winograd for this convolution on this CPU");
  CHECK(dnnl_primitive_create(&self.primitive, desc));
  const char *form;
  CHECK(dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &form));

  self.arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, wanted(&self, desc, dnnl_query_src_md)};
  self.arguments[1] =
      (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, wanted(&self, desc, dnnl_query_weights_md)};
  self.result = wanted(&self, desc, dnnl_query_dst_md);
  self.arguments[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, self.result};
  reorder(&self, x, self.arguments[0].memory);
  reorder(&self, filter, self.arguments[1].memory);
  // What oneDNN holds lives as long as the process.
  return tune_contest_serve(&contest, form, &(tune_contest_entry){&self, call, finish});
}
