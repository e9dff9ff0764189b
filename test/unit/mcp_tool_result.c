#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"
#include "mcp/tool_result.h"

static const struct revision *revision(const char *name)
{
    const struct revision *modern = revision_modern(name);

    return modern ? modern : revision_legacy(name);
}

/* The result of a program that ended with this exit code, and a store. */
struct fixture {
    struct result result;
    struct result_store store;
    json_t *tool_result;
};

static void set_up(struct fixture *fixture, int exit_code, const char *error)
{
    *fixture = (struct fixture){.result = RESULT_INIT};
    fixture->result.exit_code = exit_code;
    fixture->result.reason = exit_code == EXIT_CODE_NONE ? REASON_ENGINE : REASON_EXIT;
    fixture->result.error = error ? string_copy(error) : NULL;
    result_store_init(&fixture->store, 16 << 20);
}

static void add_text(struct fixture *fixture, int stream, const char *text)
{
    strbuf_addstr(&fixture->result.text[stream], text);
    fixture->result.bytes[stream] += strlen(text);
}

/* Adds this many copies of the byte. */
static void add_bytes(struct fixture *fixture, int stream, char byte, size_t length)
{
    CLEANUP_FREE char *bytes = memory_allocate(length);

    memset(bytes, byte, length);
    strbuf_add(&fixture->result.text[stream], bytes, length);
    fixture->result.bytes[stream] += length;
}

static void make(struct fixture *fixture, const char *name, size_t max_text)
{
    fixture->tool_result =
        tool_result_of_run(&fixture->result, revision(name), max_text, &fixture->store);
    assert_non_null(fixture->tool_result);
    assert_int_equal(fixture->result.text[0].length, 0); /* taken out */
    assert_int_equal(fixture->result.text[1].length, 0);
}

static void tear_down(struct fixture *fixture)
{
    json_decref(fixture->tool_result);
    result_release(&fixture->result);
    result_store_release(&fixture->store);
}

static const char *text_of(const struct fixture *fixture)
{
    return string_at(fixture->tool_result, "content.0.text");
}

static size_t count_char(const char *text, char byte)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == byte;
    return count;
}

static const json_t *structured(const struct fixture *fixture)
{
    return json_object_get(fixture->tool_result, "structuredContent");
}

static bool is_true(const struct fixture *fixture, const char *name)
{
    return json_is_true(json_object_get(structured(fixture), name));
}

static size_t blocks(const struct fixture *fixture)
{
    return json_array_size(json_object_get(fixture->tool_result, "content"));
}

/* ---- the text */

static void check_text(int exit_code, const char *error, const char *out, const char *err,
                       const char *expected)
{
    struct fixture fixture;
    const bool failed = exit_code != 0 || error;

    set_up(&fixture, exit_code, error);
    add_text(&fixture, 0, out);
    add_text(&fixture, 1, err);
    make(&fixture, "2024-11-05", 50000);
    assert_string_equal(text_of(&fixture), expected);
    assert_int_equal(json_is_true(json_object_get(fixture.tool_result, "isError")), failed);
    assert_int_equal(blocks(&fixture), 1);
    tear_down(&fixture);
}

CASE(tool_result__of_success)
{
    check_text(0, NULL, "hello\n", "", "--- stdout ---\nhello\n");
    check_text(0, NULL, "", "oops", "--- stderr ---\noops");
    check_text(0, NULL, "out\n", "err\n", "--- stdout ---\nout\n--- stderr ---\nerr\n");
    check_text(0, NULL, "out", "err", "--- stdout ---\nout\n--- stderr ---\nerr");
}

CASE(tool_result__without_output)
{
    check_text(0, NULL, "", "", "(no output)");
    check_text(3, "exit status 3", "", "",
               "Execution Failed (error): exit status 3\n\n(no output)");
}

