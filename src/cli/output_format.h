/*
 * How a command prints results: the options --json and --format. Without them results are text at a
 * terminal, and JSON elsewhere.
 */
#ifndef CLI_OUTPUT_FORMAT_H
#define CLI_OUTPUT_FORMAT_H

#include <stdbool.h>

#include "base/error.h"

enum output_format { OUTPUT_FORMAT_AUTO, OUTPUT_FORMAT_JSON, OUTPUT_FORMAT_TEXT };

/* The texts of the options. `text` says what the text of a result is, as a sentence without "is".
 */
#define OUTPUT_FORMAT_JSON_OPTION                                                                  \
    {                                                                                              \
        0, "--json", NULL, "print the result as JSON, also at a terminal", NULL,                   \
            "Print results as JSON, also at a terminal."                                           \
    }
#define OUTPUT_FORMAT_OPTION(text)                                                                 \
    {                                                                                              \
        0, "--format", "FORMAT", "json or text (text at a terminal, else json)", NULL,             \
            "How a result is printed. *json* is one JSON object, also at a terminal, like "        \
            "--json. *text* is " text " The default is *text* if standard output is a terminal."   \
    }
#define OUTPUT_FORMAT_CHOICES "json text"

/* An option_apply (config/options.h) for --format, whose place is an enum output_format. */
int output_format_take(void *place, const char *value, struct error *error);

/* ERROR_USAGE if --json (`json`) and --format contradict each other. */
int output_format_check(enum output_format format, bool json, struct error *error);

/* Whether results are printed as text. */
bool output_format_is_text(enum output_format format, bool json);

#endif
