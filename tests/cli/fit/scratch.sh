# Workspace beside a large mapped file is in files of TMPDIR, without names. Where that cannot be, it is said, unless
# --quiet, and the model is the same. The file is a hole: 2^25 zeros of 4 bytes, which take no room.
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 32), }" >A.npy
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1048576,), }" >b.npy
truncate -s $((128 + 4 * 33554432)) A.npy
truncate -s $((128 + 8 * 1048576)) b.npy
mkdir room
fit() {
    spgm fit A.npy --target b.npy --sparsity 3 --threads 1 --reproducible --output - "$@"
}
TMPDIR=room fit >files.json 2>said
grep -v "in memory, where room is" said >&2 # here this folder may be kept in memory
TMPDIR=nowhere fit >memory.json
for quiet in $(share quiet ""); do
    TMPDIR=nowhere fit --$quiet >$quiet.json
    cmp files.json $quiet.json
done
(
    ulimit -f 64
    TMPDIR=room fit >full.json 2>said
    grep "had no room" said >&2
)
cmp files.json memory.json
cmp files.json full.json
ls room
# A target in the middle of the file, where 5 % of it are all the memory there is: nothing is moved.
mkdir wide
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 33), }" >wide/A.npy
truncate -s $((128 + 4 * 34603008)) wide/A.npy
(
    cd wide
    # A sanitizer, or a program that runs this one, needs more than that to begin with.
    if ! grep -q "__[at]san_init" "$SPGM" && (ulimit -d 6758 && "$SPGM" --version >said 2>&1); then
        ulimit -d 6758
    fi
    TMPDIR=../room spgm fit A.npy --target 17 --sparsity 3 --threads 1 --reproducible --output ../wide.json --quiet
)
cmp files.json wide.json
