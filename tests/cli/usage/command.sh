refused fitt
refused predcit
refused frobnicate
refused help fti
refused --sparsity 3 fit
