#include "cli/bench_figures.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "base/text.h"
#include "cli/bench_picture.h"
#include "cli/table.h"

#define NO_REFERENCE (-1)

/* README has the same figures in the table of "Speed"; test/e2e/documents.t compares them. */
static const struct {
    const char *name, *title, *unit;
    double reference;
} rows[BENCH_ROWS] = {
    [BENCH_DOCKER] = {"docker-run", "docker run --rm of the same program", "ms", NO_REFERENCE},
    [BENCH_COLD] = {"cold", "a program, no container waits", "ms", 185},
    [BENCH_WARM] = {"warm", "a program, a container waits", "ms", 5.1},
    [BENCH_CELL] = {"cell", "a cell of a session", "ms", 1.4},
    [BENCH_BATCH] = {"batch", "programs of a batch", "per second", 7.9},
    [BENCH_TESTS] = {"tests", "tests of a C program, built once", "per second", 192},
};

static const char MACHINE[] = "two idle cores, Docker 20.10, Debian 12";

const char *bench_title(enum bench_row row)
{
    return rows[row].title;
}

/* The machine of README's figures, and how these here were measured: one line, owned. */
static char *bench_conditions(const struct bench_figures *figures)
{
    CLEANUP_FREE char *rounds = figures->rounds == 1
                                    ? string_copy("one round")
                                    : string_format("medians of %d rounds", figures->rounds);

    return string_format("README: %s. Here: %s, the batch runs %d at a time.", MACHINE, rounds,
                         figures->parallel);
}

static int compare_values(const void *one, const void *other)
{
    const double left = *(const double *)one, right = *(const double *)other;

    return (left > right) - (left < right);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
    return values[count / 2];
}

/* A cell with a figure, whose number is of 5 columns unless it is huge. */
static char *figure_cell(enum bench_row row, double value)
{
    CLEANUP_FREE char *number = bench_number(value);

    return value < 0 ? string_format("%5s", number)
                     : string_format("%5s %s", number, rows[row].unit);
}

void bench_add_table(struct strbuf *text, const struct bench_figures *figures)
{
    enum { COLUMNS = 3 };
    CLEANUP(strvec_release) struct strvec cells = STRVEC_INIT;
    CLEANUP_FREE char *conditions = bench_conditions(figures);

    strvec_push_each(&cells, "MEASUREMENT", " HERE", "README", NULL);
    for (int row = 0; row < BENCH_ROWS; row++) {
        strvec_push(&cells, rows[row].title);
        strvec_push_owned(&cells, figure_cell(row, figures->here[row]));
        strvec_push_owned(&cells, figure_cell(row, rows[row].reference));
    }
    table_add(text, &cells, COLUMNS);
    strbuf_addf(text, "%s\n", conditions);
    for (int row = 0; row < BENCH_ROWS; row++) {
        CLEANUP_FREE char *note = figures->notes[row] ? text_escape(figures->notes[row]) : NULL;

        if (note)
            strbuf_addf(text, "%s: %s\n", rows[row].title, note);
    }
}

/* A number; null if it is negative. */
static json_t *number_to_json(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

json_t *bench_to_json(const struct bench_figures *figures)
{
    json_t *measurements = json_array();

    for (int row = 0; row < BENCH_ROWS; row++)
        json_array_append_new(measurements,
                              json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", rows[row].name,
                                        "title", rows[row].title, "unit", rows[row].unit, "here",
                                        number_to_json(figures->here[row]), "readme",
                                        number_to_json(rows[row].reference), "note",
                                        json_make_text(figures->notes[row])));
    return json_pack("{s:i, s:i, s:s, s:o}", "rounds", figures->rounds, "jobs", figures->parallel,
                     "readmeMachine", MACHINE, "measurements", measurements);
}

char *bench_figures_picture(const struct bench_figures *figures)
{
    CLEANUP_FREE char *conditions = bench_conditions(figures);
    struct bench_group groups[BENCH_ROWS];

    for (int row = 0; row < BENCH_ROWS; row++)
        groups[row] = (struct bench_group){
            rows[row].title,
            rows[row].unit,
            {{"here", figures->here[row]},
             {rows[row].reference < 0 ? NULL : "README", rows[row].reference}}};
    return bench_picture("Speed of isolator: this engine and README", groups, BENCH_ROWS,
                         conditions);
}

void bench_figures_release(struct bench_figures *figures)
{
    for (int row = 0; row < BENCH_ROWS; row++)
        free(figures->notes[row]);
}
