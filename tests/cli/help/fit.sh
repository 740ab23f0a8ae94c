# Without the sections that grow with every method and option: help/options looks at those.
spgm fit --help | sed '/^Methods/,/^$/d; /^Options of the/,/^$/d'
