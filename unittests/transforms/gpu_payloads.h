//===- gpu_payloads.h - Tasks for the rules of GPUs, as text -----------------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_GPU_PAYLOADS_H
#define TUNE_UNITTESTS_TRANSFORMS_GPU_PAYLOADS_H

typedef struct payload_case {
  const char *rule, *text;
} payload_case;

// One op, from tensors of `A` and `B` to one of `C`, which starts with zero.
#define PAYLOAD(A, B, C, OP)                                                                       \
  "func.func @f(%a: tensor<" A ">, %b: tensor<" B ">) -> tensor<" C "> {\n"                        \
  "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : tensor<" C ">\n"                    \
  "  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<" C ">) -> tensor<" C ">\n"                \
  "  %0 = " OP "\n  return %0 : tensor<" C ">\n}\n"
#define PRODUCT(A, B, C)                                                                           \
  PAYLOAD(A, B, C,                                                                                 \
          "linalg.matmul ins(%a, %b : tensor<" A ">, tensor<" B ">) outs(%c : tensor<" C           \
          ">) -> tensor<" C ">")
#define SUM(A, C, DIMENSION)                                                                       \
  PAYLOAD(A, "1xf32", C,                                                                           \
          "linalg.reduce { arith.addf } ins(%a : tensor<" A ">) outs(%c : tensor<" C               \
          ">) dimensions = [" DIMENSION "]")

#endif // TUNE_UNITTESTS_TRANSFORMS_GPU_PAYLOADS_H
