/* Runs a fuzz target over files and folders without a fuzzer: tests/fuzz/corpus in ordinary CI, or a finding by hand.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static int64_t files;

static int replay_file(const char *path) {
    enum { LARGEST = 1 << 24 };
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LARGEST);
    size_t size = file == NULL || bytes == NULL ? 0 : fread(bytes, 1, LARGEST, file);
    int opened = file != NULL;
    if (opened) {
        fclose(file);
        uint8_t *exact = realloc(bytes, size > 0 ? size : 1); /* so that reading past the end is seen */
        bytes = exact == NULL ? bytes : exact;
        LLVMFuzzerTestOneInput(bytes, size);
        files++;
    } else {
        perror(path);
    }
    free(bytes);
    return opened;
}

static int replay_folder(const char *path) {
    DIR *folder = opendir(path);
    int good = folder != NULL;
    if (!good)
        perror(path);
    for (struct dirent *entry = good ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder)) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            good = replay_file(name) && good;
    }
    if (folder != NULL)
        closedir(folder);
    return good;
}

int main(int count, char **arguments) {
    int good = 1;
    for (int i = 1; i < count; i++) {
        struct stat facts;
        int is_folder = stat(arguments[i], &facts) == 0 && S_ISDIR(facts.st_mode);
        good = (is_folder ? replay_folder(arguments[i]) : replay_file(arguments[i])) && good;
    }
    printf("%lld files replayed\n", (long long)files);
    return !good || files == 0;
}