CASE(tool_result__of_failure)
{
    check_text(3, "exit status 3", "out\n", "err\n",
               "Execution Failed (error): exit status 3\n\n"
               "--- stdout ---\nout\n--- stderr ---\nerr\n");
    check_text(1, NULL, "", "err",
               "Execution Failed (error): no reason is known\n\n"
               "--- stderr ---\nerr");
    check_text(0, "cannot save the image", "out", "",
               "Execution Failed (error): cannot save the image\n\n--- stdout ---\nout");
}

CASE(tool_result__of_a_program_that_never_ran)
{
    check_text(EXIT_CODE_NONE, "no engine", "", "", "Execution Failed (error): no engine");
}

/* Checks the text of a result with `count` warnings, "warning 0" and so on. */
static void check_warnings(int count, const char *expected)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_text(&fixture, 0, "out");
    for (int i = 0; i < count; i++)
        strvec_pushf(&fixture.result.warnings, "warning %d", i);
    make(&fixture, "2025-11-25", 50000);
    assert_string_equal(text_of(&fixture), expected);
    assert_int_equal(json_array_size(json_object_get(structured(&fixture), "warnings")), count);
    tear_down(&fixture);
}

CASE(tool_result__warnings_are_in_the_text)
{
    check_warnings(1, "--- stdout ---\nout\n--- warnings ---\nwarning 0\n");
    check_warnings(12, "--- stdout ---\nout\n--- warnings ---\n"
                       "warning 0\nwarning 1\nwarning 2\nwarning 3\nwarning 4\nwarning 5\n"
                       "warning 6\nwarning 7\nwarning 8\nwarning 9\nand 2 more\n");
}

/* A client that cuts or hides a longer text still shows what helps. */
CASE_WITH(tool_result__lists_leave_less_room, set_up(fixture, 1, "failed"))
{
    CLEANUP_FREE char *name = string_format("%0100d", 7);

    add_bytes(fixture, 0, 'X', 10000);
    for (int i = 0; i < 5; i++)
        strvec_pushf(&fixture->result.warnings, "warning %0100d", i);
    artifacts_add(&fixture->result.artifacts, string_copy(name), string_copy("1"), 1, false);
    result_add_hint(&fixture->result, string_copy("what helps"));
    make(fixture, "2025-11-25", 2000);
    assert_in_range(strlen(text_of(fixture)), 1700, 2000);
    assert_non_null(strstr(text_of(fixture), "--- warnings ---\nwhat helps\nwarning 0"));
}

/* A hint is cut neither by the number of warnings nor by its length. */
CASE(tool_result__what_helps_comes_first_and_whole)
{
    struct fixture fixture;
    CLEANUP_FREE char *hint = string_format("%0400d", 7);
    CLEANUP_FREE char *expected = string_format("--- warnings ---\n%s\nwarning 0\n", hint);

    set_up(&fixture, 0, NULL);
    for (int i = 0; i < 12; i++)
        strvec_pushf(&fixture.result.warnings, "warning %d", i);
    result_add_hint(&fixture.result, string_copy(hint));
    make(&fixture, "2025-11-25", 50000);
    assert_non_null(strstr(text_of(&fixture), expected));
    assert_non_null(strstr(text_of(&fixture), "warning 9\nand 2 more\n"));
    assert_string_equal(string_at(structured(&fixture), "warnings.0"), hint);
    tear_down(&fixture);
}

CASE(tool_result__long_warnings_are_cut)
{
    struct fixture fixture;
    char warning[1001];

    memset(warning, 'w', sizeof warning - 1);
    warning[1000] = '\0';
    warning[1] = '\n';
    set_up(&fixture, EXIT_CODE_NONE, "no engine");
    fixture.result.container = string_copy("isolator-1");
    strvec_push(&fixture.result.warnings, warning);
    make(&fixture, "2025-11-25", 50000);
    assert_memory_equal(text_of(&fixture),
                        "Execution Failed (error): no engine\n--- warnings ---\nw\\nwww", 59);
    assert_in_range(strlen(text_of(&fixture)), 340, 370);
    tear_down(&fixture);
}

