# The whole text.
spgm cv --help | sed "/^Problem/,/^Options of this command/d; /^Options of the problem/,/^Exit status/d"
