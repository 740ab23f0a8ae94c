#include "search/ledger.h"

#include <string.h>

#include "base/memory.h"

struct ledger *ledger_new(int64_t rows, double most_bytes) {
    struct ledger *ledger = memory_array(1, sizeof *ledger);

    if (ledger != NULL) {
        ledger->rows = rows;
        ledger->most_bytes = most_bytes;
    }
    return ledger;
}

void ledger_free(struct ledger *ledger) {
    if (ledger != NULL) {
        memory_free(ledger->record);
        memory_free(ledger->column);
        memory_free(ledger->alpha);
        memory_free(ledger);
    }
}

void ledger_clear(struct ledger *ledger) {
    ledger->records = ledger->steps = ledger->rough = 0;
    ledger->is_lost = 0;
}

/* A larger array with the old content; the old array is freed. Returns NULL if memory runs out. */
static void *widen(void *old, int64_t used, int64_t room, size_t size) {
    void *array = memory_array(room, size);

    if (array != NULL && used > 0) {
        memcpy(array, old, (size_t)used * size);
    }
    memory_free(old);
    return array;
}

static void grow_records(struct ledger *ledger) {
    ledger->record_room = 2 * ledger->record_room + 16;
    ledger->record = widen(ledger->record, ledger->records, ledger->record_room, sizeof *ledger->record);
    ledger->is_lost |= ledger->record == NULL;
}

static void grow_steps(struct ledger *ledger) {
    ledger->step_room = 2 * ledger->step_room + 64;
    ledger->column = widen(ledger->column, ledger->steps, ledger->step_room, sizeof *ledger->column);
    ledger->alpha =
        widen(ledger->alpha, ledger->steps * ledger->rows, ledger->step_room * ledger->rows, sizeof *ledger->alpha);
    ledger->is_lost |= ledger->column == NULL || ledger->alpha == NULL;
}

/* After a failure the arrays are empty and stay empty. */
static int is_lost(struct ledger *ledger) {
    if (ledger->is_lost) {
        ledger->records = ledger->steps = 0;
    }
    return ledger->is_lost;
}

int64_t ledger_open(struct ledger *ledger, int64_t parent, int64_t column, int is_in) {
    if (!is_lost(ledger) && ledger->records == ledger->record_room) {
        grow_records(ledger);
    }
    if (is_lost(ledger)) {
        return 0;
    }
    ledger->record[ledger->records] = (struct ledger_record){parent, column, is_in, -1, ledger->steps};
    return ledger->records++;
}

void ledger_note(struct ledger *ledger, int64_t column, const double *alpha) {
    double bytes = (double)(ledger->steps + 1) * (double)ledger->rows * sizeof *alpha;

    ledger->is_lost |= bytes > ledger->most_bytes;
    if (!is_lost(ledger) && ledger->steps == ledger->step_room) {
        grow_steps(ledger);
    }
    if (is_lost(ledger)) {
        return;
    }
    ledger->column[ledger->steps] = column;
    memcpy(ledger->alpha + ledger->steps * ledger->rows, alpha, (size_t)ledger->rows * sizeof *alpha);
    ledger->steps++;
}

int64_t ledger_append(struct ledger *ledger, const struct ledger *more) {
    int64_t base = ledger->records;

    ledger->is_lost |= more->is_lost;
    for (int64_t i = 0; i < more->records && !is_lost(ledger); i++) {
        const struct ledger_record *record = &more->record[i];
        int64_t last = i + 1 < more->records ? record[1].first : more->steps;
        int64_t parent = record->parent <= -2 ? base - 2 - record->parent : record->parent;
        int64_t mine = ledger_open(ledger, parent, record->column, record->is_in);

        if (!ledger->is_lost) {
            ledger->record[mine].branch = record->branch;
        }
        for (int64_t k = record->first; k < last; k++) {
            ledger_note(ledger, more->column[k], more->alpha + k * more->rows);
        }
    }
    return base;
}
