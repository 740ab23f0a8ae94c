spgm info --help
