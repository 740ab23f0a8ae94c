spgm paper --help
