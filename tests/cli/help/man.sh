# The man page has every flag of every command and passes the checkers that are here.
spgm --man 2026-01-01 >spgm.1
head -n 3 spgm.1
tr -d '\\' <spgm.1 >plain
for command in fit predict compare gen paper info; do
    spgm $command --help | sed -n 's/^  \(-., \)*\(--[][a-z0-9-]*\).*/\2/p' | while read -r flag; do
        grep -qF -e "$flag" plain || echo "$flag of $command is not in the man page"
    done
done
if command -v groff >/dev/null; then groff -man -ww -z -Tutf8 spgm.1; fi
if command -v mandoc >/dev/null; then mandoc -Tlint -Wwarning spgm.1; fi
