#include "test.h"

#include "base/clock.h"
#include "docker/container_list.h"

/* A docker command that is a script; each call is a line of the file "calls". */
struct fixture {
    char *directory, *command;
    struct docker docker;
    struct strvec filters, keys;
    struct container_list list;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *script)
{
    CLEANUP_FREE char *body =
        string_format("printf '|%%s' \"$@\" >>calls; echo >>calls\n%s", script);

    *fixture = (struct fixture){.directory = temp_create(), .list = CONTAINER_LIST_INIT};
    fixture->command = script_in(fixture->directory, "docker", body);
    fixture->docker = (struct docker){.command = fixture->command, .engine_timeout = 600};
    strvec_push_each(&fixture->filters, "isolator.host=a b", "isolator.pid", NULL);
    strvec_push_each(&fixture->keys, "one", "two.three", NULL);
}

static int list(struct fixture *fixture)
{
    return container_list(&fixture->docker, &fixture->filters, &fixture->keys,
                          clock_now_ms() + 60000, NULL, &fixture->list, &fixture->error);
}

static void check_calls(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *calls = read_in(fixture->directory, "calls");

    assert_string_equal(calls, expected);
}

/* "name, status, labels; " for each row. */
static void check_rows(const struct container_list *rows, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;

    for (size_t i = 0; i < rows->count; i++) {
        const struct container_row *row = &rows->rows[i];
        CLEANUP_FREE char *labels = strvec_join(&row->labels, ", ");

        strbuf_addf(&seen, "%s, %s, %s; ", row->name, row->status, labels);
    }
    assert_string_equal(strbuf_string(&seen), expected);
}

static void tear_down(struct fixture *fixture)
{
    container_list_release(&fixture->list);
    strvec_release(&fixture->filters);
    strvec_release(&fixture->keys);
    error_release(&fixture->error);
    free(fixture->command);
    temp_remove(fixture->directory);
}

CASE_WITH(container_list__rows_by_labels,
          set_up(fixture, "echo '[\"a\",\"Created\",\"1\",\"\"]'; echo warning >&2\n"
                          "printf '\\n[\"b\",\"Up 3 minutes\",\"\",\"2\"]'"))
{
    assert_int_equal(list(fixture), 0);
    assert_no_error(&fixture->error);
    assert_false(fixture->list.truncated);
    check_calls(fixture, "|ps|--all|--no-trunc|--format|[{{json .Names}},{{json .Status}},"
                         "{{json (.Label \"one\")}},{{json (.Label \"two.three\")}}]"
                         "|--filter|label=isolator.host=a b|--filter|label=isolator.pid\n");
    check_rows(&fixture->list, "a, Created, 1, ; b, Up 3 minutes, , 2; ");
}

/* In podman, labels are a map, and .State is a text for people. */
CASE_WITH(container_list__of_podman, set_up(fixture, ""))
{
    fixture->docker.kind = ENGINE_PODMAN;
    strvec_push(&fixture->keys, ".State");
    assert_int_equal(list(fixture), 0);
    check_calls(fixture, "|ps|--all|--no-trunc|--format|[{{json .Names}},{{json .Status}},"
                         "{{json (index .Labels \"one\")}},{{json (index .Labels \"two.three\")}},"
                         "{{$state := .ListContainer.State}}"
                         "{{if eq $state \"initialized\"}}\"created\""
                         "{{else if eq $state \"stopping\"}}\"running\""
                         "{{else if eq $state \"stopped\"}}\"exited\""
                         "{{else}}{{json $state}}{{end}}]"
                         "|--filter|label=isolator.host=a b|--filter|label=isolator.pid\n");
}

CASE_WITH(container_list__without_labels, set_up(fixture, "echo '[\"a\",\"Created\"]'"))
{
    strvec_release(&fixture->filters);
    assert_int_equal(container_list(&fixture->docker, &fixture->filters, NULL,
                                    clock_now_ms() + 60000, NULL, &fixture->list, &fixture->error),
                     0);
    check_calls(fixture, "|ps|--all|--no-trunc|--format|[{{json .Names}},{{json .Status}}]\n");
    check_rows(&fixture->list, "a, Created, ; ");
}

