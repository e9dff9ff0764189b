#include "json.h"

#include "request/tool_arguments.h"

/* A directory with snippets, and the request that the arguments are read into. */
struct fixture {
    char *directory;
    enum tool_caller caller;
    struct config config;
    struct request request;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create()};
    set_up_config(&fixture->config, "{\"maximums\": {\"timeoutSeconds\": 90}}");
    fixture->config.prompts_dir = string_copy(fixture->directory);
    write_in(fixture->directory, "hello.sh", "echo hello\n");
    request_init(&fixture->request);
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    request_release(&fixture->request);
    config_release(&fixture->config);
    temp_remove(fixture->directory);
}

static int read_text(struct fixture *fixture, const char *text)
{
    json_t *arguments = json_of(text);
    const int result = tool_arguments_read(arguments, fixture->caller, &fixture->config, NULL,
                                           &fixture->request, &fixture->error);

    json_decref(arguments);
    return result;
}

/* Reads the arguments of a small program with these further members (", ..." or ""). */
static void read_good(struct fixture *fixture, const char *members)
{
    CLEANUP_FREE char *text =
        string_format("{\"language\": \"py\", \"entrypoint_code\": \"print(1)\"%s}", members);
    const int result = read_text(fixture, text);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

/* Reads arguments, which must fail with this message for the model. */
static void check_refused(const char *text, const char *message)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, text), -1);
    if (fixture.error.kind != ERROR_USAGE && fixture.error.kind != ERROR_INPUT)
        fail_msg("an error of kind %d", fixture.error.kind);
    assert_error(&fixture.error, fixture.error.kind, message);
    tear_down(&fixture);
}

/* Likewise for a small program with these further members. */
static void check_wrong(const char *members, const char *message)
{
    CLEANUP_FREE char *text =
        string_format("{\"language\": \"py\", \"entrypoint_code\": \"print(1)\", %s}", members);

    check_refused(text, message);
}

static void check_joined(const struct strvec *strings, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(strings, "|");

    assert_string_equal(joined, expected);
}

/* ---- which program */

CASE_WITH(tool_arguments__language_and_code, set_up(fixture))
{
    read_good(fixture, "");
    assert_string_equal(fixture->request.language, "py");
    assert_string_equal(fixture->request.input.code, "print(1)");
    assert_int_equal(fixture->request.input.code_length, 8);
    assert_null(fixture->request.entrypoint);
    assert_int_equal(fixture->request.input.stdin_file, -1);
    assert_int_equal(fixture->request.input.files.count, 0);
    assert_int_equal(fixture->request.arguments.count, 0);
    assert_int_equal(fixture->request.environment.count, 0);
    assert_false(fixture->request.policy.limits.number[LIMIT_TIMEOUT] > 0);
}

CASE(tool_arguments__code_of_any_characters)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(
        read_text(&fixture, "{\"language\": \"py\", \"entrypoint_code\": \"a\\u0000b\"}"), 0);
    assert_string_equal(fixture.request.language, "py");
    assert_int_equal(fixture.request.input.code_length, 3);
    assert_memory_equal(fixture.request.input.code, "a\0b", 4);
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"language\": \"py\", \"entrypoint_code\": \"\"}"), 0);
    assert_string_equal(fixture.request.input.code, "");
    assert_int_equal(fixture.request.input.code_length, 0);
    tear_down(&fixture);
}

#define NOTHING "nothing to run: give language and entrypoint_code, or snippet_name"

CASE(tool_arguments__nothing_to_run)
{
    struct fixture fixture;

    check_refused("{}", NOTHING);
    check_refused("{\"stdin\": \"x\"}", NOTHING);
    check_refused("{\"language\": null, \"entrypoint_code\": null, \"snippet_name\": null}",
                  NOTHING);
    check_refused("{\"language\": \"py\"}",
                  "entrypoint_code is missing: give the source code of the program");
    check_refused("{\"entrypoint_code\": \"print(1)\"}", "language is missing: give one of py, sh");
    set_up(&fixture);
    assert_int_equal(tool_arguments_read(NULL, TOOL_CALLER_MODEL, &fixture.config, NULL,
                                         &fixture.request, &fixture.error),
                     -1);
    assert_error(&fixture.error, ERROR_USAGE, NOTHING);
    tear_down(&fixture);
}

CASE(tool_arguments__language_and_code_that_are_none)
{
    check_refused("{\"language\": 5, \"entrypoint_code\": \"\"}", "language must be a string");
    check_refused("{\"language\": \"py\\u0000\", \"entrypoint_code\": \"\"}",
                  "language must be a string without NUL characters");
    check_refused("{\"language\": \"py\", \"entrypoint_code\": [\"print(1)\"]}",
                  "entrypoint_code must be a string: the source code");
}

CASE(tool_arguments__filename)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"entrypoint_filename\": \"src/a b.py\"");
    assert_string_equal(fixture.request.entrypoint, "src/a b.py");
    tear_down(&fixture);
    check_wrong("\"entrypoint_filename\": true", "entrypoint_filename must be a string");
    check_wrong("\"entrypoint_filename\": \"a\\u0000.py\"",
                "entrypoint_filename must be a string without NUL characters");
    check_wrong("\"entrypoint_filename\": \"../a.py\"",
                "entrypoint_filename: '../a.py' must not have '..', '.' or empty parts");
    check_wrong("\"entrypoint_filename\": \"/a.py\"",
                "entrypoint_filename: '/a.py' must be relative to the directory");
}

