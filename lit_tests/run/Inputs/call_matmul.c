// Calls what tune-run made of matmul.mlir, by its header.
#include HEADER

#include <stdio.h>

int main(void) {
  static float a[64][32], b[32][48];
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 32; ++k)
      a[i][k] = (float)(i + k);
  for (int k = 0; k < 32; ++k)
    for (int j = 0; j < 48; ++j)
      b[k][j] = (float)(j + 4);
  tune_tensor_2 x = tune_tensor_2_of(a, 64, 32), y = tune_tensor_2_of(b, 32, 48), c;
  tune_call_matmul(&x, &y, &c);
  const float *out = (const float *)c.aligned + c.offset;
  // The sum of i + k over k is 32 + 496 for i = 1; each times 6.
  printf("%dx%d: c[1][2] = %g\n", (int)c.sizes[0], (int)c.sizes[1],
         (double)out[c.strides[0] + 2 * c.strides[1]]);
  tune_runtime_free(c.allocated);
  return 0;
}
