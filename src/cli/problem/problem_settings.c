#include "cli/problem/problem_settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/yaml_text.h"

/* The largest limit of a file: more seconds than a year has. */
#define LIMIT_MAX 1e9

/* Of the name of a constant. */
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static int must_be(const char *key, const char *what, struct error *error)
{
    return error_set(error, ERROR_INPUT, "%s: must be %s", key, what);
}

/* Reads a text; `*text` stays if the key is not there or has no value. */
static int read_text(const json_t *document, const char *key, const char **text,
                     struct error *error)
{
    const json_t *value = json_object_get(document, key);

    if (!value || json_is_null(value))
        return 0;
    *text = json_string_value(value);
    return *text ? 0 : must_be(key, "a string", error);
}

/* ---- keys */

static int read_version(struct problem_settings *settings, const json_t *document,
                        struct error *error)
{
    const char *version = "legacy";
    CLEANUP_FREE char *shown = NULL;

    if (read_text(document, "problem_format_version", &version, error) != 0)
        return -1;
    /* "legacy-icpc" is a subset of "legacy" (its text in problem-package-format, of 2025-12) */
    settings->is_legacy = strcmp(version, "legacy") == 0 || strcmp(version, "legacy-icpc") == 0;
    if (settings->is_legacy || strcmp(version, "2023-07-draft") == 0 ||
        strcmp(version, "2023-07") == 0 || strcmp(version, "2025-09") == 0)
        return 0;
    shown = text_escape_short(version, TEXT_SHOWN_MAX);
    return error_set(error, ERROR_INPUT,
                     "problem_format_version: '%s' is no version that isolator reads; these are "
                     "legacy, legacy-icpc, 2023-07, 2023-07-draft and 2025-09",
                     shown);
}

static int refuse_kind(const char *key, const char *kind, struct error *error)
{
    return error_set(error, ERROR_INPUT, "%s: isolator cannot judge a %s problem", key, kind);
}

static int add_type(struct problem_settings *settings, const json_t *value, struct error *error)
{
    const char *type = json_string_value(value);
    CLEANUP_FREE char *shown = text_escape_short(type ? type : "", TEXT_SHOWN_MAX);

    if (!type)
        return must_be("type", "a string or a sequence of strings", error);
    if (strcmp(type, "multi-pass") == 0 || strcmp(type, "submit-answer") == 0)
        return refuse_kind("type", type, error);
    if (strcmp(type, "pass-fail") == 0)
        return 0;
    if (strcmp(type, "scoring") == 0 || strcmp(type, "interactive") == 0) {
        *(*type == 's' ? &settings->is_scoring : &settings->is_interactive) = true;
        return 0;
    }
    return error_set(error, ERROR_INPUT,
                     "type: '%s' is not one of pass-fail, scoring and interactive", shown);
}

static int read_type(struct problem_settings *settings, const json_t *document, struct error *error)
{
    const json_t *value = json_object_get(document, "type");
    size_t i;
    json_t *item;

    if (!value)
        return 0;
    if (!json_is_array(value))
        return add_type(settings, value, error);
    json_array_foreach(value, i, item)
        if (add_type(settings, item, error) != 0)
            return -1;
    return 0;
}

/* "custom interactive score"; DOMjudge and BAPCtools also write "multi-pass". */
static int read_validation(struct problem_settings *settings, const json_t *document,
                           struct error *error)
{
    const char *text = "default", *flags = "";
    const char *rest;

    if (!settings->is_legacy)
        return 0;
    if (read_text(document, "validation", &text, error) != 0 ||
        read_text(document, "validator_flags", &flags, error) != 0)
        return -1;
    settings->validator_flags = string_copy(flags);
    settings->gives_no_score = true;
    rest = text + strcspn(text, " ");
    settings->has_validator = strncmp(text, "custom", 6) == 0 && rest == text + 6;
    if (!settings->has_validator && strcmp(text, "default") != 0)
        return must_be("validation",
                       "default, or custom, perhaps followed by interactive and score", error);
    while (*rest) {
        const size_t spaces = strspn(rest, " "), length = strcspn(rest + spaces, " ");

        rest += spaces;
        if (length == 11 && strncmp(rest, "interactive", length) == 0)
            settings->is_interactive = true;
        else if (length == 10 && strncmp(rest, "multi-pass", length) == 0)
            return refuse_kind("validation", "multi-pass", error);
        else if (length == 5 && strncmp(rest, "score", length) == 0)
            settings->gives_no_score = false;
        else if (length > 0)
            return must_be("validation",
                           "default, or custom, perhaps followed by interactive and score", error);
        rest += length;
    }
    return 0;
}

/*
 * Isolator takes the larger of two scores to be the better one. The other keys are older than the
 * format: problemtools 1.20260620 reads them as those of data/testdata.yaml (verifyproblem.py).
 */
static int check_grading(const struct problem_settings *settings, const json_t *document,
                         struct error *error)
{
    static const char *const of_groups[] = {"accept_score", "reject_score", "on_reject"};
    const json_t *grading = json_object_get(document, "grading");
    const char *objective = json_string_value(json_object_get(grading, "objective"));