CASE(tool_arguments__snippet)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"snippet_name\": \"hello.sh\", \"stdin\": \"x\"}"), 0);
    assert_string_equal(fixture.request.language, "sh");
    assert_string_equal(fixture.request.entrypoint, "hello.sh");
    assert_string_equal(fixture.request.input.code, "echo hello\n");
    assert_int_equal(fixture.request.input.code_length, 11);
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"snippet_name\": \"hello\"}"), 0);
    assert_string_equal(fixture.request.language, "sh");
    assert_string_equal(fixture.request.entrypoint, "hello.sh");
    tear_down(&fixture);
    check_refused("{\"snippet_name\": 1}", "snippet_name must be a string");
    check_refused("{\"snippet_name\": \"hello.sh\\u0000\"}",
                  "snippet_name must be a string without NUL characters");
    check_refused("{\"snippet_name\": \"other.sh\"}",
                  "snippet_name: there is no snippet 'other.sh'; known are: hello");
    check_refused("{\"snippet_name\": \"../hello.sh\"}",
                  "snippet_name: there is no snippet '../hello.sh'; known are: hello");
}

CASE(tool_arguments__snippet_excludes_the_rest)
{
    static const char *const others[] = {"\"language\": \"sh\"", "\"entrypoint_code\": \"x\"",
                                         "\"entrypoint_filename\": \"hello.sh\""};

    for (size_t i = 0; i < COUNT(others); i++) {
        CLEANUP_FREE char *text = string_format("{\"snippet_name\": \"hello.sh\", %s}", others[i]);

        check_refused(text, "snippet_name excludes language, entrypoint_code and "
                            "entrypoint_filename; leave them out, or leave snippet_name out");
    }
}

/* ---- the other arguments */

static void check_file(const struct fixture *fixture, size_t i, const char *path, const char *data,
                       size_t length)
{
    const struct input_file *file = &fixture->request.input.files.items[i];

    assert_true(i < fixture->request.input.files.count);
    assert_string_equal(file->path, path);
    assert_int_equal(file->length, length);
    assert_memory_equal(file->data, data, length);
}

CASE(tool_arguments__additional_files)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"additional_files\": ["
                        "{\"filename\": \"a.txt\", \"content\": \"caf\\u00e9\\u0000\"},"
                        "{\"filename\": \"b/c\", \"content\": \"Zm9v\", \"encoding\": \"utf-8\"},"
                        "{\"filename\": \"d\", \"content\": \"AP8=\", \"encoding\": \"base64\"},"
                        "{\"filename\": \"e\", \"content\": \"\", \"encoding\": null}]");
    assert_int_equal(fixture.request.input.files.count, 4);
    check_file(&fixture, 0, "a.txt", "caf\xc3\xa9\0", 6);
    check_file(&fixture, 1, "b/c", "Zm9v", 4);
    check_file(&fixture, 2, "d", "\0\xff", 2);
    check_file(&fixture, 3, "e", "", 0);
    tear_down(&fixture);

    set_up(&fixture);
    read_good(&fixture, ", \"additional_files\": []");
    assert_int_equal(fixture.request.input.files.count, 0);
    tear_down(&fixture);
    check_wrong("\"additional_files\": [{\"filename\": \"../a\", \"content\": \"\"}]",
                "additional_files[0]: '../a' must not have '..', '.' or empty parts");
    check_wrong("\"additional_files\": \"a\"",
                "additional_files[0] must be an object with filename and content; text came, which "
                "is not that in JSON");
}

static void check_stdin(const char *text, const char *expected, size_t length)
{
    CLEANUP_FREE char *members = string_format(", \"stdin\": \"%s\"", text);
    struct fixture fixture;
    struct strbuf content;

    set_up(&fixture);
    read_good(&fixture, members);
    assert_true(fixture.request.input.stdin_file >= 0);
    content = read_all(fixture.request.input.stdin_file);
    assert_int_equal(content.length, length);
    assert_memory_equal(content.data, expected, length);
    strbuf_release(&content);
    tear_down(&fixture);
}

CASE(tool_arguments__stdin)
{
    check_stdin("line\\n", "line\n", 5);
    check_stdin("a\\u0000b", "a\0b", 3);
    check_stdin("", "", 0);
    check_wrong("\"stdin\": 5", "stdin must be a string");
    check_wrong("\"stdin\": [\"line\"]", "stdin must be a string");
}

CASE(tool_arguments__arguments)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"arguments\": [\"-x\", \"\", \"a b\", \"{entrypoint}\"]");
    check_joined(&fixture.request.arguments, "-x||a b|{entrypoint}");
    tear_down(&fixture);
    check_wrong("\"arguments\": [\"-x\", true]", "arguments[1] must be a string");
}

CASE(tool_arguments__environment)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"environment\": {\"A\": \"1\", \"B\": \"\", \"C\": \"x=y\\nz\"}");
    check_joined(&fixture.request.environment, "A=1|B=|C=x=y\nz");
    tear_down(&fixture);
    check_wrong("\"environment\": {\"A\": null}", "environment.A must be a string");
}

static void check_timeout(const char *value, double expected)
{
    CLEANUP_FREE char *members = string_format(", \"timeout_seconds\": %s", value);
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, members);
    assert_true(fixture.request.policy.limits.number[LIMIT_TIMEOUT] == expected);
    tear_down(&fixture);
}

