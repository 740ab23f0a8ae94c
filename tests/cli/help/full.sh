# Help that cannot be written is no success.
spgm --help >/dev/full
