/*
 * What the file problem.yaml of a problem package says that isolator test --problem applies: the
 * problem package format of Kattis and ICPC, in its versions legacy (and legacy-icpc, a subset),
 * 2023-07, also as a draft, and 2025-09. All
 * keys about something else, such as the name and the license, are ignored. Knows no files.
 */
#ifndef CLI_PROBLEM_SETTINGS_H
#define CLI_PROBLEM_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

struct problem_settings {
    bool is_legacy; /* the version of the format */
    bool is_scoring, is_interactive;
    bool has_validator;      /* legacy: `validation` is custom; otherwise a directory says that */
    bool gives_no_score;     /* legacy: it does not say "custom score" */
    char *validator_flags;   /* owned; legacy; "" if there are none */
    struct strvec constants; /* owned, see base/constants.h; those of 2025-09 */
    /* Numbers that are not given are NAN. Seconds, and MB. */
    double time_limit, memory, output, validation_time, validation_memory;
    /* Always given; see cli/problem/time_limit.h. */
    double time_multiplier, time_safety_margin, time_resolution;
};

/*
 * Fills in settings that are empty; `document` is what yaml_text_parse() has made of the file. The
 * caller releases them in any case. ERROR_INPUT that names the key: a value is wrong, or the
 * package is one that isolator cannot judge.
 */
int problem_settings_read(struct problem_settings *settings, const json_t *document,
                          struct error *error);

void problem_settings_release(struct problem_settings *settings);

#endif