CASE(tool_arguments__timeout)
{
    static const char *const wrong[] = {"0", "-1", "0.0", "true", "[5]"};

    check_timeout("1", 1);
    check_timeout("2.5", 2.5);
    check_timeout("90", 90);
    check_timeout("90.001", 90); /* lowered to the maximum */
    check_timeout("1e300", 90);
    check_timeout("\"5\"", 5); /* as clients send it */
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CLEANUP_FREE char *members = string_format("\"timeout_seconds\": %s", wrong[i]);
        check_wrong(members, "timeout_seconds must be a number of seconds greater than 0");
    }
    check_wrong("\"timeout_seconds\": 0.0001", "timeout_seconds must be from 0.001 to 31622400 s");
}

CASE(tool_arguments__timeout_without_a_maximum)
{
    struct fixture fixture;

    set_up(&fixture);
    sandbox_policy_release(&fixture.config.maximums);
    read_good(&fixture, ", \"timeout_seconds\": 5000");
    assert_true(fixture.request.policy.limits.number[LIMIT_TIMEOUT] == 5000);
    tear_down(&fixture);

    set_up(&fixture);
    sandbox_policy_release(&fixture.config.maximums);
    assert_int_equal(
        read_text(&fixture, "{\"snippet_name\": \"hello.sh\", \"timeout_seconds\": 1e300}"), -1);
    assert_error(&fixture.error, ERROR_USAGE, "timeout_seconds must be from 0.001 to 31622400 s");
    tear_down(&fixture);
}

/* ---- other limits */

static void add_config(struct fixture *fixture, const char *more)
{
    const int result =
        config_overlay(&fixture->config, more, strlen(more), "more", &fixture->error);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

/* The limits of a request by this caller, under these maximums. */
static void check_limits(enum tool_caller caller, const char *maximums, const char *members,
                         const char *expected)
{
    CLEANUP_FREE char *more = string_format("{\"maximums\": {%s}}", maximums);
    CLEANUP_FREE char *limits = NULL;
    struct fixture fixture;
    const double *number = fixture.request.policy.limits.number;

    set_up(&fixture);
    add_config(&fixture, more);
    fixture.caller = caller;
    read_good(&fixture, members);
    limits = string_format("%.10g %.10g %.10g %.10g", number[LIMIT_MEMORY], number[LIMIT_CPUS],
                           number[LIMIT_CPU_TIME], number[LIMIT_PIDS]);
    assert_string_equal(limits, expected);
    tear_down(&fixture);
}

#define GIVEN_LIMITS                                                                               \
    ", \"memory_mb\": 300, \"cpus\": 1.5, \"cpu_seconds\": 2.5, \"pids_limit\": 100"

CASE(tool_arguments__limits)
{
    check_limits(TOOL_CALLER_BATCH, "", GIVEN_LIMITS, "300 1.5 2.5 100");
    check_limits(TOOL_CALLER_BATCH, "", ", \"cpu_seconds\": 0", "nan nan inf nan");
    check_limits(TOOL_CALLER_BATCH, "\"memoryMB\": 200", GIVEN_LIMITS, "300 1.5 2.5 100");
    check_limits(TOOL_CALLER_MODEL,
                 "\"memoryMB\": 300, \"cpus\": 2, \"cpuSeconds\": 3, \"pidsLimit\": 100",
                 GIVEN_LIMITS, "300 1.5 2.5 100");
    check_limits(TOOL_CALLER_MODEL, "\"memoryMB\": 300", ", \"memory_mb\": 6", "6 nan nan nan");
}

static void check_wrong_limit(enum tool_caller caller, const char *members, const char *message)
{
    CLEANUP_FREE char *text =
        string_format("{\"language\": \"py\", \"entrypoint_code\": \"print(1)\", %s}", members);
    struct fixture fixture;

    set_up(&fixture);
    add_config(&fixture, "{\"maximums\": {\"cpus\": 2, \"cpuSeconds\": 0}}");
    fixture.caller = caller;
    assert_int_equal(read_text(&fixture, text), -1);
    assert_error(&fixture.error, ERROR_USAGE, message);
    tear_down(&fixture);
}

CASE(tool_arguments__wrong_limits)
{
    check_wrong_limit(TOOL_CALLER_BATCH, "\"memory_mb\": \"64M\"",
                      "memory_mb must be a number; text came, which is not that in JSON");
    check_wrong_limit(TOOL_CALLER_BATCH, "\"memory_mb\": 64.5", "memory_mb must be a whole number");
    check_wrong_limit(TOOL_CALLER_BATCH, "\"memory_mb\": 0",
                      "memory_mb must be from 6 to 16777216 MB");
    check_wrong_limit(TOOL_CALLER_MODEL, "\"cpus\": 0", "cpus must be from 0.01 to 4096");
    check_wrong_limit(TOOL_CALLER_BATCH, "\"cpu_seconds\": -1",
                      "cpu_seconds must be from 0 to 31622400 s");
    check_wrong_limit(TOOL_CALLER_BATCH, "\"pids_limit\": 1e300",
                      "pids_limit must be from 8 to 4194304");
}

#define WITH_CPUS                                                                                  \
    "known are: language, entrypoint_code, entrypoint_filename, additional_files, snippet_name, "  \
    "stdin, arguments, environment, artifacts, timeout_seconds, cpus"

/* Without a maximum a model does not have the argument. */
CASE(tool_arguments__limits_that_are_not_offered)
{
    check_wrong_limit(TOOL_CALLER_MODEL, "\"memory_mb\": 64",
                      "there is no argument 'memory_mb'; " WITH_CPUS);
    check_wrong_limit(TOOL_CALLER_MODEL, "\"pids_limit\": null",
                      "there is no argument 'pids_limit'; " WITH_CPUS);
    check_wrong_limit(TOOL_CALLER_MODEL, "\"cpu_seconds\": 1",
                      "there is no argument 'cpu_seconds'; " WITH_CPUS); /* 0 is no maximum */
    check_wrong_limit(
        TOOL_CALLER_BATCH, "\"memory\": 64",
        "there is no argument 'memory'; known are: language, image, entrypoint_code, "
        "entrypoint_filename, entrypoint_file, additional_files, snippet_name, stdin, arguments, "
        "environment, artifacts, hosts, tools, workspace, command, shell, session, keep_processes, "
        "close_session, tests, "
        "call, groups, stop_on_failure, test_output_bytes, detail, checker, "
        "timeout_seconds, memory_mb, cpus, cpu_seconds, pids_limit");
}

/* ---- sessions */

#define SESSION_ID "0123456789abcdef0123456789abcdef"

/* Reads arguments where the configuration allows `max` sessions; `message` is NULL if they are
 * right. */
static void check_session(enum tool_caller caller, int max, const char *text, const char *message)
{
    struct fixture fixture;
    int result;

    set_up(&fixture);
    fixture.config.sessions.max = max;
    fixture.caller = caller;
    result = read_text(&fixture, text);
    if (message)
        assert_error(&fixture.error, ERROR_USAGE, message);
    else
        assert_no_error(&fixture.error);
    assert_int_equal(result, message ? -1 : 0);
    tear_down(&fixture);
}

#define WITH_SESSION(value) "{\"entrypoint_code\": \"1\", \"session\": " value "}"

CASE(tool_arguments__language_of_a_session)
{
    check_session(TOOL_CALLER_MODEL, 1, WITH_SESSION("\"" SESSION_ID "\""), NULL);
    check_session(TOOL_CALLER_MODEL, 1, WITH_SESSION("\"new\""),
                  "language is missing: give one of py, sh");
    check_session(TOOL_CALLER_MODEL, 1, WITH_SESSION("null"),
                  "language is missing: give one of py, sh");
    check_session(TOOL_CALLER_MODEL, 1, WITH_SESSION("\"mine\""),
                  "session must be \"new\" or the id of a session, which the call that opened it "
                  "has returned");
    check_session(TOOL_CALLER_MODEL, 1, "{\"session\": \"" SESSION_ID "\"}",
                  "nothing to run: give language and entrypoint_code, or snippet_name");
}

CASE(tool_arguments__session)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.config.sessions.max = 1;
    read_good(&fixture, ", \"session\": \"new\", \"keep_processes\": true");
    assert_true(fixture.request.session.open);
    assert_true(fixture.request.session.keep_processes);
    assert_string_equal(fixture.request.session.id, "");
    tear_down(&fixture);

    set_up(&fixture);
    fixture.config.sessions.max = 1;
    read_good(&fixture, ", \"session\": \"" SESSION_ID "\", \"keep_processes\": false");
    assert_false(fixture.request.session.open);
    assert_false(fixture.request.session.keep_processes);
    assert_string_equal(fixture.request.session.id, SESSION_ID);
    tear_down(&fixture);
}