CASE_WITH(tool_result__of_a_timeout, set_up(fixture, 137, "timed out after 5 s"))
{
    fixture->result.reason = REASON_TIMEOUT;
    add_text(fixture, 0, "so far");
    make(fixture, "2025-06-18", 50000);
    assert_string_equal(text_of(fixture), "Execution Failed (timeout): timed out after 5 s\n\n"
                                          "--- stdout ---\nso far");
    assert_string_equal(string_at(structured(fixture), "status"), "timeout");
}

CASE(tool_result__failure_that_ran_nothing)
{
    check_new_json(tool_result_of_failure("it is busy"),
                   "{\"content\":[{\"type\":\"text\",\"text\":\"Execution Failed (error): it is "
                   "busy\"}],\"isError\":true}");
    check_new_json(tool_result_of_failure("cut in a caf\xc3"),
                   "{\"content\":[{\"type\":\"text\",\"text\":\"Execution Failed (error): cut in a "
                   "caf\xef\xbf\xbd\"}],\"isError\":true}");
}

/* ---- sessions */

#define SESSION_ID "0123456789abcdef0123456789abcdef"

/* Adds a session with a cell; `value` is NULL if it has none. */
static void add_cell(struct fixture *fixture, const char *value)
{
    struct session_result *session = memory_allocate(sizeof *session);

    *session = (struct session_result){
        .id = SESSION_ID, .cell = true, .state_kept = true, .has_value = value != NULL};
    if (value)
        strbuf_addstr(&session->value, value);
    fixture->result.session = session;
}

CASE(tool_result__of_a_cell)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_cell(&fixture, "42");
    add_text(&fixture, 0, "out");
    make(&fixture, "2025-06-18", 50000);
    assert_string_equal(text_of(&fixture), "session " SESSION_ID ": variables and files are kept\n"
                                           "--- stdout ---\nout\n--- value ---\n42");
    assert_string_equal(string_at(structured(&fixture), "value"), "42");
    tear_down(&fixture);

    set_up(&fixture, 1, "the cell ended with ValueError: x");
    fixture.result.reason = REASON_EXCEPTION;
    add_cell(&fixture, NULL);
    make(&fixture, "2025-06-18", 50000);
    assert_string_equal(text_of(&fixture),
                        "Execution Failed (error): the cell ended with ValueError: x\n\n"
                        "session " SESSION_ID ": variables and files are kept\n(no output)");
    tear_down(&fixture);
}

/* The line about the session of a result with this exit code. */
static void check_session_line(const char *expected, int exit_code, bool cell, bool state_kept,
                               const char *ended)
{
    CLEANUP_FREE char *line = string_format("session " SESSION_ID "%s\n", expected);
    struct fixture fixture;

    set_up(&fixture, exit_code, exit_code == 0 ? NULL : "why");
    add_text(&fixture, 0, "out");
    add_cell(&fixture, NULL);
    fixture.result.session->cell = cell;
    fixture.result.session->state_kept = state_kept;
    fixture.result.session->ended = ended ? string_copy(ended) : NULL;
    make(&fixture, "2024-11-05", 50000);
    if (!strstr(text_of(&fixture), line))
        fail_msg("'%s' is not in '%s'", line, text_of(&fixture));
    tear_down(&fixture);
}

CASE(tool_result__what_a_session_keeps)
{
    check_session_line(": files are kept", 0, false, false, NULL);
    check_session_line(": variables and files are kept", 0, true, true, NULL);
    check_session_line(": variables are lost; files are kept", 137, true, false, NULL);
    check_session_line(" ended: its container ended", EXIT_CODE_NONE, true, false,
                       "its container ended");
}

