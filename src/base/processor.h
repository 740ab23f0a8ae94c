/*
 * What the processor can do. Kernels are compiled once per level with the attributes below and chosen at run time, so
 * that one binary runs everywhere. In these kernels a product and a sum may be fused into one operation. Only x86-64
 * has more than one level: the features of every ARM64 processor (16-byte vectors, fused operations) are in its
 * baseline.
 */
#ifndef SPGM_BASE_PROCESSOR_H
#define SPGM_BASE_PROCESSOR_H

enum processor_level { PROCESSOR_BASELINE, PROCESSOR_AVX2, PROCESSOR_AVX512, PROCESSOR_LEVELS };

/* The highest level this processor and operating system support. */
enum processor_level processor_level(void);
/* The number of processors that this process may use, which a container or `taskset` can restrict; at least 1. */
int processor_count(void);

/* For loops that spin until another processor writes. */
static inline void processor_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#if defined(__clang__)
#define PROCESSOR_FUSED
#else
#define PROCESSOR_FUSED __attribute__((optimize("fp-contract=fast")))
#endif

/* a b + c, rounded once where the processor does that in one instruction */
#if defined(__FP_FAST_FMA)
#define PROCESSOR_FMA(a, b, c) __builtin_fma(a, b, c)
#else
#define PROCESSOR_FMA(a, b, c) ((a) * (b) + (c))
#endif

#if defined(__x86_64__)
#define PROCESSOR_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define PROCESSOR_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#endif

#endif
