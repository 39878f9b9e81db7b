//===- transfer.h - Outputs from a child to its parent --------------------------------===//
//
// The bytes of outputs go through an anonymous file, their shapes through the child's report: an
// array of shapes, in the order of the outputs.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_TRANSFER_H
#define TUNE_TOOLS_TUNE_MEASURE_TRANSFER_H

#include "formats/measure_replies.h"
#include "targets/target.h"

// An empty file that only this process and its children see.
tune_status transfer_open(int *out_fd);
void transfer_close(int fd);

// In the child: writes all outputs of `kernel`, one after the other. The shapes are those of a
// report, with which they go (tune_reference_report_deinit), also after a failure.
tune_status transfer_outputs(const tune_kernel *kernel, const tune_signature *signature, int fd,
                             tune_shape_list *out_shapes);
// In the parent: makes a buffer of each, into the caller's array. What the child said is not
// trusted. On failure some may be made: the caller deinits them all.
tune_status transfer_read(int fd, const tune_shape_list *shapes, const tune_signature *signature,
                          tune_buffer *out_buffers);

#endif // TUNE_TOOLS_TUNE_MEASURE_TRANSFER_H
