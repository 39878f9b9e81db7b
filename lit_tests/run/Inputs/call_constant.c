// Packs the weights of what tune-run made of constant.mlir once, and calls it twice.
#include HEADER

#include <stdio.h>

int main(void) {
  static float a[64][32], b[32][48], c[48][50];
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 32; ++k)
      a[i][k] = 4;
  for (int k = 0; k < 32; ++k)
    for (int j = 0; j < 48; ++j)
      b[k][j] = 2;
  for (int k = 0; k < 48; ++k)
    for (int j = 0; j < 50; ++j)
      c[k][j] = 5;
  tune_tensor_2 x = tune_tensor_2_of(a, 64, 32), v = tune_tensor_2_of(b, 32, 48),
                w = tune_tensor_2_of(c, 48, 50), y, z;
  void *packed = tune_pack_main(&v, &w);
  tune_call_main(&x, &v, &w, &y, packed);
  tune_call_main(&x, &v, &w, &z, packed);
  tune_prepack_free(packed);
  // 32 products of 8 are 256, 48 of 5 times that 61440.
  const float *first = (const float *)y.aligned + y.offset;
  const float *second = (const float *)z.aligned + z.offset;
  printf("%dx%d: %g %g\n", (int)y.sizes[0], (int)y.sizes[1], (double)first[63 * 50 + 49],
         (double)second[63 * 50 + 49]);
  tune_runtime_free(y.allocated);
  tune_runtime_free(z.allocated);
  return 0;
}
