# What a newcomer sees.
spgm --help
