/*
 * What a file NAME.yaml says of a test, and test_group.yaml or testdata.yaml of the tests in its
 * directory and below: the keys of the Kattis problem package format (2025-09, "Test case
 * configuration" and "Test data configuration"; legacy, "Test Data Groups"), and `limits`:
 *
 *     args: [-v, "10"]
 *     output_validator_args: [float_tolerance, "1e-6"]
 *     limits: {timeout_seconds: 2, cpu_seconds: 1, max_output_bytes: 1000000}
 *
 * Keys of the format that say nothing of how a program is run and compared are allowed and ignored;
 * cli/grade/case_scores.h reads those of scores.
 */
#ifndef CLI_CASE_SETTINGS_H
#define CLI_CASE_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "compare/compare_mode.h"

struct case_settings {
    struct strvec arguments;
    struct comparison_rule comparison; /* complete; of the default validator of the format */
    bool has_comparison;
    /* Set by the caller: the tests have a validator of their own, which gets the arguments. */
    bool has_validator;
    struct strvec validator_arguments;
    bool has_own_arguments;              /* the file that was read last has some */
    double timeout_seconds, cpu_seconds; /* 0: not given, like the next one */
    int max_output_bytes;
};

#define CASE_SETTINGS_INIT                                                                         \
    {                                                                                              \
        .arguments = STRVEC_INIT, .has_comparison = false                                          \
    }

/* Which file it is. */
enum case_settings_kind { TEST_SETTINGS_TEST, TEST_SETTINGS_GROUP, TEST_SETTINGS_LEGACY_GROUP };

/*
 * Puts what a file says over the settings, which are initialized; `document` is what
 * yaml_text_parse() has made of it. ERROR_INPUT if that is not a mapping, has an unknown key, or a
 * value that is wrong.
 */
int case_settings_read(struct case_settings *settings, enum case_settings_kind kind,
                       const json_t *document, struct error *error);

/*
 * The same for the words of output_validator_flags. For the default validator they say how outputs
 * are compared, also if there are none.
 */
int case_settings_set_flags(struct case_settings *settings, const char *flags, struct error *error);

/* Copies all of `from`. */
void case_settings_copy(struct case_settings *settings, const struct case_settings *from);

void case_settings_release(struct case_settings *settings);

#endif
