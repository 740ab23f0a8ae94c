#include "base/party.h"

#include <string.h>

typedef int (*reduce_function)(void *context, double *values, int64_t count);

/* The request of process 0 is the last value of a short call. The other processes contribute 0, for sums and maxima
 * alike. */
static void reduce(struct party *party, reduce_function function, double *values, int64_t count) {
    int is_short = count <= PARTY_ROOM;
    double *all = is_short ? party->room : values;

    if (party->has_failed || count == 0) {
        return;
    }
    if (is_short) {
        memcpy(all, values, (size_t)count * sizeof *values);
        all[count] = party->all.rank == 0 && party->ask != NULL ? (double)party->ask(party->ask_context) : 0;
    }
    if (function(party->all.context, all, count + is_short) != 0) {
        party->has_failed = 1;
    } else if (is_short) {
        memcpy(values, all, (size_t)count * sizeof *values);
        party->request = (enum party_request)all[count];
    }
}

void party_sum(void *party, double *values, int64_t count) {
    reduce(party, ((struct party *)party)->all.sum, values, count);
}

void party_max(void *party, double *values, int64_t count) {
    reduce(party, ((struct party *)party)->all.max, values, count);
}

int party_broadcast(struct party *party, void *data, int64_t bytes, int64_t root) {
    if (!party->has_failed && bytes > 0) {
        party->has_failed = party->all.broadcast(party->all.context, data, bytes, root) != 0;
    }
    return party->has_failed;
}

void party_ask(struct party *party) {
    double nothing = 0;

    party_sum(party, &nothing, 1);
}

static spgm_error lost(spgm_status *status) {
    return status_set(
        status, SPGM_ERROR_PROCESS,
        "another process of the communicator failed, so this one cannot continue: see the message of that process");
}

spgm_error party_agree(struct party *party, spgm_error error, spgm_status *status) {
    spgm_status mine = {.code = error};
    double first = error == SPGM_OK ? 0 : (double)(party->all.size - party->all.rank);

    if (error != SPGM_OK && status != NULL) {
        mine = *status;
    }
    party_max(party, &first, 1);
    if (party->has_failed) {
        return error != SPGM_OK ? error : lost(status);
    }
    if (first == 0) {
        return status_clear(status);
    }
    if (party_broadcast(party, &mine, sizeof mine, party->all.size - (int64_t)first)) {
        return error != SPGM_OK ? error : lost(status);
    }
    party->is_agreed = 1;
    if (status != NULL) {
        *status = mine;
    }
    return mine.code;
}

int64_t party_before(struct party *party, int64_t count) {
    int64_t before = 0;

    for (int64_t k = 0; k + 1 < party->all.size; k++) {
        int64_t theirs = count;

        party_broadcast(party, &theirs, sizeof theirs, k);
        before += k < party->all.rank ? theirs : 0;
    }
    return before;
}

int party_is_same(struct party *party, uint64_t word) {
    double high = (double)(word >> 32), low = (double)(word & UINT32_MAX);
    double ends[4] = {high, -high, low, -low};

    party_max(party, ends, 4);
    return ends[0] == -ends[1] && ends[2] == -ends[3];
}

spgm_error party_end(struct party *party, spgm_error error, spgm_status *status) {
    if (party == NULL) {
        return error;
    }
    if (party->has_failed) {
        return error != SPGM_OK ? error : lost(status);
    }
    if (error == SPGM_ERROR_MEMORY && !party->is_agreed) {
        party->has_failed = 1;
        if (party->all.fail != NULL) {
            party->all.fail(party->all.context, status == NULL ? "out of memory" : status->message);
        }
    }
    party->is_agreed = 0;
    return error;
}

uint64_t party_word(uint64_t word, const void *data, int64_t bytes) {
    const unsigned char *byte = data;

    word ^= UINT64_C(0xcbf29ce484222325); /* Fowler, Noll and Vo, FNV-1a */
    for (int64_t i = 0; i < bytes; i++) {
        word = (word ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return word;
}
