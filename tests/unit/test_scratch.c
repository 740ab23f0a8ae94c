/* Memory in nameless files: what it gives, what a directory without room or right does. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "spgm/io.h"

static int entries_in(const char *directory) {
    DIR *list = opendir(directory);
    int count = 0;

    assert_non_null(list);
    while (readdir(list) != NULL) {
        count++;
    }
    closedir(list);
    return count - 2; /* . and .. */
}

/* Memory in a directory of its own. */
struct room {
    char path[32];
    spgm_scratch *scratch;
    const spgm_memory *memory;
};

static struct room room_open(void) {
    struct room room = {.path = "scratch-XXXXXX"};
    spgm_status status;

    assert_non_null(mkdtemp(room.path));
    assert_int_equal(spgm_scratch_new(room.path, &room.scratch, &status), SPGM_OK);
    room.memory = spgm_scratch_memory(room.scratch);
    return room;
}

static void room_close(struct room *room) {
    spgm_scratch_free(room->scratch);
    rmdir(room->path);
}

/* Zeros, each array its own, nothing in the directory at any time. */
static void arrays_are_files_without_names(void **state) {
    char text[512];
    unsigned char *array[20];
    const size_t bytes = 200001;
    struct room room = room_open();
    const spgm_memory *memory = room.memory;

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 20; k++) {
            array[k] = memory->take(memory->context, bytes);
            assert_non_null(array[k]);
            assert_int_equal((uintptr_t)array[k] % 64, 0);
            for (size_t i = 0; i < bytes; i += 100) {
                assert_int_equal(array[k][i], 0);
            }
            memset(array[k], k + 1, bytes);
        }
        assert_int_equal(entries_in(room.path), 0);
        for (int k = 0; k < 20; k++) {
            assert_int_equal(array[k][bytes - 1], k + 1);
            memory->give(memory->context, array[k], bytes);
        }
    }
    assert_false(spgm_scratch_trouble(room.scratch, text, sizeof text));
    assert_string_equal(text, "");
    room_close(&room);
}

/* No file system has room for that: NULL, and the reason is kept. */
static void no_room_is_said(void **state) {
    char text[512];
    struct room room = room_open();

    (void)state;
    assert_null(room.memory->take(room.memory->context, (size_t)1 << 62));
    assert_true(spgm_scratch_trouble(room.scratch, text, sizeof text));
    assert_non_null(strstr(text, room.path));
    assert_int_equal(entries_in(room.path), 0);
    room_close(&room);
}

/* A directory that is gone: nothing to begin with, or later on. */
static void a_missing_directory_is_said(void **state) {
    char text[512];
    struct room room = room_open();
    spgm_scratch *none = NULL;
    spgm_status status;

    (void)state;
    rmdir(room.path);
    assert_null(room.memory->take(room.memory->context, 200000));
    assert_true(spgm_scratch_trouble(room.scratch, NULL, 0));
    assert_true(spgm_scratch_trouble(room.scratch, text, sizeof text));
    assert_non_null(strstr(text, "No such file"));
    assert_int_equal(spgm_scratch_new(room.path, &none, &status), SPGM_ERROR_FILE);
    assert_non_null(strstr(status.message, room.path));
    assert_int_equal(spgm_scratch_new(NULL, &none, &status), SPGM_ERROR_ARGUMENT);
    spgm_scratch_free(room.scratch);
}

static void nothing_is_nothing(void **state) {
    struct stat facts;
    spgm_scratch *scratch = NULL;
    spgm_status status;

    (void)state;
    assert_null(spgm_scratch_memory(NULL));
    assert_false(spgm_scratch_trouble(NULL, NULL, 0));
    assert_false(spgm_scratch_is_in_memory(NULL));
    spgm_scratch_free(NULL);
    if (stat("/dev/shm", &facts) == 0 && spgm_scratch_new("/dev/shm", &scratch, &status) == SPGM_OK) {
        assert_true(spgm_scratch_is_in_memory(scratch));
    }
    spgm_scratch_free(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_files_without_names),
        cmocka_unit_test(no_room_is_said),
        cmocka_unit_test(a_missing_directory_is_said),
        cmocka_unit_test(nothing_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
