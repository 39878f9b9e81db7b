//===- cpu_list.h - The table of CPUs -----------------------------------------===//
//
// Written by scripts/update-cpu-list, from what LLVM 22 knows: DO(architecture, names, features),
// the names of CPUs that have the same, and what that is, in the words of /proc/cpuinfo, sorted.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_CPU_LIST_H
#define TUNE_FORMATS_CPU_LIST_H

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define TUNE_FOR_EACH_CPU(DO)                                                                      \
  DO(X86_64,                                                                                       \
     "alderlake gracemont meteorlake raptorlake",                                                  \
     "3dnowprefetch abm adx aes avx avx2 avx_vnni bmi1 bmi2 f16c fma gfni movbe pclmulqdq pni "    \
     "popcnt sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq")                                            \
  DO(X86_64,                                                                                       \
     "amdfam10 barcelona",                                                                         \
     "3dnowprefetch abm pni popcnt sse2 sse4a")                                                    \
  DO(X86_64,                                                                                       \
     "arrowlake grandridge sierraforest",                                                          \
     "3dnowprefetch abm adx aes avx avx2 avx_ifma avx_ne_convert avx_vnni avx_vnni_int8 bmi1 "     \
     "bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq")     \
  DO(X86_64,                                                                                       \
     "arrowlake-s clearwaterforest lunarlake pantherlake wildcatlake",                             \
     "3dnowprefetch abm adx aes avx avx2 avx_ifma avx_ne_convert avx_vnni avx_vnni_int16 "         \
     "avx_vnni_int8 bmi1 bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 "        \
     "ssse3 vaes vpclmulqdq")                                                                      \
  DO(X86_64,                                                                                       \
     "athlon-fx athlon64 k8 opteron",                                                              \
     "3dnowprefetch sse2")                                                                         \
  DO(X86_64,                                                                                       \
     "athlon64-sse3 k8-sse3 opteron-sse3",                                                         \
     "3dnowprefetch pni sse2")                                                                     \
  DO(X86_64,                                                                                       \
     "atom bonnell",                                                                               \
     "movbe pni sse2 ssse3")                                                                       \
  DO(X86_64,                                                                                       \
     "bdver1",                                                                                     \
     "3dnowprefetch abm aes avx fma4 pclmulqdq pni popcnt sse2 sse4_1 sse4_2 sse4a ssse3 xop")     \
  DO(X86_64,                                                                                       \
     "bdver2 bdver3",                                                                              \
     "3dnowprefetch abm aes avx bmi1 f16c fma fma4 pclmulqdq pni popcnt sse2 sse4_1 sse4_2 "       \
     "sse4a ssse3 tbm xop")                                                                        \
  DO(X86_64,                                                                                       \
     "bdver4",                                                                                     \
     "3dnowprefetch abm aes avx avx2 bmi1 bmi2 f16c fma fma4 movbe pclmulqdq pni popcnt sse2 "     \
     "sse4_1 sse4_2 sse4a ssse3 tbm xop")                                                          \
  DO(X86_64,                                                                                       \
     "broadwell",                                                                                  \
     "3dnowprefetch abm adx avx avx2 bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 "          \
     "sse4_1 sse4_2 ssse3")                                                                        \
  DO(X86_64,                                                                                       \
     "btver1",                                                                                     \
     "3dnowprefetch abm pni popcnt sse2 sse4a ssse3")                                              \
  DO(X86_64,                                                                                       \
     "btver2",                                                                                     \
     "3dnowprefetch abm aes avx bmi1 f16c movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 sse4a "    \
     "ssse3")                                                                                      \
  DO(X86_64,                                                                                       \
     "cannonlake",                                                                                 \
     "3dnowprefetch abm adx aes avx avx2 avx512bw avx512cd avx512dq avx512f avx512ifma "           \
     "avx512vbmi avx512vl bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 "       \
     "ssse3")                                                                                      \
  DO(X86_64,                                                                                       \
     "cascadelake",                                                                                \
     "3dnowprefetch abm adx aes avx avx2 avx512_vnni avx512bw avx512cd avx512dq avx512f "          \
     "avx512vl bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")            \
  DO(X86_64,                                                                                       \
     "cooperlake",                                                                                 \
     "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_vnni avx512bw avx512cd avx512dq "      \
     "avx512f avx512vl bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")    \
  DO(X86_64,                                                                                       \
     "core-avx-i ivybridge",                                                                       \
     "avx f16c pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                                     \
  DO(X86_64,                                                                                       \
     "core-avx2 haswell",                                                                          \
     "abm avx avx2 bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")        \
  DO(X86_64,                                                                                       \
     "core2",                                                                                      \
     "pni sse2 ssse3")                                                                             \
  DO(X86_64,                                                                                       \
     "corei7 nehalem x86-64-v2",                                                                   \
     "pni popcnt sse2 sse4_1 sse4_2 ssse3")                                                        \
  DO(X86_64,                                                                                       \
     "corei7-avx sandybridge",                                                                     \
     "avx pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                                          \
  DO(X86_64,                                                                                       \
     "diamondrapids",                                                                              \
     "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile apx avx avx10_2 avx2 avx512_bf16 "      \
     "avx512_bitalg avx512_fp16 avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd "      \
     "avx512dq avx512f avx512ifma avx512vbmi avx512vl avx_ifma avx_ne_convert avx_vnni "           \
     "avx_vnni_int16 avx_vnni_int8 bmi1 bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 "       \
     "sse4_1 sse4_2 ssse3 vaes vpclmulqdq")                                                        \
  DO(X86_64,                                                                                       \
     "emeraldrapids graniterapids graniterapids-d sapphirerapids",                                 \
     "3dnowprefetch abm adx aes amx_bf16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg "    \
     "avx512_fp16 avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq "           \
     "avx512f avx512ifma avx512vbmi avx512vl avx_vnni bmi1 bmi2 f16c fma gfni movbe pclmulqdq "    \
     "pni popcnt sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq")                                        \
  DO(X86_64,                                                                                       \
     "goldmont goldmont-plus",                                                                     \
     "3dnowprefetch aes movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                      \
  DO(X86_64,                                                                                       \
     "icelake-client icelake-server rocketlake",                                                   \
     "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni "                  \
     "avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 "    \
     "bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq")     \
  DO(X86_64,                                                                                       \
     "knl",                                                                                        \
     "3dnowprefetch abm adx aes avx avx2 avx512cd avx512f bmi1 bmi2 f16c fma movbe pclmulqdq "     \
     "pni popcnt sse2 sse4_1 sse4_2 ssse3")                                                        \
  DO(X86_64,                                                                                       \
     "knm",                                                                                        \
     "3dnowprefetch abm adx aes avx avx2 avx512_vpopcntdq avx512cd avx512f bmi1 bmi2 f16c fma "    \
     "movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                                        \
  DO(X86_64,                                                                                       \
     "nocona",                                                                                     \
     "pni sse2")                                                                                   \
  DO(X86_64,                                                                                       \
     "novalake",                                                                                   \
     "3dnowprefetch abm adx aes apx avx avx10_2 avx2 avx512_bf16 avx512_bitalg avx512_fp16 "       \
     "avx512_vbmi2 avx512_vnni avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma "    \
     "avx512vbmi avx512vl avx_ifma avx_ne_convert avx_vnni avx_vnni_int16 avx_vnni_int8 bmi1 "     \
     "bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3 vaes vpclmulqdq")     \
  DO(X86_64,                                                                                       \
     "penryn",                                                                                     \
     "pni sse2 sse4_1 ssse3")                                                                      \
  DO(X86_64,                                                                                       \
     "silvermont slm",                                                                             \
     "3dnowprefetch movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                          \
  DO(X86_64,                                                                                       \
     "skx skylake-avx512",                                                                         \
     "3dnowprefetch abm adx aes avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 "        \
     "bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                          \
  DO(X86_64,                                                                                       \
     "skylake",                                                                                    \
     "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 "      \
     "sse4_1 sse4_2 ssse3")                                                                        \
  DO(X86_64,                                                                                       \
     "tigerlake",                                                                                  \
     "3dnowprefetch abm adx aes avx avx2 avx512_bitalg avx512_vbmi2 avx512_vnni "                  \
     "avx512_vp2intersect avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma "         \
     "avx512vbmi avx512vl bmi1 bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 "         \
     "sse4_2 ssse3 vaes vpclmulqdq")                                                               \
  DO(X86_64,                                                                                       \
     "tremont",                                                                                    \
     "3dnowprefetch aes gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                 \
  DO(X86_64,                                                                                       \
     "westmere",                                                                                   \
     "pclmulqdq pni popcnt sse2 sse4_1 sse4_2 ssse3")                                              \
  DO(X86_64,                                                                                       \
     "x86-64",                                                                                     \
     "sse2")                                                                                       \
  DO(X86_64,                                                                                       \
     "x86-64-v3",                                                                                  \
     "abm avx avx2 bmi1 bmi2 f16c fma movbe pni popcnt sse2 sse4_1 sse4_2 ssse3")                  \
  DO(X86_64,                                                                                       \
     "x86-64-v4",                                                                                  \
     "abm avx avx2 avx512bw avx512cd avx512dq avx512f avx512vl bmi1 bmi2 f16c fma movbe pni "      \
     "popcnt sse2 sse4_1 sse4_2 ssse3")                                                            \
  DO(X86_64,                                                                                       \
     "znver1 znver2",                                                                              \
     "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 "      \
     "sse4_1 sse4_2 sse4a ssse3")                                                                  \
  DO(X86_64,                                                                                       \
     "znver3",                                                                                     \
     "3dnowprefetch abm adx aes avx avx2 bmi1 bmi2 f16c fma movbe pclmulqdq pni popcnt sse2 "      \
     "sse4_1 sse4_2 sse4a ssse3 vaes vpclmulqdq")                                                  \
  DO(X86_64,                                                                                       \
     "znver4",                                                                                     \
     "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni "      \
     "avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma avx512vbmi avx512vl bmi1 "    \
     "bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 sse4_1 sse4_2 sse4a ssse3 vaes "          \
     "vpclmulqdq")                                                                                 \
  DO(X86_64,                                                                                       \
     "znver5",                                                                                     \
     "3dnowprefetch abm adx aes avx avx2 avx512_bf16 avx512_bitalg avx512_vbmi2 avx512_vnni "      \
     "avx512_vp2intersect avx512_vpopcntdq avx512bw avx512cd avx512dq avx512f avx512ifma "         \
     "avx512vbmi avx512vl avx_vnni bmi1 bmi2 f16c fma gfni movbe pclmulqdq pni popcnt sse2 "       \
     "sse4_1 sse4_2 sse4a ssse3 vaes vpclmulqdq")                                                  \
  DO(AARCH64,                                                                                      \
     "a64fx",                                                                                      \
     "aes asimd asimdhp asimdrdm atomics crc32 fcma fp sha2 sve")                                  \
  DO(AARCH64,                                                                                      \
     "ampere1 apple-a15 apple-a16 apple-a17 apple-m2 apple-m3 apple-s10 apple-s9",                 \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc paca sha2 sha3")                                                                       \
  DO(AARCH64,                                                                                      \
     "ampere1a",                                                                                   \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc paca sha2 sha3 sm4")                                                                   \
  DO(AARCH64,                                                                                      \
     "ampere1b",                                                                                   \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 cssc fcma flagm fp i8mm "     \
     "jscvt lrcpc paca sha2 sha3 sm4")                                                             \
  DO(AARCH64,                                                                                      \
     "ampere1c",                                                                                   \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 cssc fcma flagm fp i8mm "     \
     "jscvt lrcpc paca sha2 sha3 sm4 sve sve2")                                                    \
  DO(AARCH64,                                                                                      \
     "apple-a10 falkor",                                                                           \
     "aes asimd asimdrdm crc32 fp sha2")                                                           \
  DO(AARCH64,                                                                                      \
     "apple-a11 carmel",                                                                           \
     "aes asimd asimdhp asimdrdm atomics crc32 fp sha2")                                           \
  DO(AARCH64,                                                                                      \
     "apple-a12 apple-s4 apple-s5",                                                                \
     "aes asimd asimdhp asimdrdm atomics crc32 fcma fp jscvt lrcpc paca sha2")                     \
  DO(AARCH64,                                                                                      \
     "apple-a13 apple-s6 apple-s7 apple-s8",                                                       \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics crc32 fcma flagm fp jscvt lrcpc "        \
     "paca sha2 sha3")                                                                             \
  DO(AARCH64,                                                                                      \
     "apple-a14 apple-m1",                                                                         \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics crc32 fcma flagm flagm2 fp frint "       \
     "jscvt lrcpc paca sha2 sha3")                                                                 \
  DO(AARCH64,                                                                                      \
     "apple-a18 apple-m4",                                                                         \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc paca sha2 sha3 sme sme2")                                                              \
  DO(AARCH64,                                                                                      \
     "apple-a19 apple-m5",                                                                         \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 cssc fcma flagm fp i8mm "     \
     "jscvt lrcpc paca sha2 sha3 sme sme2")                                                        \
  DO(AARCH64,                                                                                      \
     "apple-a7 apple-a8 apple-a9 cyclone",                                                         \
     "aes asimd fp sha2")                                                                          \
  DO(AARCH64,                                                                                      \
     "c1-nano c1-premium c1-pro c1-ultra",                                                         \
     "asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm flagm2 fp frint "      \
     "i8mm ilrcpc jscvt lrcpc mops paca sme sme2 sve sve2 svebitperm")                             \
  DO(AARCH64,                                                                                      \
     "cobalt-100 cortex-a320 cortex-a510 cortex-a520 cortex-a520ae cortex-a710 cortex-a715 "       \
     "cortex-a720 cortex-a720ae cortex-a725 cortex-x2 cortex-x3 cortex-x4 cortex-x925 "            \
     "neoverse-n2 neoverse-n3 neoverse-v2 neoverse-v3 neoverse-v3ae",                              \
     "asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "        \
     "lrcpc paca sve sve2 svebitperm")                                                             \
  DO(AARCH64,                                                                                      \
     "cortex-a34 cortex-a35 cortex-a53 cortex-a57 cortex-a72 cortex-a73 exynos-m3 kryo "           \
     "thunderx thunderxt81 thunderxt83 thunderxt88",                                               \
     "aes asimd crc32 fp sha2")                                                                    \
  DO(AARCH64,                                                                                      \
     "cortex-a55 cortex-a65 cortex-a65ae cortex-a75 cortex-a76 cortex-a76ae cortex-a77 "           \
     "cortex-a78 cortex-a78ae cortex-x1 neoverse-e1 neoverse-n1",                                  \
     "aes asimd asimddp asimdhp asimdrdm atomics crc32 fp lrcpc sha2")                             \
  DO(AARCH64,                                                                                      \
     "cortex-a78c",                                                                                \
     "aes asimd asimddp asimdhp asimdrdm atomics crc32 flagm fp lrcpc paca sha2")                  \
  DO(AARCH64,                                                                                      \
     "cortex-r82 cortex-r82ae",                                                                    \
     "asimd asimddp asimdfhm asimdhp asimdrdm atomics crc32 fcma flagm fp jscvt lrcpc paca")       \
  DO(AARCH64,                                                                                      \
     "cortex-x1c",                                                                                 \
     "aes asimd asimddp asimdhp asimdrdm atomics crc32 flagm fp ilrcpc lrcpc paca sha2")           \
  DO(AARCH64,                                                                                      \
     "exynos-m4 exynos-m5",                                                                        \
     "aes asimd asimddp asimdhp asimdrdm atomics crc32 fp sha2")                                   \
  DO(AARCH64,                                                                                      \
     "fujitsu-monaka",                                                                             \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc mops paca sha2 sha3 sm4 sve sve2 svebitperm")                                          \
  DO(AARCH64,                                                                                      \
     "gb10 grace olympus",                                                                         \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc paca sha2 sha3 sm4 sve sve2 svebitperm")                                               \
  DO(AARCH64,                                                                                      \
     "neoverse-512tvb neoverse-v1",                                                                \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt "    \
     "lrcpc paca sha2 sha3 sm4 sve")                                                               \
  DO(AARCH64,                                                                                      \
     "oryon-1",                                                                                    \
     "aes asimd asimddp asimdrdm atomics bf16 crc32 fcma flagm fp i8mm jscvt lrcpc paca sha2 "     \
     "sha3 sm4")                                                                                   \
  DO(AARCH64,                                                                                      \
     "saphira",                                                                                    \
     "aes asimd asimddp asimdrdm atomics crc32 fcma flagm fp jscvt lrcpc paca sha2")               \
  DO(AARCH64,                                                                                      \
     "thunderx2t99",                                                                               \
     "aes asimd asimdrdm atomics crc32 fp sha2")                                                   \
  DO(AARCH64,                                                                                      \
     "thunderx3t110",                                                                              \
     "aes asimd asimdrdm atomics crc32 fcma fp jscvt lrcpc paca sha2")                             \
  DO(AARCH64,                                                                                      \
     "tsv110",                                                                                     \
     "aes asimd asimddp asimdfhm asimdhp asimdrdm atomics crc32 fcma fp jscvt sha2")
// clang-format on

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_CPU_LIST_H
