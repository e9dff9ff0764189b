/*
 * A picture of figures that are compared: SVG with two bars for each group, the longer of which has
 * the full length. test/fixtures/draw.c draws README's with it. Knows nothing of what is measured.
 */
#ifndef CLI_BENCH_PICTURE_H
#define CLI_BENCH_PICTURE_H

#include <stddef.h>

struct bench_bar {
    const char *label; /* NULL: there is no bar */
    double value;      /* negative: not measured */
};

struct bench_group {
    const char *title, *unit;
    struct bench_bar bars[2];
};

/* Owned by the caller. `foot` is a line below the groups; NULL: none. */
char *bench_picture(const char *heading, const struct bench_group *groups, size_t count,
                    const char *foot);

/* "207", or "1.4" if it is below 10; "-" if it is negative; owned by the caller. */
char *bench_number(double value);

#endif
