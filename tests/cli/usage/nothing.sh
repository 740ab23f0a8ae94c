spgm
