/* A decimal number is what strtod says, and ends where strtod ends, for every text without hexadecimals and names. */
#include "base/number.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1); /* of this length, so that reading past it is seen */
    fuzz_require(text != NULL, "memory");
    memcpy(text, bytes, size);
    text[size] = '\0';
    text[strspn(text, "0123456789+-.eE")] = '\0';
    double value = 0;
    char *expected_end;
    double expected = strtod(text, &expected_end);
    const char *end = number_parse(text, text + strlen(text), &value);
    fuzz_require((end == NULL ? text : end) == expected_end, "the number ends where it ends");
    fuzz_require(end == NULL || memcmp(&value, &expected, sizeof value) == 0, "the number is the nearest double");
    free(text);
    return 0;
}
