/*
 * How `isolator bench` measures: one program, the same in each row, on the user's engine and with
 * the user's configuration. signals_cancel() ends every measurement.
 */
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "base/error.h"
#include "cli/bench_figures.h"
#include "config/config.h"
#include "service/service.h"

struct bench {
    const struct config *config; /* borrowed */
    struct service service;
    int parallel; /* programs of the batch at a time */
    char *image;  /* owned; the one that bench_try() has found for Python */
};

/* See service_open(). */
int bench_open(struct bench *bench, const struct config *config, struct error *error);

/*
 * Runs the program once, before the first measurement: finds its image, and fails if it cannot run
 * here. ERROR_IMAGE names the command that fetches the image.
 */
int bench_try(struct bench *bench, struct error *error);

/*
 * Measures the row once: `figure` in the unit of the row. ERROR_IMAGE, ERROR_INPUT or ERROR_USAGE
 * if the engine lacks the image of this row or the configuration has no such thing.
 */
int bench_measure(struct bench *bench, enum bench_row row, double *figure, struct error *error);

/* Waits until all containers are removed. */
void bench_close(struct bench *bench);

#endif
