#include "test.h"

#include "service/gc.h"

/* The labels of another host, long overdue. */
#define OWNER  "\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\",\"elsewhere\",\"1000\"]"
#define NAME   "isolator-0123456789abcdef"
#define LIFT   "|update|--cpus=4|" /* of an engine with four */
#define ORPHAN "[\"" NAME "\",\"Created\"," OWNER

/* A docker command that prints the file "list". */
struct fixture {
    char *directory;
    char *command;
    struct docker docker;
    struct strbuf reports;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *list)
{
    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker",
                                 "case $1 in\n"
                                 "ps) [ $# -gt 6 ] || exit 0; cat list;;\n"
                                 "info) echo 4;;\n"
                                 "*) printf '|%s' \"$@\" >>calls; echo >>calls; [ ! -e refuse ];;\n"
                                 "esac");
    write_in(fixture->directory, "list", list);
    fixture->docker.command = fixture->command;
    fixture->docker.engine_timeout = 600;
}

static void tear_down(struct fixture *fixture)
{
    strbuf_release(&fixture->reports);
    error_release(&fixture->error);
    free(fixture->command);
    temp_remove(fixture->directory);
}

static void report(void *context, const struct orphan *orphan)
{
    strbuf_addf(context, "%s (%s) of %s on %s: %s%s%s\n", orphan->name, orphan->state, orphan->pid,
                orphan->host,
                orphan->status == OWNER_OVERDUE ? "overdue"
                : orphan->status == OWNER_ALIVE ? "in use"
                                                : "ended",
                orphan->failure ? ": " : "", orphan->failure ? orphan->failure : "");
}

static int collect(struct fixture *fixture, enum gc_mode mode)
{
    return gc_collect(&fixture->docker, mode, report, &fixture->reports, NULL, &fixture->error);
}

static void check_calls(const struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *calls = read_in(fixture->directory, "calls");

    assert_string_equal(calls, expected);
}

static void gc__removes_and_reports(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, ORPHAN "\n");
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 1);
    assert_no_error(&fixture.error);
    assert_string_equal(fixture.reports.data, NAME " (Created) of 7 on elsewhere: overdue\n");
    check_calls(&fixture, LIFT NAME "\n|rm|--force|--volumes|" NAME "\n");
    tear_down(&fixture);
}

static void gc__lists(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, ORPHAN "\n" ORPHAN "\n");
    assert_int_equal(collect(&fixture, GC_LIST), 2);
    check_calls(&fixture, "(none)");
    tear_down(&fixture);
}

static void gc__in_passing(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, ORPHAN "\n");
    write_in(fixture.directory, "refuse", "");
    assert_int_equal(gc_collect(&fixture.docker, GC_ONE_PASS, NULL, NULL, NULL, &fixture.error), 1);
    check_calls(&fixture, LIFT NAME "\n|rm|--force|--volumes|" NAME "\n"); /* one attempt */
    tear_down(&fixture);
}

/* A session whose owner lives is reported and left alone; without its owner it is an orphan. */
static void gc__sessions(void **state)
{
    static const char live[] =
        "[\"isolator-session-0123456789abcdef\",\"Up 3 minutes\","
        "\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\",\"elsewhere\","
        "\"99999999999\"]\n"
        "[\"" NAME "\",\"Up 3 minutes\","
        "\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\",\"elsewhere\","
        "\"99999999999\"]\n";
    struct fixture fixture;

    (void)state;
    set_up(&fixture, live);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 0);
    assert_string_equal(strbuf_string(&fixture.reports),
                        "isolator-session-0123456789abcdef (Up 3 minutes) of 7 on elsewhere: "
                        "in use\n");
    assert_int_equal(gc_collect(&fixture.docker, GC_ONE_PASS, NULL, NULL, NULL, &fixture.error), 0);
    check_calls(&fixture, "(none)");
    tear_down(&fixture);

    set_up(&fixture, "[\"isolator-session-0123456789abcdef\",\"Created\"," OWNER "\n");
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 1);
    check_calls(&fixture, LIFT "isolator-session-0123456789abcdef\n"
                               "|rm|--force|--volumes|isolator-session-0123456789abcdef\n");
    tear_down(&fixture);
}

/* Lines of another form: none of these containers is removed. */
static void gc__leaves_what_is_not_ours(void **state)
{
    static const char *const lists[] = {
        "",
        "\n",
        NAME "\n",
        "[\"" NAME "\"]\n",
        "[\"\",\"Created\"," OWNER "\n",
        "[\"other\",\"Created\"," OWNER "\n",
        "[\"isolator-0123456789abcde\",\"Created\"," OWNER "\n",
        "[\"isolator-0123456789abcdef0\",\"Created\"," OWNER "\n",
        "[\"isolator-0123456789ABCDEF\",\"Created\"," OWNER "\n",
        "[\"isolator-session-0123456789abcde\",\"Created\"," OWNER "\n",
        "[\"isolator-session-\",\"Created\"," OWNER "\n",
        "[\"--all\",\"Created\"," OWNER "\n",
        "[\"" NAME "," NAME "\",\"Created\"," OWNER "\n",
        ORPHAN "\tmore\n",
        /* A line break in a label stays within its quotes. */
        "[\"" NAME "\",\"Created\",\"0\",\"1\",\"1\",\"1\",\"a\\n[\\\"" NAME
        "\\\",\\\"Up\\\"]\",\"99999999999\"]\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct fixture fixture;

        set_up(&fixture, lists[i]);
        if (collect(&fixture, GC_UNTIL_GONE) != 0)
            fail_msg("taken: %s", lists[i]);
        check_calls(&fixture, "(none)");
        tear_down(&fixture);
    }
}

static void gc__shows_labels_safely(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture,
           "[\"" NAME "\",\"Up \\u001b[2J\",\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\","
           "\"1\",\"a\\u001b[2J\xc2\x9b\\n\",\"1000\"]\n");
    assert_int_equal(collect(&fixture, GC_LIST), 1);
    assert_string_equal(fixture.reports.data,
                        NAME " (Up \\x1b[2J) of 7 on a\\x1b[2J\\xc2\\x9b\\n: overdue\n");
    tear_down(&fixture);
}

/* The containers that were listed are removed, and the incomplete list is an error. */
static void gc__of_a_list_that_is_too_long(void **state)
{
    struct strbuf list = STRBUF_INIT;
    struct fixture fixture;

    (void)state;
    while (list.length < DOCKER_OUTPUT_MAX - 50)
        strbuf_addstr(&list, "other\n");
    strbuf_addstr(&list, ORPHAN "\n"); /* cut */
    set_up(&fixture, list.data);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), -1);
    assert_error(&fixture.error, ERROR_ENGINE, "the list of containers is too long");
    check_calls(&fixture, "(none)");
    strbuf_release(&list);
    tear_down(&fixture);
}

static void gc__cancelled(void **state)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct fixture fixture;

    (void)state;
    set_up(&fixture, ORPHAN "\n");
    assert_int_equal(notifier_open(&cancel, &fixture.error), 0);
    notifier_raise(&cancel);
    assert_int_equal(gc_collect(&fixture.docker, GC_UNTIL_GONE, report, &fixture.reports, &cancel,
                                &fixture.error),
                     -1);
    assert_int_equal(fixture.error.kind, ERROR_CANCELLED);
    check_calls(&fixture, "(none)");
    notifier_release(&cancel);
    tear_down(&fixture);
}
