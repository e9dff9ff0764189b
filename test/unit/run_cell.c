#include "test.h"

#include "base/base64.h"
#include "base/linux.h"
#include "json.h"
#include "run/cell.h"

#define SESSION "00112233445566778899aabbccddeeff"

static void set_up(struct plan *plan)
{
    *plan = (struct plan)PLAN_INIT;
    memcpy(plan->session.id, SESSION, sizeof SESSION);
    strvec_push(&plan->session_command, "python3");
    plan->max_artifacts = 3;
    plan->max_artifact_bytes = 1000;
}

static void set_code(struct plan *plan, const char *code)
{
    free(plan->input.code);
    plan->input.code = string_copy(code);
    plan->input.code_length = strlen(code);
}

/* ---- the cell */

static void check_cell(const struct plan *plan, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(cell_write(plan, 7, false, &cell, &error), 0);
    assert_no_error(&error);
    assert_string_equal(strbuf_string(&cell), expected);
}

static void check_refused(struct plan *plan, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(cell_write(plan, 7, false, &cell, &error), -1);
    assert_error(&error, ERROR_INPUT, expected);
    plan_release(plan);
}

/* The variables of the language are the interpreter's; those of the request come with the cell. */
CASE(cell__write)
{
    CLEANUP(plan_release) struct plan plan;

    set_up(&plan);
    set_code(&plan, "print(\"\xc3\xa9\")\n");
    strvec_push_each(&plan.arguments, "a b", "", NULL);
    strvec_push_each(&plan.public_environment, "HOME=/tmp", "LANG=C", NULL);
    strvec_push_each(&plan.environment, "HOME=/tmp", "LANG=de", "A=1=2", "B=", NULL);
    check_cell(&plan, "{\"number\":7,\"code\":\"print(\\\"\xc3\xa9\\\")\\n\","
                      "\"arguments\":[\"a b\",\"\"],"
                      "\"environment\":{\"LANG\":\"de\",\"A\":\"1=2\",\"B\":\"\"},"
                      "\"value_max\":65536,\"figures_max\":1000}");
    plan.max_artifact_bytes = 100 << 20;
    strvec_release(&plan.environment);
    strvec_release(&plan.arguments);
    plan.environment = plan.arguments = (struct strvec)STRVEC_INIT;
    check_cell(&plan, "{\"number\":7,\"code\":\"print(\\\"\xc3\xa9\\\")\\n\",\"arguments\":[],"
                      "\"environment\":{},\"value_max\":65536,\"figures_max\":8388608}");
}

CASE(cell__processes_that_go_on)
{
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    CLEANUP(plan_release) struct plan plan;
    struct error error = ERROR_INIT;

    set_up(&plan);
    set_code(&plan, "");
    assert_int_equal(cell_write(&plan, 7, true, &cell, &error), 0);
    assert_string_equal(strbuf_string(&cell),
                        "{\"number\":7,\"code\":\"\",\"arguments\":[],\"environment\":{},"
                        "\"value_max\":65536,\"figures_max\":1000,\"keeps_processes\":true}");
}

CASE(cell__place_and_names)
{
    CLEANUP(plan_release) struct plan plan;

    set_up(&plan);
    set_code(&plan, "");
    plan.session.line = 3;
    plan.session.names = true;
    plan.source_name = string_copy("n b.py");
    check_cell(&plan, "{\"number\":7,\"code\":\"\",\"arguments\":[],\"environment\":{},"
                      "\"value_max\":65536,\"figures_max\":1000,\"file\":\"n b.py\",\"line\":3,"
                      "\"names_max\":32768}");
    plan.source_name[0] = '\xff';
    plan.session.names = false;
    check_cell(&plan, "{\"number\":7,\"code\":\"\",\"arguments\":[],\"environment\":{},"
                      "\"value_max\":65536,\"figures_max\":1000}");
}