CASE(tool_arguments__keep_processes)
{
    check_session(TOOL_CALLER_MODEL, 1,
                  "{\"language\": \"py\", \"entrypoint_code\": \"1\", \"session\": \"new\", "
                  "\"keep_processes\": 1}",
                  "keep_processes must be true or false");
    check_session(TOOL_CALLER_MODEL, 1,
                  "{\"language\": \"py\", \"entrypoint_code\": \"1\", \"keep_processes\": true}",
                  "keep_processes can be set only when a session is opened, with session \"new\"");
}

CASE(tool_arguments__sessions_that_are_not_offered)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.config.sessions.max = 0;
    assert_int_equal(read_text(&fixture, WITH_SESSION("\"" SESSION_ID "\"")), -1);
    assert_memory_equal(fixture.error.message, "there is no argument 'session'; ", 32);
    tear_down(&fixture);
    check_session(TOOL_CALLER_MODEL, 1,
                  "{\"session\": \"" SESSION_ID "\", \"close_session\": true}",
                  "there is no argument 'close_session'; known are: language, entrypoint_code, "
                  "entrypoint_filename, additional_files, snippet_name, stdin, arguments, "
                  "environment, artifacts, session, keep_processes, timeout_seconds");
}

/* A line of a batch names its session as it likes. */
CASE_WITH(tool_arguments__background, set_up(fixture))
{
    fixture->config.jobs.max_running = 1;
    read_good(fixture, ", \"background\": true");
    assert_true(fixture->request.background);
    assert_false(fixture->request.session.close || fixture->request.session.keep_processes);
}