/* Checks how many bytes "V" of a value and "X" of stdout a text of at most 1000 bytes has. */
static void check_value_share(size_t value, size_t out, size_t shown_value, size_t shown_out)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_cell(&fixture, "");
    for (size_t i = 0; i < value; i++)
        strbuf_addch(&fixture.result.session->value, 'V');
    add_bytes(&fixture, 0, 'X', out);
    make(&fixture, "2025-06-18", 1000);
    assert_int_equal(count_char(text_of(&fixture), 'V'), shown_value);
    assert_int_equal(count_char(text_of(&fixture), 'X'), shown_out);
    assert_in_range(strlen(text_of(&fixture)), 0, 1000);
    assert_int_equal(count_char(string_at(structured(&fixture), "value"), 'V'), shown_value);
    assert_int_equal(is_true(&fixture, "valueTruncated"), shown_value < value);
    tear_down(&fixture);
}

/* 400 of the 1000 bytes are for headings, the line about the session, and notes. */
CASE(tool_result__a_value_shares_the_room)
{
    check_value_share(300, 0, 300, 0);
    check_value_share(301, 0, 300, 0);
    check_value_share(100, 5000, 100, 500);
    check_value_share(5000, 5000, 300, 300);
}

/* JSON escapes the value in six bytes for each byte, and the message still fits. */
CASE_WITH(tool_result__a_value_of_control_characters, set_up(fixture, 0, NULL))
{
    add_cell(fixture, "");
    for (int i = 0; i < 600000; i++)
        strbuf_addch(&fixture->result.session->value, '\x01');
    make(fixture, "2025-06-18", 4000000);
    assert_in_range(jsonrpc_size(fixture->tool_result), RESULT_MAX / 4, RESULT_MAX);
    assert_true(is_true(fixture, "valueTruncated"));
}

CASE(tool_result__text)
{
    check_new_json(tool_result_of_text("done"),
                   "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"isError\":false}");
}

/* ---- by revision */

static void check_tool_result(const char *name, const char *expected)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_text(&fixture, 0, "out");
    make(&fixture, name, 50000);
    check_json(fixture.tool_result, expected);
    tear_down(&fixture);
}

#define CONTENT "\"content\":[{\"type\":\"text\",\"text\":\"--- stdout ---\\nout\"}]"
#define STRUCTURE                                                                                  \
    "\"structuredContent\":{\"status\":\"success\",\"exitCode\":0,\"stdout\":\"out\","             \
    "\"stderr\":\"\",\"durationMs\":0,\"error\":null,\"reason\":\"exit\","                         \
    "\"signal\":null,\"stdoutBytes\":3,\"stderrBytes\":0,\"stdoutTruncated\":false,"               \
    "\"stderrTruncated\":false,\"peakMemoryBytes\":null,\"artifacts\":[],\"warnings\":[]}"

CASE(tool_result__structured_content_by_revision)
{
    check_tool_result("2024-11-05", "{" CONTENT ",\"isError\":false}");
    check_tool_result("2025-03-26", "{" CONTENT ",\"isError\":false}");
    check_tool_result("2025-06-18", "{" CONTENT "," STRUCTURE ",\"isError\":false}");
    check_tool_result("2025-11-25", "{" CONTENT "," STRUCTURE ",\"isError\":false}");
    check_tool_result("2026-07-28", "{" CONTENT "," STRUCTURE ",\"isError\":false}");
}

/* A row of the table of clients, and "isolator/details", change the features of a revision. */
CASE_WITH(tool_result__details_if_asked_for, set_up(fixture, 0, NULL))
{
    struct revision all = *revision("2025-11-25");

    artifacts_add(&fixture->result.artifacts, string_copy("c"), string_copy("2"), 1, false);
    fixture->result.container = string_copy("isolator-1");
    all.details = true;
    fixture->tool_result = tool_result_of_run(&fixture->result, &all, 1000, &fixture->store);
    assert_string_equal(string_at(structured(fixture), "container"), "isolator-1");
    assert_int_equal(strlen(string_at(structured(fixture), "artifacts.0.sha256")), 64);
    json_decref(fixture->tool_result);
    all.details = false;
    fixture->tool_result = tool_result_of_run(&fixture->result, &all, 1000, &fixture->store);
    assert_null(json_object_get(structured(fixture), "container"));
    assert_string_equal(string_at(structured(fixture), "artifacts.0.sha256"), "(none)");
}

