#define KERNEL_TARGET
#define KERNEL_TABLE kernels_baseline
#define KERNEL_BYTES 16
#define KERNEL_FMA(a, b, c) PROCESSOR_FMA(a, b, c)
#include "linalg/kernels_body.h"
