/* Names of instances: a name is refused with a sentence, or makes data of the size that it says. */
#include "fuzz/fuzz.h"

/* Names that ask for more than a few thousand numbers are not tried. */
static int is_small(const char *name) {
    int64_t product = 1;
    for (const char *p = name; *p != '\0'; p++) {
        int64_t number = 0;
        for (; *p >= '0' && *p <= '9' && number < 100000; p++)
            number = number * 10 + (*p - '0');
        product *= number > 0 ? number : 1;
        if (product > 100000)
            return 0;
        if (*p == '\0')
            break;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char name[64];
    spgm_data *data = NULL;
    spgm_status status;
    if (size >= sizeof name)
        return 0;
    memcpy(name, bytes, size);
    name[size] = '\0';
    if (!is_small(name))
        return 0;
    spgm_error error = spgm_data_generate(name, size, NULL, &data, &status);
    fuzz_check_status(error, &status);
    if (data != NULL)
        fuzz_check_data(data, 1);
    spgm_data_free(data);
    return 0;
}