CASE_WITH(tool_result__without_structure, set_up(fixture, 0, NULL))
{
    struct revision part = *revision("2025-11-25");

    part.structured = false;
    artifacts_add(&fixture->result.artifacts, string_copy("c.csv"), string_copy("2"), 1, false);
    fixture->tool_result = tool_result_of_run(&fixture->result, &part, 1000, &fixture->store);
    assert_null(structured(fixture));
    assert_string_equal(string_at(fixture->tool_result, "content.1.type"), "resource");
}

CASE_WITH(tool_result__any_characters, set_up(fixture, 0, NULL))
{
    strbuf_add(&fixture->result.text[0], "a\0\x1b\xc3\xa9", 5);
    make(fixture, "2025-06-18", 50000);
    check_json(json_array_get(json_object_get(fixture->tool_result, "content"), 0),
               "{\"type\":\"text\",\"text\":\"--- stdout ---\\na\\u0000\\u001B\xc3\xa9\"}");
    check_json(json_object_get(structured(fixture), "stdout"), "\"a\\u0000\\u001B\xc3\xa9\"");
}

/* ---- long output */

/* Checks how many bytes "X" of stdout and "Y" of stderr a text of at most 1000 bytes has. */
static void check_shares(size_t out, size_t err, size_t shown_out, size_t shown_err)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_bytes(&fixture, 0, 'X', out);
    add_bytes(&fixture, 1, 'Y', err);
    make(&fixture, "2025-06-18", 1000);
    assert_int_equal(count_char(text_of(&fixture), 'X'), shown_out);
    assert_int_equal(count_char(text_of(&fixture), 'Y'), shown_err);
    assert_in_range(strlen(text_of(&fixture)), 0, 1000);
    assert_int_equal(count_char(string_at(structured(&fixture), "stdout"), 'X'), shown_out);
    assert_int_equal(count_char(string_at(structured(&fixture), "stderr"), 'Y'), shown_err);
    assert_int_equal(is_true(&fixture, "stdoutTruncated"), shown_out < out);
    assert_int_equal(is_true(&fixture, "stderrTruncated"), shown_err < err);
    assert_int_equal(blocks(&fixture), 1 + (shown_out < out) + (shown_err < err));
    tear_down(&fixture);
}

/* 240 of the 1000 bytes are for headings and notes. */
CASE(tool_result__streams_share_the_room)
{
    check_shares(760, 0, 760, 0);
    check_shares(761, 0, 760, 0);
    check_shares(0, 5000, 0, 760);
    check_shares(380, 380, 380, 380);
    check_shares(10000, 100, 660, 100);
    check_shares(100, 10000, 100, 660);
    check_shares(10000, 10000, 380, 380);
    check_shares(381, 10000, 380, 380);
}

/* The note also counts the bytes that the run has omitted. */
CASE_WITH(tool_result__note_counts_all_omitted_bytes, set_up(fixture, 0, NULL))
{
    add_bytes(fixture, 0, 'X', 10000);
    fixture->result.bytes[0] = 50000000;
    make(fixture, "2025-06-18", 1000);
    assert_non_null(
        strstr(text_of(fixture), "X\n[... 49999240 bytes left out; more is at isolator://runs/"));
    check_json(json_object_get(structured(fixture), "stdoutBytes"), "50000000");
}

CASE_WITH(tool_result__shows_a_minimum, set_up(fixture, 0, NULL))
{
    add_bytes(fixture, 0, 'X', 1000);
    make(fixture, "2025-06-18", 0);
    assert_int_equal(count_char(text_of(fixture), 'X'), 256);
}

