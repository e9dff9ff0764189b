/*
 * The picture of `isolator bench`: SVG with two bars for each row, the figure of this engine and
 * README's, the longer of which has the full length. test/bench.mjs draws README's own picture in
 * the same way.
 */
#ifndef CLI_BENCH_PICTURE_H
#define CLI_BENCH_PICTURE_H

#include "cli/bench_figures.h"

/* Owned by the caller. */
char *bench_picture(const struct bench_figures *figures);

/* Adds a text with the characters escaped that have a meaning in XML. */
void bench_add_xml(struct strbuf *out, const char *text);

#endif
