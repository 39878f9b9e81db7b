//===- im2col.h - Convolutions as matrix products of patches -----------------===//
//
// What each pixel of the output is made of, its patch of the image, is copied into a row of a
// matrix, so that the convolution is the product of that with the filter: it has long sums, rows
// that go on from one line to the next, and columns that need not fill vectors. (Chellapilla, Puri
// and Simard, High performance convolutional neural networks for document processing, 2006.)
//
//   forall  1 of the batch, `lines` lines                     parallel
//     patches: lines x width rows of window x depth           copied in runs of the depth
//     a matrix product, as in the rule 'contraction'
//     the op that follows
//
// The whole of the patches is never there: a few lines' worth stay in the second cache.
//
// Threads: plain values; one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_IM2COL_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_IM2COL_H

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/conv_ops.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers of lines at a time: there is a pattern for each.
#define TUNE_IM2COL_MOST_SIZES 4

typedef struct tune_im2col {
  tune_conv_ops ops;
  tune_conv_nhwc conv;
  tune_value_set lines;
  int64_t lines_default;

  tune_structure structure; // of the product of patches with the filter; owns nothing
  tune_nest nests[2];
  tune_contraction_plan product; // of that, with `lines_default` lines
} tune_im2col;

// Convolutions of f32 over two dimensions with channels innermost (NHWC with HWCF), of any stride
// and dilation, with what tune_conv_ops_find takes around them. False for others, where a
// window has more than 49 values, and where the output has one line or the image one channel.
// `out_im2col` stays where it is as long as it is used; its `ops` belong to `structure`.
bool tune_im2col_make(const tune_structure *structure, const tune_machine *machine,
                      tune_im2col *out_im2col);

// The knobs, called im2col_..., and the steps: what stands between tune_writer_begin_tensors and
// tune_writer_end_tensors, in place of tune_contraction_write_steps. Leaves the handle of the
// function in writer->func.
void tune_im2col_write_steps(const tune_im2col *im2col, const tune_machine *machine,
                             tune_writer *writer);

// In im2col_patterns.c: a PDL pattern that makes `lines` lines of the convolution, a linalg.generic
// in which they are all there is, tosa.matmul of their patches, and tosa.add with what starts it;
// with `starts_at_zero` where that is a fill with zero only, and nothing is added.
void tune_im2col_write_pattern(const tune_im2col *im2col, const char *name, int64_t lines,
                               bool starts_at_zero, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_IM2COL_H