/* ---- links */

/* Checks one block of the content, and what its link returns. */
static void check_link(struct fixture *fixture, size_t block, int stream, size_t size)
{
    static const char *const names[] = {"stdout", "stderr"};
    const json_t *link = json_array_get(json_object_get(fixture->tool_result, "content"), block);
    const char *uri = string_at(link, "uri");
    CLEANUP_FREE char *expected = string_format(
        "{\"type\":\"resource_link\",\"uri\":\"%s\",\"name\":\"%s\",\"description\":\"More of the "
        "output; kept until newer results need its "
        "room.\",\"mimeType\":\"text/plain\",\"size\":%zu}",
        uri, names[stream], size);
    CLEANUP_FREE char *id = string_format("%.16s", uri + strlen("isolator://runs/"));
    CLEANUP_FREE char *whole = string_format("isolator://runs/%s/%s", id, names[stream]);
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct stored_part part;

    check_json(link, expected);
    assert_string_equal(uri, whole);
    assert_int_equal(result_store_open(&fixture->store, id, names[stream], &part, &error), 0);
    assert_int_equal(part.range.length, size);
    shared_file_release(part.range.file);
}

CASE(tool_result__links_to_omitted_output)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_bytes(&fixture, 0, 'X', 10000);
    add_bytes(&fixture, 1, 'Y', 20000);
    make(&fixture, "2025-06-18", 1000);
    assert_int_equal(blocks(&fixture), 3);
    check_link(&fixture, 1, 0, 10000);
    check_link(&fixture, 2, 1, 20000);
    tear_down(&fixture);

    set_up(&fixture, 0, NULL);
    add_text(&fixture, 0, "short");
    add_bytes(&fixture, 1, 'Y', 20000);
    make(&fixture, "2026-07-28", 1000);
    assert_int_equal(blocks(&fixture), 2);
    check_link(&fixture, 1, 1, 20000);
    tear_down(&fixture);
}

CASE_WITH(tool_result__no_link_if_all_is_shown, set_up(fixture, 0, NULL))
{
    add_text(fixture, 0, "short");
    fixture->result.truncated[0] = true; /* by the run */
    make(fixture, "2025-06-18", 1000);
    assert_int_equal(blocks(fixture), 1);
    assert_true(is_true(fixture, "stdoutTruncated"));
    assert_null(fixture->store.first);
}

static void check_no_link(const char *name)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_bytes(&fixture, 0, 'X', 10000);
    make(&fixture, name, 1000);
    assert_int_equal(blocks(&fixture), 1);
    assert_int_equal(count_char(text_of(&fixture), 'X'), 760);
    assert_non_null(strstr(text_of(&fixture), "; more is at isolator://runs/"));
    assert_non_null(fixture.store.first); /* the text has its URI */
    tear_down(&fixture);
}

CASE(tool_result__no_link_if_the_revision_has_none)
{
    check_no_link("2024-11-05");
    check_no_link("2025-03-26");
}

/* Stored output fits into one message if JSON escapes little of it. */
CASE_WITH(tool_result__stores_a_maximum, set_up(fixture, 0, NULL))
{
    const json_t *link;

    add_bytes(fixture, 0, 'X', 3000000);
    make(fixture, "2025-06-18", 1000);
    link = json_array_get(json_object_get(fixture->tool_result, "content"), 1);
    assert_in_range(json_integer_value(json_object_get(link, "size")), 900000, 900100);
    check_link(fixture, 1, 0, (size_t)json_integer_value(json_object_get(link, "size")));
}

/* ---- artifacts */

