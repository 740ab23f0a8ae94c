# All the ways to ask for help give the same text.
spgm --help >a && spgm -h >b && spgm help >c && cmp a b && cmp a c
spgm fit --help >a && spgm help fit >b && spgm fit data.csv -h >c && spgm --help fit >d && cmp a b && cmp a c && cmp a d
