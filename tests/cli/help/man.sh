# The man page has every flag of every command and passes the checkers that are here.
spgm --man 2026-01-01 >spgm.1
head -n 3 spgm.1
tr -d '\\' <spgm.1 >plain
spgm --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\)  .*/\1/p' >commands
for command in $(cat commands); do
    spgm $command --help | sed -n 's/^  \(-., \)*\(--[][a-z0-9-]*\).*/\2/p' >flags
    [ -s flags ] || echo "$command has no flags"
    while read -r flag; do
        grep -qF -e "$flag" plain || echo "$flag of $command is not in the man page"
    done <flags
done
[ "$(wc -l <commands)" -ge 8 ] || echo "only $(wc -l <commands) commands were found in the help"
if command -v groff >/dev/null; then groff -man -ww -z -Tutf8 spgm.1; fi
if command -v mandoc >/dev/null; then mandoc -Tlint -Wwarning spgm.1; fi
