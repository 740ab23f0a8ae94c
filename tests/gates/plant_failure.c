/* Planted fault: a test that fails. */
int main(void) {
    return 1;
}
