#include "linalg/kernels.h"

#if defined(__x86_64__)
#define KERNEL_TARGET PROCESSOR_TARGET_AVX2
#define KERNEL_TABLE kernels_avx2
#define KERNEL_BYTES 32
#define KERNEL_FMA(a, b, c) __builtin_fma(a, b, c)
#include "linalg/kernels_body.h"
#endif