CASE(cell__code_of_a_file)
{
    CLEANUP(plan_release) struct plan plan;

    set_up(&plan);
    plan.input.file = linux_unnamed_file_of("x\0y", 3);
    check_cell(&plan, "{\"number\":7,\"code\":\"x\\u0000y\",\"arguments\":[],\"environment\":{},"
                      "\"value_max\":65536,\"figures_max\":1000}");
    assert_int_equal(ftruncate(plan.input.file, (64 << 20) + 1), 0);
    check_refused(&plan, "the code of a session has at most 64 MiB");
}

CASE(cell__what_is_no_text)
{
    struct plan plan;

    set_up(&plan);
    set_code(&plan, "\xff");
    check_refused(&plan, "the code is not valid UTF-8, which a session needs");
    set_up(&plan);
    set_code(&plan, "");
    strvec_push(&plan.arguments, "\xc3");
    check_refused(&plan, "an argument is not valid UTF-8, which a session needs");
    set_up(&plan);
    set_code(&plan, "");
    strvec_push(&plan.environment, "A=\xed\xa0\x80");
    check_refused(&plan, "an environment variable is not valid UTF-8, which a session needs");
}

/* ---- the report */

/* Reads the report of a cell that isolator has ended for this reason, or of one that has ended. */
static struct result read_report(enum reason reason, const char *text, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_INIT;
    CLEANUP(plan_release) struct plan plan;
    struct result result = RESULT_INIT;
    size_t last_figure = 0;

    set_up(&plan);
    strbuf_add(&report, text, length);
    result.reason = reason;
    result.exit_code = reason == REASON_EXIT ? 0 : 130;
    if (reason != REASON_EXIT)
        result.error = string_copy("ended");
    result_add_session(&result, SESSION)->cell = true;
    cell_read_report(&report, &plan, &last_figure, &result);
    return result;
}

/* Checks "REASON EXIT-CODE ERROR" of a cell with this report. */
static void check_end(const char *report, const char *expected)
{
    struct result result = read_report(REASON_EXIT, report, strlen(report));
    CLEANUP_FREE char *got = string_format("%s %d %s", result_reason(&result), result.exit_code,
                                           result.error ? result.error : "-");

    assert_string_equal(got, expected);
    result_release(&result);
}

CASE(cell__ends)
{
    check_end("{}", "exit 0 -");
    check_end("{\"value\": null}", "exit 0 -");
    check_end("{\"exit\": 0}", "exit 0 -");
    check_end("{\"exit\": 3}", "exit 3 the cell exited with status 3");
    check_end("{\"exit\": -1}", "exit 255 the cell exited with status 255");
    check_end("{\"exit\": 9223372036854775807}", "exit 255 the cell exited with status 255");
    check_end("{\"exit\": \"3\"}", "exit 0 -");
    check_end("{\"exception\": {\"name\": \"ValueError\", \"message\": \"bad\\n\\u001b[1m\"}}",
              "exception 1 the cell ended with ValueError: bad\\n\\x1b[1m");
    check_end("{\"exception\": {\"name\": \"E\", \"message\": \"\"}, \"exit\": 3}",
              "exception 1 the cell ended with E");
    check_end("{\"exception\": {\"name\": 1}}", "exception 1 the cell ended with an exception");
    check_end("{\"exception\": \"E\"}", "exit 0 -");
    check_end("{\"interrupted\": true}", "exception 1 the cell was interrupted");
    check_end("{\"interrupted\": 1}", "exit 0 -");
}

#define NO_REPORT                                                                                  \
    "exception 1 the interpreter did not report how the cell ended; did the code change the "      \
    "interpreter itself?"

CASE(cell__what_is_no_report)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    check_end("", NO_REPORT);
    check_end("[]", NO_REPORT);
    check_end("null", NO_REPORT);
    check_end("{\"value\": \"", NO_REPORT);
    check_end("{\"value\": \"\xff\"}", NO_REPORT);
    strbuf_addstr(&many, "{\"a\": [0");
    for (int i = 0; i < 10000; i++)
        strbuf_addstr(&many, ",0");
    strbuf_addstr(&many, "]}");
    check_end(strbuf_string(&many), NO_REPORT);
}

