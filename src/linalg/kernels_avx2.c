#define KERNEL_TARGET PROCESSOR_TARGET_AVX2
#define KERNEL_TABLE kernels_avx2
#define KERNEL_BYTES 32
#include "linalg/kernels_body.h"