CASE(tool_arguments__session_of_a_line)
{
    static const char name[] = "session must be a name of 1 to 100 bytes";
    struct fixture fixture;

    set_up(&fixture);
    fixture.caller = TOOL_CALLER_BATCH;
    assert_int_equal(read_text(&fixture, "{\"entrypoint_code\": \"1\", \"session\": \"new\", "
                                         "\"keep_processes\": true, \"close_session\": true}"),
                     0);
    assert_string_equal(fixture.request.session_name, "new");
    assert_false(fixture.request.session.open);
    assert_true(fixture.request.session.keep_processes);
    assert_true(fixture.request.session.close);
    tear_down(&fixture);
    check_session(TOOL_CALLER_BATCH, 0, WITH_SESSION("\"\""), name);
    check_session(TOOL_CALLER_BATCH, 0, WITH_SESSION("1"), name);
    check_session(TOOL_CALLER_BATCH, 0, WITH_SESSION("\"a\\u0000b\""), name);
    check_session(TOOL_CALLER_BATCH, 0,
                  "{\"language\": \"py\", \"entrypoint_code\": \"1\", \"close_session\": true}",
                  "close_session needs session, the name of one");
    check_session(TOOL_CALLER_BATCH, 0,
                  "{\"language\": \"py\", \"entrypoint_code\": \"1\", \"keep_processes\": true}",
                  "keep_processes needs session, the name of one");
}

/* ---- the image */

/* The image of a line of a batch; `message` is NULL if it is allowed. */
static void check_image(const char *patterns, const char *image, const char *expected,
                        const char *message)
{
    CLEANUP_FREE char *more = string_format("{\"images\": [%s]}", patterns);
    CLEANUP_FREE char *text =
        string_format("{\"language\": \"py\", \"entrypoint_code\": \"1\", \"image\": %s}", image);
    struct fixture fixture;
    int result;

    set_up(&fixture);
    add_config(&fixture, more);
    fixture.caller = TOOL_CALLER_BATCH;
    result = read_text(&fixture, text);
    if (message) {
        assert_error(&fixture.error, ERROR_USAGE, message);
    } else {
        assert_no_error(&fixture.error);
        assert_string_equal(fixture.request.image, expected);
    }
    assert_int_equal(result, message ? -1 : 0);
    tear_down(&fixture);
}

CASE(tool_arguments__image)
{
    check_image("\"other/*\", \"team/*\"", "\"team/x\"", "docker.io/team/x:latest", NULL);
    check_image("\"team/*\"", "\"docker.io/team/x:1\"", "docker.io/team/x:1", NULL);
    check_image("\"team/*\"", "\"team/x/y\"", NULL,
                "image 'docker.io/team/x/y:latest' is not allowed by the configuration (images)");
    check_image(
        "", "\"team/x\"", NULL,
        "image 'docker.io/team/x:latest' is not allowed by the configuration (images: none)");
    check_image("\"*\"", "\"--privileged\"", NULL,
                "image: '--privileged' is not an image; write it like name:tag");
    check_image("\"*\"", "\"x\\u001b\"", NULL,
                "image: 'x\\x1b' is not an image; write it like name:tag");
    check_image("\"*\"", "1", NULL, "image must be a string");
    check_image("\"*\"", "\"x\\u0000\"", NULL, "image must be a string without NUL characters");
}

/* What the file of a batch's program leads to: "LANGUAGE NAME CODE", or the error. */
static void check_program(const char *text, const char *expected)
{
    struct fixture fixture;
    CLEANUP_FREE char *found = NULL;
    struct tool_client client = {.programs = NULL};
    json_t *arguments = json_of(text);

    set_up(&fixture);
    client.programs = fixture.directory;
    if (tool_arguments_read(arguments, TOOL_CALLER_BATCH, &fixture.config, &client,
                            &fixture.request, &fixture.error) == 0)
        found = string_format("%s %s %s", fixture.request.language, fixture.request.entrypoint,
                              fixture.request.input.code);
    assert_string_equal(found ? found : fixture.error.message, expected);
    json_decref(arguments);
    tear_down(&fixture);
}

CASE(tool_arguments__program_of_a_batch)
{
    check_program("{\"entrypoint_file\": \"hello.sh\"}", "sh hello.sh echo hello\n");
    check_program("{\"entrypoint_file\": \"hello.sh\", \"language\": \"py\", "
                  "\"entrypoint_filename\": \"a.py\"}",
                  "py a.py echo hello\n");
    check_program("{\"entrypoint_file\": \"none.sh\"}",
                  "cannot open the program 'none.sh': No such file or directory");
    check_program("{\"entrypoint_file\": \"hello.sh\", \"snippet_name\": \"hello\"}",
                  "entrypoint_file excludes entrypoint_code and snippet_name");
    check_refused("{\"entrypoint_file\": \"hello.sh\"}",
                  "there is no argument 'entrypoint_file'; known are: language, entrypoint_code, "
                  "entrypoint_filename, additional_files, snippet_name, stdin, arguments, "
                  "environment, artifacts, timeout_seconds");
}

CASE_WITH(tool_arguments__no_image_for_a_model, set_up(fixture))
{
    add_config(fixture, "{\"images\": [\"*\"]}");
    assert_int_equal(
        read_text(fixture, "{\"language\": \"py\", \"entrypoint_code\": \"1\", \"image\": \"x\"}"),
        -1);
    assert_memory_equal(fixture->error.message, "there is no argument 'image'; ", 30);
}

/* ---- tests, of a batch alone */