    for (size_t i = 0; settings->is_legacy && settings->is_scoring && i < 3; i++)
        if (json_object_get(grading, of_groups[i]))
            return error_set(error, ERROR_INPUT,
                             "grading: isolator reads %s from data/testdata.yaml alone",
                             of_groups[i]);
    return settings->is_scoring && objective && strcmp(objective, "min") == 0
               ? error_set(error, ERROR_INPUT,
                           "grading: objective: isolator cannot grade for the smallest score")
               : 0;
}

static int read_limit(const json_t *limits, const char *key, bool is_whole, double *number,
                      struct error *error)
{
    const json_t *value = json_object_get(limits, key);

    if (!value || json_is_null(value))
        return 0;
    if (yaml_text_number(value, 0, LIMIT_MAX, number) && *number > 0 &&
        (!is_whole || *number == floor(*number)))
        return 0;
    must_be(key, is_whole ? "a whole number from 1 to 1e9" : "a number greater than 0", error);
    return error_prefix(error, "limits");
}

static int read_multiplier(const json_t *limits, const char *key, double *number,
                           struct error *error)
{
    if (read_limit(limits, key, false, number, error) != 0)
        return -1;
    if (*number >= 1)
        return 0;
    must_be(key, "a number of at least 1", error);
    return error_prefix(error, "limits");
}

/* What a time limit is computed by (cli/problem/time_limit.h). */
static int read_timing(struct problem_settings *settings, const json_t *limits, struct error *error)
{
    const bool is_legacy = settings->is_legacy;
    const json_t *multipliers = is_legacy ? limits : json_object_get(limits, "time_multipliers");

    settings->time_multiplier = is_legacy ? 5 : 2;
    settings->time_safety_margin = is_legacy ? 2 : 1.5;
    settings->time_resolution = 1;
    return read_multiplier(multipliers, is_legacy ? "time_multiplier" : "ac_to_time_limit",
                           &settings->time_multiplier, error) == 0 &&
                   read_multiplier(multipliers,
                                   is_legacy ? "time_safety_margin" : "time_limit_to_tle",
                                   &settings->time_safety_margin, error) == 0 &&
                   (is_legacy || read_limit(limits, "time_resolution", false,
                                            &settings->time_resolution, error) == 0)
               ? 0
               : -1;
}

static int read_limits(struct problem_settings *settings, const json_t *document,
                       struct error *error)
{
    const json_t *limits = json_object_get(document, "limits");

    if (limits && !json_is_null(limits) && !json_is_object(limits))
        return must_be("limits", "a mapping", error);
    if (read_timing(settings, limits, error) != 0)
        return -1;
    if (read_limit(limits, "time_limit", false, &settings->time_limit, error) != 0)
        return -1;
    return read_limit(limits, "memory", true, &settings->memory, error) == 0 &&
                   read_limit(limits, "output", true, &settings->output, error) == 0 &&
                   read_limit(limits, "validation_time", true, &settings->validation_time, error) ==
                       0 &&
                   read_limit(limits, "validation_memory", true, &settings->validation_memory,
                              error) == 0
               ? 0
               : -1;
}

/* A scalar, or a mapping with a value and variants (format 2025-09, "Constants"). */
static int read_constant(struct strvec *constants, const char *name, const json_t *value,
                         struct error *error)
{
    const char *key,
        *text = json_string_value(json_is_object(value) ? json_object_get(value, "value") : value);
    json_t *variant;

    if (strspn(name, NAME_LETTERS) != strlen(name) || !*name || !text)
        return error_set(error, ERROR_INPUT,
                         "constants: must be a mapping of names to texts, "
                         "numbers, or mappings with a value");
    strvec_push_each(constants, name, text, NULL);
    if (!json_is_object(value)) {
        strvec_pushf(constants, "%s.value", name);
        strvec_push(constants, text);
    }
    json_object_foreach((json_t *)value, key, variant) {
        if (!json_is_string(variant))
            return error_set(error, ERROR_INPUT, "constants: %s: the variants must be texts", name);
        strvec_pushf(constants, "%s.%s", name, key);
        strvec_push(constants, json_string_value(variant));
    }
    return 0;
}

static int read_constants(struct problem_settings *settings, const json_t *document,
                          struct error *error)
{
    const json_t *constants = settings->is_legacy ? NULL : json_object_get(document, "constants");
    const char *name;
    json_t *value;

    if (constants && !json_is_null(constants) && !json_is_object(constants))
        return must_be("constants", "a mapping", error);
    json_object_foreach((json_t *)constants, name, value)
        if (read_constant(&settings->constants, name, value, error) != 0)
            return -1;
    return 0;
}

int problem_settings_read(struct problem_settings *settings, const json_t *document,
                          struct error *error)
{
    *settings = (struct problem_settings){.time_limit = NAN,
                                          .memory = NAN,
                                          .output = NAN,
                                          .validation_time = NAN,
                                          .validation_memory = NAN};
    if (!json_is_object(document) && !json_is_null(document))
        return error_set(error, ERROR_INPUT, "it is not a mapping");
    if (read_version(settings, document, error) != 0 || read_type(settings, document, error) != 0 ||
        read_validation(settings, document, error) != 0 ||
        check_grading(settings, document, error) != 0 ||
        read_constants(settings, document, error) != 0)
        return -1;
    if (!settings->validator_flags)
        settings->validator_flags = string_copy("");
    return read_limits(settings, document, error);
}

void problem_settings_release(struct problem_settings *settings)
{
    strvec_release(&settings->constants);
    free(settings->validator_flags);
    settings->validator_flags = NULL;
}
