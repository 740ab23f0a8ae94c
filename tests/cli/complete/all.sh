# Every flag that a command's help names is offered by every shell; zsh and fish read their files where they are here.
for shell in bash zsh fish; do spgm --completion $shell >$shell; done
for command in $(spgm --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\)  .*/\1/p'); do
    for flag in $(spgm $command --help | sed -n '/^Options/,/^Exit/s/^  \(-[a-z], \)*--\(\[no-\]\)*\([a-z-]*\).*/\3/p'); do
        grep -q -- "--$flag " bash && grep -q -- "'--$flag\[" zsh && grep -q -- "from $command' -l $flag " fish || echo "$command --$flag is not offered"
    done
done
bash -n bash
if command -v zsh >/dev/null; then zsh -n zsh; fi
if command -v fish >/dev/null; then fish -n fish; fi
refused --completion csh
refused --completion