CASE(tool_arguments__tests)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.caller = TOOL_CALLER_BATCH;
    read_good(&fixture, ", \"tests\": [{\"arguments\": [\"a\"], \"no_expected\": true},"
                        " {\"name\": \"two\", \"expected_stdout\": \"\"}],"
                        " \"stop_on_failure\": true, \"test_output_bytes\": 64");
    assert_int_equal(fixture.request.tests.count, 2);
    assert_string_equal(fixture.request.tests.items[0].name, "1");
    check_joined(&fixture.request.tests.items[0].arguments, "a");
    assert_string_equal(fixture.request.tests.items[1].name, "two");
    assert_true(fixture.request.tests.stop_on_failure);
    assert_int_equal(fixture.request.test_output_bytes, 64);
    tear_down(&fixture);

    set_up(&fixture);
    fixture.caller = TOOL_CALLER_BATCH;
    read_good(&fixture, ", \"tests\": [{\"expected_stdout\": \"\"}], \"stop_on_failure\": false,"
                        " \"test_output_bytes\": 1048576");
    assert_false(fixture.request.tests.stop_on_failure);
    assert_int_equal(fixture.request.test_output_bytes, 1048576);
    tear_down(&fixture);
}

/* Words of the request are given to each test's program, and count for it. */
CASE(tool_arguments__words_of_tests)
{
    struct fixture fixture;
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "{\"language\": \"py\", \"entrypoint_code\": \"\", \"arguments\": [");
    for (int i = 0; i < 19; i++)
        strbuf_addf(&text, "%s\"%0100000d\"", i > 0 ? "," : "", i);
    strbuf_addf(&text,
                "], \"tests\": [{\"arguments\": [\"%060000d\"], \"no_expected\": true},"
                " {\"arguments\": [\"%060000d\"], \"no_expected\": true}, {\"arguments\": "
                "[\"%0100000d\", \"+\"]}]}",
                0, 0, 0);
    set_up(&fixture);
    fixture.caller = TOOL_CALLER_BATCH;
    assert_int_equal(read_text(&fixture, strbuf_string(&text)), -1);
    assert_error(&fixture.error, ERROR_USAGE,
                 "arguments and environment must be shorter: a program can be given 2 MB at most; "
                 "files and stdin may be larger");
    assert_int_equal(fixture.request.tests.count, 3); /* the first two are not too long */
    strbuf_release(&text);
    tear_down(&fixture);
}

CASE(tool_arguments__wrong_members_for_tests)
{
    static const char *const bytes[] = {"63", "1048577", "4096.5", "\"63\"", "1e300", "true"};

    for (size_t i = 0; i < COUNT(bytes); i++) {
        CLEANUP_FREE char *member = string_format("\"test_output_bytes\": %s", bytes[i]);

        check_wrong_limit(TOOL_CALLER_BATCH, member,
                          "test_output_bytes must be a whole number from 64 to 1048576");
    }
    check_wrong_limit(TOOL_CALLER_BATCH, "\"stop_on_failure\": 1",
                      "stop_on_failure must be true or false");
    check_wrong_limit(TOOL_CALLER_BATCH, "\"tests\": []",
                      "tests must be an array of 1 to 10000 tests");
}

/* ---- names */

/* Some models fill in every argument. */
CASE(tool_arguments__null_is_not_given)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"entrypoint_filename\": null, \"additional_files\": null,"
                        " \"snippet_name\": null, \"stdin\": null, \"arguments\": null,"
                        " \"environment\": null, \"timeout_seconds\": null");
    assert_null(fixture.request.entrypoint);
    assert_int_equal(fixture.request.input.files.count, 0);
    assert_int_equal(fixture.request.input.stdin_file, -1);
    assert_int_equal(fixture.request.arguments.count, 0);
    assert_int_equal(fixture.request.environment.count, 0);
    assert_false(fixture.request.policy.limits.number[LIMIT_TIMEOUT] > 0);
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"snippet_name\": \"hello.sh\", \"language\": null,"
                                         " \"entrypoint_code\": null,"
                                         " \"entrypoint_filename\": null}"),
                     0);
    tear_down(&fixture);
}

/* Hosts do the same with "", and clients send values as text. */
CASE(tool_arguments__empty_and_text)
{
    struct fixture fixture;

    set_up(&fixture);
    read_good(&fixture, ", \"entrypoint_filename\": \"\", \"additional_files\": \"\","
                        " \"snippet_name\": \"\", \"stdin\": \"\", \"arguments\": \"\","
                        " \"environment\": \"\", \"timeout_seconds\": \"\", \"artifacts\": \"\"");
    assert_null(fixture.request.entrypoint);
    assert_int_equal(fixture.request.arguments.count, 0);
    assert_false(fixture.request.policy.limits.number[LIMIT_TIMEOUT] > 0);
    tear_down(&fixture);

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"snippet_name\": \"hello.sh\", \"language\": \"\","
                                         " \"entrypoint_code\": \"\","
                                         " \"entrypoint_filename\": \"\"}"),
                     0);
    assert_true(fixture.request.input.code_length > 0);
    tear_down(&fixture);

    set_up(&fixture);
    read_good(&fixture,
              ", \"entrypoint_filename\": \"/workspace/x.py\","
              " \"additional_files\": \"[{\\\"filename\\\": \\\"./d\\\", "
              "\\\"content\\\": \\\"\\\"}]\","
              " \"arguments\": \"[\\\"[1]\\\"]\", \"environment\": \"{\\\"A\\\": \\\"\\\"}\","
              " \"timeout_seconds\": \"30\", \"artifacts\": \"[\\\"*.png\\\"]\"");
    assert_string_equal(fixture.request.entrypoint, "x.py");
    assert_string_equal(fixture.request.input.files.items[0].path, "d");
    assert_string_equal(fixture.request.arguments.items[0], "[1]");
    assert_string_equal(fixture.request.environment.items[0], "A=");
    assert_string_equal(fixture.request.artifacts.items[0], "*.png");
    assert_true(fixture.request.policy.limits.number[LIMIT_TIMEOUT] == 30);
    tear_down(&fixture);
    check_refused("{\"snippet_name\": \"hello.sh\", \"entrypoint_code\": [\"x\"]}",
                  "snippet_name excludes language, entrypoint_code and entrypoint_filename; leave "
                  "them out, or leave snippet_name out");
    check_wrong("\"arguments\": \"[-v\"",
                "arguments must be an array of strings; text came, which is not that in JSON");
}

