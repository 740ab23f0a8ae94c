spgm predict --help