CASE_WITH(container_list__empty, set_up(fixture, ""))
{
    assert_int_equal(list(fixture), 0);
    assert_false(fixture->list.truncated);
    check_rows(&fixture->list, "");
}

/* A label ends where its JSON string ends. */
CASE(container_list__labels_hold_anything)
{
    static const char line[] =
        "[\"a\",\"Up\",\"x\\n[\\\"b\\\",\\\"Up\\\"]\\u001b[2J\",\"\\\"\\\\ \xc3\xa9\"]";
    CLEANUP(container_list_release) struct container_list rows = CONTAINER_LIST_INIT;

    assert_true(container_list_add(&rows, line, strlen(line), 2));
    check_rows(&rows, "a, Up, x\n[\"b\",\"Up\"]\x1b[2J, \"\\ \xc3\xa9; ");
}

CASE(container_list__garbage)
{
    static const char *const lines[] = {
        "",
        "a",
        "\"a\"",
        "[\"a\",\"Up\",\"1\"",
        "[\"a\",\"Up\"]",
        "[\"a\",\"Up\",\"1\",\"2\"]",
        "[\"a\",\"Up\",1]",
        "[\"a\",null,\"1\"]",
        "[\"a\",\"Up\",[\"1\"]]",
        "{\"a\":\"Up\",\"b\":\"1\"}",
        "[\"a\",\"Up\",\"1\"]x",
        "[\"a\",\"Up\",\"1\\u0000\"]",
        "[\"a\",\"Up\",\"\xff\"]",
        "[[[[[[[[[[[[[[[[",
    };
    CLEANUP(container_list_release) struct container_list rows = CONTAINER_LIST_INIT;

    for (size_t i = 0; i < COUNT(lines); i++)
        if (container_list_add(&rows, lines[i], strlen(lines[i]), 1))
            fail_msg("taken: %s", lines[i]);
    assert_int_equal(rows.count, 0);
    assert_true(container_list_add(&rows, "[\"a\",\"Up\",\"1\"]", 14, 1)); /* a valid row */
}

/* A truncated row is not a row. */
CASE_WITH(container_list__truncated,
          set_up(fixture,
                 "i=0; while [ $i -lt 14563 ]; do echo '[\"0123456789\",\"\"]'; i=$((i+1)); "
                 "done; printf '[\"0123456789\",\"\"]'"))
{
    strvec_release(&fixture->keys);
    assert_int_equal(list(fixture), 0);
    assert_no_error(&fixture->error);
    assert_true(fixture->list.truncated);
    assert_int_equal(fixture->list.count, DOCKER_OUTPUT_MAX / 18);
    assert_string_equal(fixture->list.rows[fixture->list.count - 1].name, "0123456789");
}

static void check_failure(const char *script, const char *message)
{
    struct fixture fixture;

    set_up(&fixture, script);
    assert_int_equal(list(&fixture), -1);
    assert_error(&fixture.error, ERROR_ENGINE, message);
    assert_int_equal(fixture.list.count, 0);
    tear_down(&fixture);
}

CASE(container_list__of_a_docker_that_fails)
{
    check_failure("echo '[\"a\",\"Up\",\"1\",\"2\"]'; echo 'no engine' >&2; exit 1",
                  "cannot list the containers: no engine");
    check_failure("exit 3", "cannot list the containers: 'docker ps' ended with status 3");
}

CASE_WITH(container_list__of_a_docker_that_hangs,
          set_up(fixture, "echo '[\"a\",\"Up\",\"1\",\"2\"]'; exec sleep 30"))
{
    assert_int_equal(container_list(&fixture->docker, &fixture->filters, &fixture->keys,
                                    clock_now_ms() + 100, NULL, &fixture->list, &fixture->error),
                     -1);
    assert_int_equal(fixture->error.kind, ERROR_ENGINE);
    assert_int_equal(fixture->list.count, 0);
}