static void check_unrequested(enum tool_caller caller, const char *members, bool expected)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.caller = caller;
    read_good(&fixture, members);
    assert_int_equal(fixture.request.unrequested, expected);
    tear_down(&fixture);
}

/* A model that says nothing of files gets pictures; an empty list says that it wants none. */
CASE(tool_arguments__files_unrequested)
{
    check_unrequested(TOOL_CALLER_MODEL, "", true);
    check_unrequested(TOOL_CALLER_MODEL, ", \"artifacts\": null", true);
    check_unrequested(TOOL_CALLER_MODEL, ", \"artifacts\": []", false);
    check_unrequested(TOOL_CALLER_MODEL, ", \"artifacts\": [\"*\"]", false);
    check_unrequested(TOOL_CALLER_BATCH, "", false);
}

/* A language in any case, and the error with the languages that the schema has. */
CASE(tool_arguments__languages)
{
    const bool offered[] = {false, true};
    const struct tool_client client = {.offered = offered};
    json_t *arguments = json_of("{\"language\": \"nope\", \"entrypoint_code\": \"\"}");
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"language\": \"PY\", \"entrypoint_code\": \"\"}"), 0);
    tear_down(&fixture);
    set_up(&fixture);
    assert_int_equal(tool_arguments_read(arguments, TOOL_CALLER_MODEL, &fixture.config, &client,
                                         &fixture.request, &fixture.error),
                     -1);
    assert_error(&fixture.error, ERROR_USAGE, "unknown language 'nope'; known are: sh");
    tear_down(&fixture);
    json_decref(arguments);
}

#define KNOWN                                                                                      \
    "known are: language, entrypoint_code, entrypoint_filename, additional_files, snippet_name, "  \
    "stdin, arguments, environment, artifacts, timeout_seconds"

CASE(tool_arguments__unknown_ones)
{
    check_wrong("\"tests\": [{}]", "there is no argument 'tests'; " KNOWN);
    check_wrong("\"stop_on_failure\": null", "there is no argument 'stop_on_failure'; " KNOWN);
    check_wrong("\"test_output_bytes\": 64", "there is no argument 'test_output_bytes'; " KNOWN);
    check_wrong("\"Stdin\": null", "there is no argument 'Stdin'; did you mean 'stdin'?");
    check_wrong("\"limit\\u001b\": 1", "there is no argument 'limit\\x1b'; " KNOWN);
}

/* Reads good arguments, and compares all warnings. */
static void check_warnings(struct fixture *fixture, const char *members, const char *expected)
{
    set_up(fixture);
    read_good(fixture, members);
    check_joined(&fixture->request.warnings, expected);
}

#define HOST_ADDS "the argument 'wait_for_previous' is left out: Gemini CLI adds it"

CASE(tool_arguments__names_that_are_left_out)
{
    struct fixture fixture;

    check_warnings(&fixture, ", \"wait_for_previous\": false", HOST_ADDS);
    tear_down(&fixture);
    check_warnings(&fixture, ", \"\\u001b\": 1, \"\": 1",
                   "the argument '\\x1b' is left out: there is nothing of that name|"
                   "the argument '' is left out: there is nothing of that name");
    tear_down(&fixture);
    check_refused("{\"wait_for_previous\": false}", NOTHING "; " HOST_ADDS);
}

/* A program has written a line of a batch, and a name in it that is not known is its mistake. */
CASE(tool_arguments__batches_are_read_as_they_are)
{
    static const struct {
        const char *members, *message;
    } wrong[] = {
        {"\"wait_for_previous\": false", "there is no argument 'wait_for_previous'; known are: "},
        {"\"code\": \"x\"", "there is no argument 'code'; known are: "},
        {"\"additional_files\": [{\"name\": \"a\", \"content\": \"\"}]",
         "additional_files[0] has no member 'name'; known are: filename, content, encoding, uri"},
        {"\"arguments\": [5]", "arguments[0] must be a string"},
        {"\"arguments\": \"-v\"", "arguments must be an array of strings; text came, "},
        {"\"artifacts\": \"a\"",
         "artifacts must be an array of patterns like \"*.png\"; text came, "},
        {"\"environment\": {\"A\": 5}", "environment.A must be a string"},
        {"\"language\": \"py3\"", "unknown language 'py3'; "},
    };
    struct fixture fixture;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        CLEANUP_FREE char *text = string_format(
            "{\"language\": \"py\", \"entrypoint_code\": \"\", %s}", wrong[i].members);

        set_up(&fixture);
        fixture.caller = TOOL_CALLER_BATCH;
        assert_int_equal(read_text(&fixture, text), -1);
        if (strncmp(fixture.error.message, wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("%s", fixture.error.message);
        tear_down(&fixture);
    }
    set_up(&fixture);
    fixture.caller = TOOL_CALLER_BATCH;
    read_good(&fixture, ", \"additional_files\": [{\"filename\": \"a\\\\b\", \"content\": "
                        "\"data:;base64,YQ==\"}]");
    check_file(&fixture, 0, "a\\b", "data:;base64,YQ==", 17);
    check_joined(&fixture.request.warnings, "");
    tear_down(&fixture);
}

CASE(tool_arguments__aliases)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(
        read_text(&fixture,
                  "{\"language\": \"py\", \"code\": \"x\", \"timeout\": 5, \"args\": [\"a\"],"
                  " \"env\": {\"A\": \"1\"}, \"entrypoint_code\": null,"
                  " \"files\": [{\"name\": \"a\", \"content\": \"b\"},"
                  " {\"path\": \"c\", \"filename\": \"\", \"content\": \"d\"}]}"),
        0);
    assert_string_equal(fixture.request.input.code, "x");
    assert_true(fixture.request.policy.limits.number[LIMIT_TIMEOUT] == 5);
    check_joined(&fixture.request.arguments, "a");
    check_joined(&fixture.request.environment, "A=1");
    check_file(&fixture, 0, "a", "b", 1);
    check_file(&fixture, 1, "c", "d", 1);
    check_joined(&fixture.request.warnings, "");
    tear_down(&fixture);
    check_wrong("\"code\": \"x\"", "entrypoint_code is given twice, by two names");
}

