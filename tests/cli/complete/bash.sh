# What bash offers, word by word.
command -v bash >/dev/null || skip "bash is not here"
spgm --completion bash >completion
: >data.csv
cat >try <<'END'
. ./completion
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _spgm
    echo "${*:1:$#}: ${COMPREPLY[*]}"
}
try spgm c
try spgm fit --loss q
try spgm fit --missing ''
try spgm fit --no-i
try spgm cv --rule ''
try spgm fit --output d
try spgm predict --js
try spgm info da
try spgm help pre
try spgm fit --sparsity ''
END
bash try
