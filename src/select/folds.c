#include "select/folds.h"

#include <string.h>

#include "base/random.h"

/* The stream of the seed that draws folds; another one draws starts. */
enum { FOLD_STREAM = 0x666f6c64 };

static void shuffle(struct random *random, int64_t count, int64_t *list) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = random_below(random, i + 1);
        int64_t kept = list[i];

        list[i] = list[other];
        list[other] = kept;
    }
}

/* 1 for the label `upper`, 2 without weight, else 0. */
static int class_of(const double *labels, double upper, const double *weights, int64_t i) {
    return weights != NULL && weights[i] == 0 ? 2 : labels != NULL && labels[i] == upper;
}

void folds_draw(int64_t rows, const double *labels, double upper, const double *weights, int64_t folds, uint64_t seed,
                int64_t repeat, int64_t *fold_of_row, int64_t *work) {
    struct random random;
    int64_t dealt = 0;

    random_seed(&random, seed, FOLD_STREAM + (uint64_t)repeat);
    for (int class = 0; class < 3; class ++) {
        int64_t count = 0;

        for (int64_t i = 0; i < rows; i++) {
            if (class_of(labels, upper, weights, i) == class) {
                work[count++] = i;
            }
        }
        shuffle(&random, count, work);
        for (int64_t i = 0; i < count; i++) { /* a class continues in the fold after the last one, so that sizes stay
                                                 even */
            fold_of_row[work[i]] = dealt++ % folds;
        }
    }
}
