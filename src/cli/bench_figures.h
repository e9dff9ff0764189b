/*
 * The figures of `isolator bench`: its rows, what README says of each, and the table, the JSON and
 * the picture of all. Knows nothing of how they are measured.
 */
#ifndef CLI_BENCH_FIGURES_H
#define CLI_BENCH_FIGURES_H

#include <jansson.h>
#include <stddef.h>

#include "base/strbuf.h"

enum bench_row {
    BENCH_DOCKER, /* the plain docker command */
    BENCH_COLD,
    BENCH_WARM,
    BENCH_CELL,
    BENCH_BATCH,
    BENCH_TESTS,
    BENCH_ROWS
};

struct bench_figures {
    int rounds;
    int parallel;            /* programs at a time of BENCH_BATCH */
    double here[BENCH_ROWS]; /* medians, in the unit of the row; negative: not measured */
    char *notes[BENCH_ROWS]; /* owned; why a row could not be measured; NULL: it could */
};

/* What is measured: "a program, a container waits". */
const char *bench_title(enum bench_row row);

/* The middle one of `count` values, which it sorts; of an even number, the higher one. */
double bench_median(double *values, size_t count);

/* Adds the table for people, with the conditions and the notes below it. */
void bench_add_table(struct strbuf *text, const struct bench_figures *figures);

/* The object that isolator-bench(1) describes; a new reference. */
json_t *bench_to_json(const struct bench_figures *figures);

/* The picture, with a bar for each figure and for README's; owned by the caller. */
char *bench_figures_picture(const struct bench_figures *figures);

void bench_figures_release(struct bench_figures *figures);

#endif