/* What isolator has done to the cell stands, whatever it reports. */
CASE(cell__report_of_one_that_was_ended)
{
    static const char report[] = "{\"exit\": 0, \"exception\": {}, \"value\": \"1\"}";
    struct result result = read_report(REASON_TIMEOUT, report, sizeof report - 1);

    assert_int_equal(result.reason, REASON_TIMEOUT);
    assert_int_equal(result.exit_code, 130);
    assert_string_equal(result.error, "ended");
    assert_string_equal(strbuf_string(&result.session->value), "1");
    result_release(&result);
    result = read_report(REASON_TIMEOUT, "", 0);
    assert_string_equal(result.error, "ended");
    result_release(&result);
}

static void check_value(const char *report, const char *value, size_t length, bool cut)
{
    struct result result = read_report(REASON_EXIT, report, strlen(report));

    assert_int_equal(result.session->has_value, value != NULL);
    assert_int_equal(result.session->value.length, length);
    assert_memory_equal(strbuf_string(&result.session->value), value ? value : "", length);
    assert_int_equal(result.session->value_cut, cut);
    result_release(&result);
}

CASE(cell__values)
{
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_INIT, value = STRBUF_INIT;

    check_value("{\"value\": \"a\\u0000\\u00e9\"}", "a\0\xc3\xa9", 4, false);
    check_value("{\"value\": \"\"}", "", 0, false);
    check_value("{\"value\": \"a\", \"value_cut\": true}", "a", 1, true);
    check_value("{\"value\": null}", NULL, 0, false);
    check_value("{\"value\": 1}", NULL, 0, false);
    for (int i = 0; i < CELL_VALUE_MAX - 1; i++)
        strbuf_addch(&value, 'v');
    strbuf_addf(&report, "{\"value\": \"%s\xc3\xa9\"}", value.data);
    check_value(strbuf_string(&report), value.data, value.length, true);
}

/* ---- figures */

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

/* Adds a figure of this many bytes. */
static void add_figure(struct strbuf *figures, size_t length)
{
    CLEANUP_FREE char *bytes = calloc(1, length + sizeof PNG);
    CLEANUP_FREE char *encoded = NULL;

    memcpy(bytes, PNG, sizeof PNG - 1);
    encoded = base64_encode(bytes, length);
    strbuf_addf(figures, "%s{\"type\": \"image/png\", \"data\": \"%s\"}",
                figures->length > 0 ? "," : "", encoded);
}

/* Checks "NAME BYTES;" of each artifact, and the warnings, for figures and the rest of a report. */
static void check_figures(const struct strbuf *figures, const char *more, const char *expected,
                          const char *missing)
{
    CLEANUP_FREE char *report =
        string_format("{\"figures\": [%s]%s}", strbuf_string(figures), more);
    struct result result = read_report(REASON_EXIT, report, strlen(report));
    CLEANUP_FREE char *warnings = strvec_join(&result.artifacts.missing, ";");
    CLEANUP(strbuf_release) struct strbuf got = STRBUF_INIT;

    for (size_t i = 0; i < result.artifacts.count; i++)
        strbuf_addf(&got, "%s %zu %s;", result.artifacts.items[i].name,
                    result.artifacts.items[i].length, result.artifacts.items[i].mime_type);
    assert_string_equal(strbuf_string(&got), expected);
    assert_string_equal(warnings, missing);
    result_release(&result);
}

