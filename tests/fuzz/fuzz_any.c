/* No format is given: detection, decompression and whatever reader they lead to. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    return fuzz_read(NULL, bytes, size, 0);
}