/* A later call can copy the example; structured content has a URI for each artifact. */
CASE_WITH(tool_result__artifacts_for_later_calls, set_up(fixture, 0, NULL))
{
    const json_t *artifacts;
    CLEANUP_FREE char *expected = NULL;
    CLEANUP_FREE char *id = NULL;

    artifacts_add(&fixture->result.artifacts, string_copy("a b.csv"), string_copy("1"), 1, false);
    artifacts_add(&fixture->result.artifacts, string_copy("c"), string_copy("2"), 1, false);
    make(fixture, "2025-11-25", 1000);
    artifacts = json_object_get(structured(fixture), "artifacts");
    id = string_format("%.16s",
                       string_at(json_array_get(artifacts, 1), "uri") + strlen("isolator://runs/"));
    expected = string_format(
        "(no output)\n--- artifacts ---\na b.csv (text/csv, 1 bytes)\nc (text/plain, 1 bytes)\n"
        "In a later call: \"additional_files\": [{\"filename\": \"a b.csv\", \"uri\": "
        "\"isolator://runs/%s/files/a%%20b.csv\"}]\n",
        id);
    assert_string_equal(text_of(fixture), expected);
    free(steal_pointer(&expected));
    expected = string_format("isolator://runs/%s/files/a%%20b.csv", id);
    assert_string_equal(string_at(json_array_get(artifacts, 0), "uri"), expected);
}

/* A model's service would refuse the conversation for ever. */
CASE(tool_result__pictures_that_are_broken)
{
    static const char broken[] = "\xff\xd8\xff\xe0 and something else";
    struct fixture fixture;
    char *data = memory_allocate(sizeof broken);

    memcpy(data, broken, sizeof broken);
    set_up(&fixture, 0, NULL);
    artifacts_add(&fixture.result.artifacts, string_copy("a.jpg"), data, sizeof broken - 1, false);
    make(&fixture, "2025-11-25", 1000);
    assert_string_equal(string_at(fixture.tool_result, "content.1.type"), "resource_link");
    assert_string_equal(string_at(fixture.tool_result, "content.1.mimeType"),
                        "application/octet-stream");
    assert_string_equal(string_at(structured(&fixture), "artifacts.0.mimeType"),
                        "application/octet-stream");
    assert_string_equal(string_at(structured(&fixture), "warnings.0"),
                        "the picture 'a.jpg' is returned as a file: the JPEG is not complete");
    assert_non_null(strstr(text_of(&fixture), "--- warnings ---\nthe picture 'a.jpg' is "));
    tear_down(&fixture);
}

/* Such a name and its URI would take too much room. */
CASE(tool_result__artifacts_with_long_names)
{
    struct fixture fixture;
    CLEANUP_FREE char *name = memory_allocate(202);

    memset(name, 'x', 201);
    name[201] = '\0';
    set_up(&fixture, 0, NULL);
    artifacts_add(&fixture.result.artifacts, string_copy(name), string_copy("1"), 1, false);
    make(&fixture, "2025-11-25", 1000);
    assert_null(strstr(text_of(&fixture), "later call"));
    assert_string_equal(string_at(structured(&fixture), "artifacts.0.uri"), "(none)");
    tear_down(&fixture);
}

/* ---- the size of a message */

static void check_fits(const char *name, char byte, size_t max_text, size_t min)
{
    struct fixture fixture;

    set_up(&fixture, 0, NULL);
    add_bytes(&fixture, 0, byte, 1000000);
    add_bytes(&fixture, 1, byte, 1000000);
    make(&fixture, name, max_text);
    assert_in_range(jsonrpc_size(fixture.tool_result), min, MESSAGE_MAX - 40000);
    assert_non_null(strstr(text_of(&fixture), " bytes left out; more is at isolator://runs/"));
    tear_down(&fixture);
}

/* JSON needs six bytes for each byte, and twice that with structured content. */
CASE(tool_result__fits_into_a_message_when_escaped)
{
    check_fits("2024-11-05", '\x01', 450000, 300000);
    check_fits("2025-06-18", '\x01', 450000, 300000);
    check_fits("2026-07-28", '"', 450000, 300000);
    check_fits("2025-11-25", 'X', 450000, 900000);
    check_fits("2025-11-25", 'X', 50000, 99000);
}
