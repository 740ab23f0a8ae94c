/* Planted fault: a conversion that loses digits without saying so. */
int main(int count, char **arguments) {
    (void)arguments;
    double third = count / 3.0;
    float rounded = third;
    return rounded > 10;
}