CASE(cell__figures)
{
    CLEANUP(strbuf_release) struct strbuf figures = STRBUF_INIT;

    check_figures(&figures, "", "", "");
    add_figure(&figures, 600);
    add_figure(&figures, 20);
    check_figures(&figures, "", "figure-1.png 600 image/png;figure-2.png 20 image/png;", "");
    check_figures(&figures, ",\"figures_omitted\": 2",
                  "figure-1.png 600 image/png;figure-2.png 20 image/png;",
                  "2 more figures are omitted: they exceed the limit maxArtifacts or "
                  "maxArtifactBytes");
    add_figure(&figures, 500); /* more than 1000 bytes in all */
    add_figure(&figures, 30);
    check_figures(&figures, ",\"figures_omitted\": 9223372036854775807",
                  "figure-1.png 600 image/png;figure-2.png 20 image/png;figure-4.png 30 image/png;",
                  "the artifact 'figure-3.png' is omitted: it exceeds the limit "
                  "maxArtifactBytes;1000000 more figures are omitted: they exceed the limit "
                  "maxArtifacts or maxArtifactBytes");
}

CASE(cell__too_many_figures)
{
    CLEANUP(strbuf_release) struct strbuf figures = STRBUF_INIT;

    for (int i = 0; i < 6; i++)
        add_figure(&figures, 20);
    check_figures(&figures, ",\"figures_omitted\": -1",
                  "figure-1.png 20 image/png;figure-2.png 20 image/png;figure-3.png 20 image/png;",
                  "the artifact 'figure-4.png' is omitted: there are more than the limit "
                  "maxArtifacts;2 more figures are omitted: they exceed the limit maxArtifacts or "
                  "maxArtifactBytes");
}

CASE(cell__what_is_no_figure)
{
    CLEANUP(strbuf_release) struct strbuf figures = STRBUF_INIT;

    strbuf_addstr(&figures, "{\"data\": \"R0lGODlhAQABAAAAACw=\"}, 1, {\"data\": \"-\"}");
    check_figures(&figures, "", "",
                  "the artifact 'figure-1.png' is omitted: it is not a PNG image;"
                  "the artifact 'figure-2.png' is omitted: it is not a PNG image;"
                  "the artifact 'figure-3.png' is omitted: it is not a PNG image");
}

/* A file that the program has left may have the name. */
CASE(cell__figure_beside_a_file)
{
    CLEANUP(strbuf_release) struct strbuf figures = STRBUF_INIT, report = STRBUF_INIT;
    CLEANUP(plan_release) struct plan plan;
    struct result result = RESULT_INIT;
    size_t last_figure = 0;

    set_up(&plan);
    add_figure(&figures, 20);
    strbuf_addf(&report, "{\"figures\": [%s]}", strbuf_string(&figures));
    result_add_session(&result, SESSION);
    artifacts_add(&result.artifacts, string_copy("figure-1.png"), string_copy("own"), 3, false);
    artifacts_add(&result.artifacts, string_copy("z"), string_copy("z"), 1, false);
    cell_read_report(&report, &plan, &last_figure, &result);
    assert_int_equal(last_figure, 2);
    assert_int_equal(result.artifacts.count, 3);
    assert_string_equal(result.artifacts.items[0].data, "own");
    assert_string_equal(result.artifacts.items[1].name, "figure-2.png");
    result_release(&result);
}

/* The next cell of the session does not use the name again. */
CASE(cell__figures_of_two_cells)
{
    CLEANUP(strbuf_release) struct strbuf figures = STRBUF_INIT, report = STRBUF_INIT;
    CLEANUP(plan_release) struct plan plan;
    size_t last_figure = 0;

    set_up(&plan);
    add_figure(&figures, 20);
    strbuf_addf(&report, "{\"figures\": [%s]}", strbuf_string(&figures));
    for (int i = 0; i < 2; i++) {
        struct result result = RESULT_INIT;

        result_add_session(&result, SESSION);
        cell_read_report(&report, &plan, &last_figure, &result);
        assert_int_equal(result.artifacts.count, 1);
        assert_string_equal(result.artifacts.items[0].name, i ? "figure-2.png" : "figure-1.png");
        result_release(&result);
    }
}
