#include "cli/grade/case_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "request/case_request.h"

typedef int key_reader(struct case_settings *settings, const json_t *value, struct error *error);

static int must_be(struct error *error, const char *what)
{
    return error_set(error, ERROR_INPUT, "must be %s", what);
}

/* ---- arguments */

static int read_arguments(struct case_settings *settings, const json_t *value, struct error *error)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return must_be(error, "a sequence of strings");
    strvec_release(&settings->arguments);
    settings->has_own_arguments = true;
    json_array_foreach(value, i, item) {
        const char *text = json_string_value(item);

        if (!text)
            return must_be(error, "a sequence of strings");
        strvec_push(&settings->arguments, text);
    }
    return 0;
}

/* ---- how outputs are compared */

static const struct comparison_names comparison_names = {
    .mode = "compare",
    .tolerance = "float_tolerance",
    .absolute = "float_absolute_tolerance",
    .relative = "float_relative_tolerance",
};

/* The tolerance that a word sets; NULL: it is none of these words. */
static double *tolerance_of(struct comparison_rule *rule, const char *word)
{
    if (strcmp(word, comparison_names.tolerance) == 0)
        return &rule->tolerance;
    if (strcmp(word, comparison_names.absolute) == 0)
        return &rule->absolute;
    return strcmp(word, comparison_names.relative) == 0 ? &rule->relative : NULL;
}

static int read_tolerance(struct comparison_rule *rule, const char *word, const char *number,
                          struct error *error)
{
    double *tolerance = tolerance_of(rule, word);

    if (*tolerance >= 0)
        return error_set(error, ERROR_INPUT, "%s is there twice", word);
    rule->mode = COMPARE_FLOAT;
    if (number && decimal_read(number, strlen(number), tolerance) && *tolerance >= 0)
        return 0;
    return error_set(error, ERROR_INPUT, "a number from 0 must follow %s", word);
}

/* The arguments of a validator, or of the default one (format 2025-09, "Output validator"). */
static int read_validator_words(struct case_settings *settings, const struct strvec *words,
                                struct error *error)
{
    struct comparison_rule rule = COMPARISON_RULE_INIT;

    if (settings->has_validator) {
        strvec_release(&settings->validator_arguments);
        strvec_push_all(&settings->validator_arguments, words);
        return 0;
    }
    rule.mode = COMPARE_TOKENS;
    rule.ignore_case = true;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        if (strcmp(word, "case_sensitive") == 0) {
            rule.ignore_case = false;
        } else if (strcmp(word, "space_change_sensitive") == 0) {
            rule.exact_space = true;
        } else if (tolerance_of(&rule, word)) {
            const char *number = ++i < words->count ? words->items[i] : NULL;

            if (read_tolerance(&rule, word, number, error) != 0)
                return -1;
        } else {
            CLEANUP_FREE char *shown = text_escape_short(word, TEXT_SHOWN_MAX);

            return error_set(error, ERROR_INPUT, "'%s' is no argument of the default validator",
                             shown);
        }
    }
    if (comparison_rule_complete(&rule, &comparison_names, error) != 0) {
        error->kind = ERROR_INPUT;
        return -1;
    }
    settings->comparison = rule;
    settings->has_comparison = true;
    return 0;
}

static int read_validator(struct case_settings *settings, const json_t *value, struct error *error)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return must_be(error, "a sequence of strings");
    json_array_foreach(value, i, item) {
        if (!json_is_string(item))
            return must_be(error, "a sequence of strings");
        strvec_push(&words, json_string_value(item));
    }
    return read_validator_words(settings, &words, error);
}

int case_settings_set_flags(struct case_settings *settings, const char *flags, struct error *error)
{
    CLEANUP(strvec_release) struct strvec words = STRVEC_INIT;

    for (size_t length; *flags; flags += length) {
        flags += strspn(flags, " \t\n");
        length = strcspn(flags, " \t\n");
        if (length > 0)
            strvec_pushf(&words, "%.*s", (int)length, flags);
    }
    return read_validator_words(settings, &words, error);
}

/* In the legacy format it is one text. */
static int read_validator_flags(struct case_settings *settings, const json_t *value,
                                struct error *error)
{
    const char *text = json_is_null(value) ? "" : json_string_value(value);

    if (json_is_object(value)) /* the flags of one of several */
        return must_be(error, "a string, since isolator runs only one output validator");
    return text ? case_settings_set_flags(settings, text, error) : must_be(error, "a string");
}

/* ---- limits */

