spgm check --help
