#include "test.h"

#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "service/audit.h"

struct fixture {
    char *directory, *file;
    struct audit audit;
    struct plan plan;
    struct result result;
    struct error error;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .directory = temp_create(), .plan = PLAN_INIT, .result = RESULT_INIT, .error = ERROR_INIT};
    fixture->file = path_in(fixture->directory, "audit");
    sandbox_policy_init(&fixture->plan.policy);
    fixture->plan.policy.limits.number[LIMIT_CPUS] = 0.5;
    fixture->plan.policy.limits.number[LIMIT_MEMORY] = 64;
    fixture->plan.language = string_copy("python");
    fixture->plan.input.code = string_copy("secret");
    fixture->plan.input.code_length = 6;
    fixture->result.reason = REASON_TIMEOUT;
    fixture->result.exit_code = 137;
    fixture->result.signal = SIGKILL;
    fixture->result.duration_ms = 50;
    fixture->result.error = string_copy("hidden");
}

static void tear_down(struct fixture *fixture)
{
    audit_close(&fixture->audit);
    plan_release(&fixture->plan);
    result_release(&fixture->result);
    error_release(&fixture->error);
    free(fixture->file);
    temp_remove(fixture->directory);
}

static int add(struct fixture *fixture)
{
    return audit_add(&fixture->audit, NULL, &fixture->plan, &fixture->result, NULL,
                     &fixture->error);
}

static char *text_of(const struct fixture *fixture)
{
    CLEANUP_FD const int fd = open(fixture->file, O_RDONLY | O_CLOEXEC);
    struct strbuf text = read_all(fd);

    return strbuf_steal(&text);
}

CASE_WITH(audit__a_line_has_what_is_known, set_up(fixture))
{
    CLEANUP_FREE char *text = NULL, *rest = NULL;
    const char *after;
    struct stat status;
    json_t *line;

    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(stat(fixture->file, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(add(fixture), 0);
    text = text_of(fixture);
    line = json_loads(text, 0, NULL);
    assert_non_null(line);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(line, "caller"), "uid")),
                     getuid());
    after = strstr(text, "\"container\"");
    assert_non_null(after);
    rest = string_copy(after);
    assert_string_equal(
        rest,
        "\"container\":null,\"language\":\"python\",\"codeSha256\":"
        "\"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\","
        "\"image\":null,\"imageId\":null,\"limits\":{\"timeoutSeconds\":null,\"memoryMB\":64,"
        "\"cpus\":0.5,\"cpuSeconds\":null,\"pidsLimit\":null,\"workdirMB\":null,\"tmpMB\":null,"
        "\"outputBytes\":null},\"network\":null,\"tests\":0,\"status\":\"timeout\","
        "\"reason\":\"timeout\",\"exitCode\":137,\"signal\":\"SIGKILL\",\"durationMs\":50,"
        "\"cpuMs\":null,\"peakMemoryBytes\":null}\n");
    json_decref(line);
}

/* What a request asks for, if it does. */
CASE_WITH(audit__hosts_of_the_request, set_up(fixture))
{
    struct network_selection *hosts;
    CLEANUP_FREE char *text = NULL;

    hosts = &fixture->plan.policy.network_rules.selection;
    hosts->given = true;
    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(add(fixture), 0);
    assert_int_equal(network_selection_add(hosts, "Example.com:443", &fixture->error), 0);
    assert_int_equal(network_selection_add(hosts, "*.example.org", &fixture->error), 0);
    assert_int_equal(add(fixture), 0);
    text = text_of(fixture);
    assert_non_null(strstr(text, "\"network\":null,\"hosts\":[],\"tests\":0,"));
    assert_non_null(strstr(
        text, "\"network\":null,\"hosts\":[\"example.com:443\",\"*.example.org\"],\"tests\":0,"));
}

CASE_WITH(audit__the_checker_of_tests, set_up(fixture))
{
    CLEANUP_FREE char *text = NULL;

    fixture->result.checker_image = string_copy("judge:1");
    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(add(fixture), 0);
    fixture->result.checker_container = string_copy("isolator-1");
    assert_int_equal(add(fixture), 0);
    text = text_of(fixture);
    assert_non_null(strstr(text, "\"checker\":{\"image\":\"judge:1\",\"container\":null}}\n"));
    assert_non_null(
        strstr(text, "\"checker\":{\"image\":\"judge:1\",\"container\":\"isolator-1\"}}\n"));
}

/* The digest of the program that comes from the plan's directory. */
CASE_WITH(audit__the_program_of_a_directory, set_up(fixture))
{
    CLEANUP_FREE char *text = NULL;

    free(steal_pointer(&fixture->plan.input.code));
    fixture->plan.input.dir = string_copy(fixture->directory);
    fixture->plan.entrypoint = string_copy("main.py");
    write_in(fixture->directory, "main.py", "secret");
    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(add(fixture), 0);
    free(fixture->plan.entrypoint);
    fixture->plan.entrypoint = string_copy("missing");
    assert_int_equal(add(fixture), 0);
    text = text_of(fixture);
    assert_non_null(
        strstr(text, "\"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\""));
    assert_non_null(strstr(text, "\"codeSha256\":null"));
}

CASE_WITH(audit__a_file_that_was_renamed, set_up(fixture))
{
    CLEANUP_FREE char *other = NULL;
    struct stat status;

    other = path_in(fixture->directory, "audit.1");
    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(add(fixture), 0);
    assert_int_equal(rename(fixture->file, other), 0);
    assert_int_equal(add(fixture), 0);
    assert_int_equal(stat(fixture->file, &status), 0);
    assert_true(status.st_size > 100);
}

CASE_WITH(audit__what_cannot_be_written, set_up(fixture))
{
    CLEANUP_FREE char *message = NULL;

    assert_int_equal(audit_open(&fixture->audit, "/dev/null", &fixture->error), -1);
    assert_error(&fixture->error, ERROR_CONFIG, "the audit file '/dev/null' is not a regular file");
    assert_int_equal(audit_open(&fixture->audit, "/nowhere/audit", &fixture->error), -1);
    assert_error(&fixture->error, ERROR_CONFIG,
                 "cannot write the audit file '/nowhere/audit': No such file or directory");
    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(unlink(fixture->file), 0);
    assert_int_equal(mkdir(fixture->file, 0700), 0);
    assert_int_equal(add(fixture), -1);
    message = string_format("cannot write the audit file '%s': Is a directory", fixture->file);
    assert_error(&fixture->error, ERROR_SYSTEM, message);
}

/* A line that is cut, because the disk is full, does not spoil the next one. */
CASE_WITH(audit__a_line_that_is_cut, set_up(fixture))
{
    CLEANUP_FREE char *message = NULL, *text = NULL;
    struct rlimit before, small;

    assert_int_equal(audit_open(&fixture->audit, fixture->file, &fixture->error), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 100, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(add(fixture), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    message =
        string_format("cannot write the audit file '%s': No space left on device", fixture->file);
    assert_error(&fixture->error, ERROR_SYSTEM, message);
    assert_int_equal(add(fixture), 0);
    text = text_of(fixture);
    assert_memory_equal(text + 100, "\n{\"time\"", 8);
}
