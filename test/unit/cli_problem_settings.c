#include "test.h"

#include <math.h>

#include "base/yaml_text.h"
#include "cli/problem/problem_settings.h"

static int read_text(struct problem_settings *settings, const char *text, struct error *error)
{
    json_t *document = yaml_text_parse(text, strlen(text), error);
    int result;

    assert_no_error(error);
    result = problem_settings_read(settings, document, error);
    json_decref(document);
    return result;
}

/* Expects the version, types, validator and flags, and then the limits. */
static void check(const char *text, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(problem_settings_release) struct problem_settings settings = {0};
    CLEANUP_FREE char *got = NULL;

    read_text(&settings, text, &error);
    assert_no_error(&error);
    got = string_format("%s%s%s%s%s '%s' %g %g %g %g %g", settings.is_legacy ? "legacy" : "new",
                        settings.is_scoring ? " scoring" : "",
                        settings.is_interactive ? " interactive" : "",
                        settings.has_validator ? " custom" : "",
                        settings.has_validator && !settings.gives_no_score ? " score" : "",
                        settings.validator_flags, settings.time_limit, settings.memory,
                        settings.output, settings.validation_time, settings.validation_memory);
    assert_string_equal(got, expected);
}

static void check_refused(const char *text, const char *message)
{
    CLEANUP(problem_settings_release) struct problem_settings settings = {0};
    struct error error = ERROR_INIT;

    assert_int_equal(read_text(&settings, text, &error), -1);
    assert_error(&error, ERROR_INPUT, message);
}

CASE(problem_settings__versions_and_types)
{
    check("", "legacy '' nan nan nan nan nan");
    check("problem_format_version: legacy\ntype: scoring\nname: x\n",
          "legacy scoring '' nan nan nan nan nan");
    check("problem_format_version: 2025-09\ntype: [scoring, interactive]\n",
          "new scoring interactive '' nan nan nan nan nan");
    check("problem_format_version: legacy-icpc\n", "legacy '' nan nan nan nan nan");
    check("problem_format_version: 2023-07\n", "new '' nan nan nan nan nan");
    check("problem_format_version: 2023-07-draft\ntype: pass-fail\n", "new '' nan nan nan nan nan");
}

CASE(problem_settings__validation)
{
    check("validation: default\nvalidator_flags: float_tolerance 1e-4\n",
          "legacy 'float_tolerance 1e-4' nan nan nan nan nan");
    check("validation: custom\n", "legacy custom '' nan nan nan nan nan");
    check("validation: custom  interactive score\n",
          "legacy interactive custom score '' nan nan nan nan nan");
    check("problem_format_version: 2025-09\nvalidation: custom\n", "new '' nan nan nan nan nan");
}

CASE(problem_settings__limits)
{
    check("problem_format_version: 2025-09\nlimits: {time_limit: 1.5, memory: 512, output: 8, "
          "validation_time: 60, validation_memory: 1024}\n",
          "new '' 1.5 512 8 60 1024");
    check("limits: {time_limit: 1.5, time_multiplier: 5, memory: ~}\n",
          "legacy '' 1.5 nan nan nan nan");
}

/* Expects the multiplier, the safety margin and the resolution. */
static void check_timing(const char *text, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(problem_settings_release) struct problem_settings settings = {0};
    CLEANUP_FREE char *got = NULL;

    read_text(&settings, text, &error);
    assert_no_error(&error);
    got = string_format("%g %g %g", settings.time_multiplier, settings.time_safety_margin,
                        settings.time_resolution);
    assert_string_equal(got, expected);
}

CASE(problem_settings__timing)
{
    const char *const given = "limits: {time_multiplier: 3, time_safety_margin: 1, "
                              "time_multipliers: {ac_to_time_limit: 4, time_limit_to_tle: 1.25}, "
                              "time_resolution: 0.1}\n";
    CLEANUP_FREE char *later = string_format("problem_format_version: 2025-09\n%s", given);

    check_timing("", "5 2 1");
    check_timing(given, "3 1 1");
    check_timing("problem_format_version: 2025-09\n", "2 1.5 1");
    check_timing(later, "4 1.25 0.1");
}

