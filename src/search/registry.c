#include "search/registry.h"

#include <string.h>

#include "method/admm_iht/admm_iht.h"
#include "method/cvx_l1/cvx_l1.h"
#include "method/diht/diht.h"
#include "method/ncvx_lp/ncvx_lp.h"
#include "method/omp/omp.h"
#include "method/pdm/pdm.h"
#include "method/polish/method_polish.h"
#include "method/psgd/psgd.h"
#include "method/spgm_bcd/spgm_bcd.h"
#include "method/spgm_iht/spgm_iht.h"
#include "search/auto.h"
#include "search/exact.h"

static const struct method *const methods[] = {
    &method_auto, &method_exact, &method_spgm_bcd, &method_spgm_iht, &method_psgd, &method_admm_iht,
    &method_diht, &method_pdm,   &method_cvx_l1,   &method_ncvx_lp,  &method_omp,  &method_polish,
};

const struct method *method_at(int64_t index) {
    int64_t count = (int64_t)(sizeof methods / sizeof methods[0]);

    return index >= 0 && index < count ? methods[index] : NULL;
}

const struct method *method_find(const char *name) {
    for (int64_t i = 0; method_at(i) != NULL; i++) {
        if (strcmp(name, methods[i]->name) == 0) {
            return methods[i];
        }
    }
    return NULL;
}
