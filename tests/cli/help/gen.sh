spgm gen --help
