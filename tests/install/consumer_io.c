/* A program of somebody else that reads a file, fits, keeps the model and predicts:  consumer_io FOLDER */
#include <math.h>
#include <spgm/io.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 2 };

static char path[2][4096];

static int write_data(void) {
    FILE *file = fopen(path[0], "w");
    if (!file)
        return 1;
    fputs("a,b,y\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d,%d,%d\n", i * i % 5, i, i == 6 ? 500 : 3 * i); /* y = 3 b, and an outlier */
    return fclose(file);
}

static spgm_error fit(const spgm_data *data, spgm_model **model, spgm_status *status) {
    spgm_matrix A = spgm_data_matrix(data);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_error error = spgm_problem_new(&A, spgm_data_target(data), NULL, &problem, status);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, 1, NULL, &solver, status);
    if (error == SPGM_OK)
        error = spgm_solver_run(solver, status);
    if (error == SPGM_OK)
        error = spgm_model_new(solver, data, model, status);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    return error;
}

int main(int count, char **arguments) {
    spgm_data *data = NULL;
    spgm_model *model = NULL, *again = NULL;
    spgm_status status;
    double x[COLUMNS] = {NAN, NAN}, prediction[ROWS] = {0};
    if (count != 2)
        return 2;
    snprintf(path[0], sizeof path[0], "%s/data.csv", arguments[1]);
    snprintf(path[1], sizeof path[1], "%s/model.json", arguments[1]);
    if (write_data() || spgm_data_read(path[0], NULL, &data, &status) != SPGM_OK ||
        fit(data, &model, &status) != SPGM_OK || spgm_model_write(model, path[1], &status) != SPGM_OK ||
        spgm_model_read(path[1], &again, &status) != SPGM_OK ||
        spgm_model_predict(again, data, prediction, &status) != SPGM_OK) {
        fprintf(stderr, "consumer_io: %s\n", status.message);
        return 1;
    }
    spgm_model_get_x(again, x, NULL);
    int right = strcmp(spgm_data_column_name(data, 1), "b") == 0 && x[0] == 0 && fabs(x[1] - 3) < 1e-6;
    for (int i = 0; i < ROWS; i++)
        right = right && fabs(prediction[i] - 3 * i) < 1e-6;
    printf("x = (%g, %g), prediction of row 6: %g\n", x[0], x[1], prediction[6]);
    spgm_model_free(again);
    spgm_model_free(model);
    spgm_data_free(data);
    return right ? 0 : 1;
}