static int read_timeout(struct case_settings *settings, const json_t *value, struct error *error)
{
    return yaml_text_number(value, 0.001, 1e9, &settings->timeout_seconds)
               ? 0
               : must_be(error, "a number of seconds greater than 0");
}

static int read_cpu_seconds(struct case_settings *settings, const json_t *value,
                            struct error *error)
{
    return yaml_text_number(value, 0.001, 1e9, &settings->cpu_seconds)
               ? 0
               : must_be(error, "a number of seconds greater than 0");
}

static int read_max_output(struct case_settings *settings, const json_t *value, struct error *error)
{
    double bytes;

    if (!yaml_text_number(value, 1, TEST_MAX_OUTPUT_BYTES, &bytes) || bytes != (int)bytes)
        return must_be(error, "a whole number from 1 to 67108864");
    settings->max_output_bytes = (int)bytes;
    return 0;
}

/* ---- keys */

struct key {
    const char *name;
    key_reader *read; /* NULL: it is ignored */
};

#define EVERY_TEST                                                                                 \
    {"args", read_arguments}, {"output_validator_args", read_validator}, {"limits", read_limits},  \
        {"input_validator_args", NULL}, {"input_visualizer_args", NULL},                           \
        {"output_visualizer_args", NULL},                                                          \
    {                                                                                              \
        "full_feedback", NULL                                                                      \
    }

static int read_limits(struct case_settings *settings, const json_t *value, struct error *error);

static const struct key of_limits[] = {{"timeout_seconds", read_timeout},
                                       {"cpu_seconds", read_cpu_seconds},
                                       {"max_output_bytes", read_max_output},
                                       {NULL, NULL}};
static const struct key of_test[] = {
    EVERY_TEST, {"hint", NULL}, {"description", NULL}, {NULL, NULL}};
static const struct key of_group[] = {EVERY_TEST,
                                      {"max_score", NULL},
                                      {"score_aggregation", NULL},
                                      {"require_pass", NULL},
                                      {"static_validation_score", NULL},
                                      {"static_validator_args", NULL},
                                      {NULL, NULL}};
static const struct key of_legacy_group[] = {{"output_validator_flags", read_validator_flags},
                                             {"limits", read_limits},
                                             {"input_validator_flags", NULL},
                                             {"on_reject", NULL},
                                             {"grading", NULL},
                                             {"grader_flags", NULL},
                                             {"accept_score", NULL},
                                             {"reject_score", NULL},
                                             {"range", NULL},
                                             {NULL, NULL}};

static int refuse_key(const char *name, const struct key *keys, struct error *error)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *known = NULL;

    for (const struct key *key = keys; key->name; key++)
        strvec_push(&names, key->name);
    known = strvec_join(&names, ", ");
    return error_set(error, ERROR_INPUT, "there is no key '%s'; known are: %s", shown, known);
}

static int read_keys(struct case_settings *settings, const struct key *keys, const json_t *mapping,
                     struct error *error)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)mapping, name, value) {
        const struct key *key = keys;

        while (key->name && strcmp(key->name, name) != 0)
            key++;
        if (!key->name)
            return refuse_key(name, keys, error);
        if (key->read && key->read(settings, value, error) != 0)
            return error_prefix(error, "%s", name);
    }
    return 0;
}

static int read_limits(struct case_settings *settings, const json_t *value, struct error *error)
{
    return json_is_object(value) ? read_keys(settings, of_limits, value, error)
                                 : must_be(error, "a mapping");
}

int case_settings_read(struct case_settings *settings, enum case_settings_kind kind,
                       const json_t *document, struct error *error)
{
    static const struct key *const keys[] = {[TEST_SETTINGS_TEST] = of_test,
                                             [TEST_SETTINGS_GROUP] = of_group,
                                             [TEST_SETTINGS_LEGACY_GROUP] = of_legacy_group};

    settings->has_own_arguments = false;
    if (json_is_null(document)) /* the file is empty */
        return 0;
    return json_is_object(document) ? read_keys(settings, keys[kind], document, error)
                                    : error_set(error, ERROR_INPUT, "it is not a mapping");
}

void case_settings_copy(struct case_settings *settings, const struct case_settings *from)
{
    *settings = *from;
    settings->arguments = (struct strvec)STRVEC_INIT;
    strvec_push_all(&settings->arguments, &from->arguments);
    settings->validator_arguments = (struct strvec)STRVEC_INIT;
    strvec_push_all(&settings->validator_arguments, &from->validator_arguments);
}

void case_settings_release(struct case_settings *settings)
{
    strvec_release(&settings->arguments);
    strvec_release(&settings->validator_arguments);
}