CASE(tool_arguments__words_as_text)
{
    struct fixture fixture;

    check_warnings(&fixture, ", \"arguments\": \" --n  '5 6' a\\\"\\\"b \\\"\\\"\"",
                   "arguments came as one text, and the program gets its 4 words: write an array");
    check_joined(&fixture.request.arguments, "--n|5 6|ab|");
    tear_down(&fixture);
    check_warnings(&fixture, ", \"arguments\": \" \", \"artifacts\": \"a b.csv\"", "");
    check_joined(&fixture.request.arguments, "");
    check_joined(&fixture.request.artifacts, "a b.csv");
    tear_down(&fixture);
    check_warnings(
        &fixture,
        ", \"arguments\": [5, -1.5, 0.1, \"a\"], \"environment\": {\"A\": 5, \"B\": true}", "");
    check_joined(&fixture.request.arguments, "5|-1.5|0.1|a");
    check_joined(&fixture.request.environment, "A=5|B=true");
    tear_down(&fixture);
    check_wrong("\"arguments\": \"a\\u0000b\"",
                "arguments must be an array of strings; text came, which is not that in JSON");
}

CASE(tool_arguments__files_of_models)
{
    struct fixture fixture;

    check_warnings(&fixture,
                   ", \"entrypoint_filename\": \"src\\\\a.py\", \"additional_files\":"
                   " {\"filename\": \"data\\\\a.csv\", \"content\": \"1\"}",
                   "entrypoint_filename is 'src/a.py': directories are separated by /|"
                   "additional_files[0] is 'data/a.csv': directories are separated by /");
    assert_string_equal(fixture.request.entrypoint, "src/a.py");
    check_file(&fixture, 0, "data/a.csv", "1", 1);
    tear_down(&fixture);
    check_warnings(&fixture,
                   ", \"additional_files\": [{\"filename\": \"a\", \"content\": "
                   "\"data:image/png;base64,-_8=\"}, {\"filename\": \"b\", \"content\": "
                   "\"data:,-_8\"}, {\"filename\": \"c\", \"content\": \"-_8\", \"encoding\": "
                   "\"base64\"}]",
                   "additional_files[0]: the data: URL was decoded; to send it as a text, set its "
                   "encoding to \"utf-8\"");
    check_file(&fixture, 0, "a", "\xfb\xff", 2);
    check_file(&fixture, 1, "b", "data:,-_8", 9);
    check_file(&fixture, 2, "c", "\xfb\xff", 2);
    tear_down(&fixture);
    check_wrong("\"additional_files\": [{\"filename\": \"..\\\\a\", \"content\": \"\"}]",
                "additional_files[0]: '../a' must not have '..', '.' or empty parts; "
                "additional_files[0] is '../a': directories are separated by /");
}

CASE(tool_arguments__languages_with_a_version)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, "{\"language\": \"Py-3.11\", \"code\": \"\"}"), 0);
    assert_string_equal(fixture.request.language, "Py");
    check_joined(&fixture.request.warnings,
                 "language 'Py-3.11' is py here, in the version that is installed");
    tear_down(&fixture);
    check_refused("{\"language\": \"3.11\", \"code\": \"\"}",
                  "unknown language '3.11'; known are: py, sh");
    check_refused("{\"language\": \"px3\", \"code\": \"\"}",
                  "unknown language 'px3'; known are: py, sh");
}

CASE(tool_arguments__names_of_subjects)
{
    assert_string_equal(tool_arguments_namer("timeoutSeconds"), "timeout_seconds");
    assert_string_equal(tool_arguments_namer("memoryMB"), "memory_mb");
    assert_string_equal(tool_arguments_namer("cpuSeconds"), "cpu_seconds");
    assert_string_equal(tool_arguments_namer("pidsLimit"), "pids_limit");
    assert_string_equal(tool_arguments_namer(REQUEST_LANGUAGE), "language");
    assert_string_equal(tool_arguments_namer("workdirMB"), "workdirMB in the configuration");
    assert_null(tool_arguments_namer("maxQueued"));
}
