#define KERNEL_TARGET PROCESSOR_TARGET_AVX512
#define KERNEL_TABLE kernels_avx512
#define KERNEL_BYTES 64
#include "linalg/kernels_body.h"
