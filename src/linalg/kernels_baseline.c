#define KERNEL_TARGET
#define KERNEL_TABLE kernels_baseline
#define KERNEL_BYTES 16
#include "linalg/kernels_body.h"