/* Expects the names and texts. */
static void check_constants(const char *text, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(problem_settings_release) struct problem_settings settings = {0};
    CLEANUP_FREE char *got = NULL;

    read_text(&settings, text, &error);
    assert_no_error(&error);
    got = strvec_join(&settings.constants, " ");
    assert_string_equal(got, expected);
}

CASE(problem_settings__constants)
{
    check_constants("problem_format_version: 2025-09\nconstants: {a: 1, b_2: {value: x, tex: y}}\n",
                    "a 1 a.value 1 b_2 x b_2.value x b_2.tex y");
    check_constants("problem_format_version: 2025-09\nconstants: ~\n", "");
    check_constants("constants: {a: 1}\n", "");
}

CASE(problem_settings__refused_constants)
{
    static const char *const message = "constants: must be a mapping of names to texts, numbers, "
                                       "or mappings with a value";

    check_refused("problem_format_version: 2025-09\nconstants: {a b: 1}\n", message);
    check_refused("problem_format_version: 2025-09\nconstants: {'': 1}\n", message);
    check_refused("problem_format_version: 2025-09\nconstants: {a: {tex: 1}}\n", message);
}

CASE(problem_settings__refused)
{
    check_refused("[]", "it is not a mapping");
    check_refused("problem_format_version: 2030-01\n",
                  "problem_format_version: '2030-01' is no version that isolator reads; these are "
                  "legacy, legacy-icpc, 2023-07, 2023-07-draft and 2025-09");
    check_refused("problem_format_version: [x]\n", "problem_format_version: must be a string");
    check_refused("type: multi-pass\n", "type: isolator cannot judge a multi-pass problem");
    check_refused("type: [scoring, submit-answer]\n",
                  "type: isolator cannot judge a submit-answer problem");
    check_refused("type: game\n", "type: 'game' is not one of pass-fail, scoring and interactive");
    check_refused("type: [scoring, game]\n",
                  "type: 'game' is not one of pass-fail, scoring and interactive");
    check_refused("type: [[a]]\n", "type: must be a string or a sequence of strings");
    check_refused("validation: customs\n",
                  "validation: must be default, or custom, perhaps followed by interactive and "
                  "score");
    check_refused("validation: latest\n",
                  "validation: must be default, or custom, perhaps followed by interactive and "
                  "score");
    check_refused("validation: custom interactive multi-pass\n",
                  "validation: isolator cannot judge a multi-pass problem");
    check_refused("type: scoring\ngrading: {on_reject: grade}\n",
                  "grading: isolator reads on_reject from data/testdata.yaml alone");
    check_refused("type: scoring\ngrading: {accept_score: 5, objective: max}\n",
                  "grading: isolator reads accept_score from data/testdata.yaml alone");
    check_refused("validation: custom fast\n",
                  "validation: must be default, or custom, perhaps followed by interactive and "
                  "score");
    check_refused("validator_flags: [a]\n", "validator_flags: must be a string");
    check_refused("type: scoring\ngrading: {objective: min}\n",
                  "grading: objective: isolator cannot grade for the smallest score");
    check_refused("limits: 5\n", "limits: must be a mapping");
    check_refused("limits: {time_multiplier: 0.5}\n",
                  "limits: time_multiplier: must be a number of at least 1");
    check_refused("problem_format_version: 2025-09\n"
                  "limits: {time_multipliers: {time_limit_to_tle: x}}\n",
                  "limits: time_limit_to_tle: must be a number greater than 0");
    check_refused("problem_format_version: 2025-09\nlimits: {time_resolution: 0}\n",
                  "limits: time_resolution: must be a number greater than 0");
    check_refused("limits: {memory: 1.5}\n",
                  "limits: memory: must be a whole number from 1 to 1e9");
    check_refused("limits: {output: [1]}\n",
                  "limits: output: must be a whole number from 1 to 1e9");
    check_refused("problem_format_version: 2025-09\nlimits: {time_limit: 0}\n",
                  "limits: time_limit: must be a number greater than 0");
    check_refused("problem_format_version: 2025-09\nlimits: {time_limit: 1e10}\n",
                  "limits: time_limit: must be a number greater than 0");
}
