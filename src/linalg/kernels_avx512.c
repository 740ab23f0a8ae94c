#define KERNEL_TARGET PROCESSOR_TARGET_AVX512
#define KERNEL_TABLE kernels_avx512
#define KERNEL_BYTES 64
#define KERNEL_FMA(a, b, c) PROCESSOR_FMA_AVX2(a, b, c)
#include "linalg/kernels_body.h"
