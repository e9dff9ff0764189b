#include "test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
                                 "ps) [ $# -gt 6 ] || exit 0\n"
                                 "case $* in *isolator.job.*) cat jobs;; *) cat list;; esac;;\n"
                                 "inspect) cat state;;\n"
                                 "info) echo 4;;\n"
                                 "*) printf '|%s' \"$@\" >>calls; echo >>calls; [ ! -e refuse ];;\n"
                                 "esac");
    write_in(fixture->directory, "list", list);
    setenv("XDG_STATE_HOME", fixture->directory, 1);
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
                orphan->expired                   ? "expired"
                : orphan->status == OWNER_OVERDUE ? "overdue"
                : orphan->status == OWNER_ALIVE   ? "in use"
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

CASE_WITH(gc__removes_and_reports, set_up(fixture, ORPHAN "\n"))
{
    assert_int_equal(collect(fixture, GC_UNTIL_GONE), 1);
    assert_no_error(&fixture->error);
    assert_string_equal(fixture->reports.data, NAME " (Created) of 7 on elsewhere: overdue\n");
    check_calls(fixture, LIFT NAME "\n|rm|--force|--volumes|" NAME "\n");
}

CASE_WITH(gc__lists, set_up(fixture, ORPHAN "\n" ORPHAN "\n"))
{
    assert_int_equal(collect(fixture, GC_LIST), 2);
    check_calls(fixture, "(none)");
}

CASE_WITH(gc__in_passing, set_up(fixture, ORPHAN "\n"))
{
    write_in(fixture->directory, "refuse", "");
    assert_int_equal(gc_collect(&fixture->docker, GC_ONE_PASS, NULL, NULL, NULL, &fixture->error),
                     1);
    check_calls(fixture, LIFT NAME "\n|rm|--force|--volumes|" NAME "\n"); /* one attempt */
}

/* A session whose owner lives is reported and left alone; without its owner it is an orphan. */
CASE(gc__sessions)
{
    static const char live[] =
        "[\"isolator-session-0123456789abcdef\",\"Up 3 minutes\","
        "\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\",\"elsewhere\","
        "\"99999999999\"]\n"
        "[\"" NAME "\",\"Up 3 minutes\","
        "\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\",\"elsewhere\","
        "\"99999999999\"]\n";
    struct fixture fixture;

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
CASE(gc__leaves_what_is_not_ours)
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

    for (size_t i = 0; i < COUNT(lists); i++) {
        struct fixture fixture;

        set_up(&fixture, lists[i]);
        if (collect(&fixture, GC_UNTIL_GONE) != 0)
            fail_msg("taken: %s", lists[i]);
        check_calls(&fixture, "(none)");
        tear_down(&fixture);
    }
}

CASE_WITH(gc__shows_labels_safely,
          set_up(fixture,
                 "[\"" NAME
                 "\",\"Up \\u001b[2J\",\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\","
                 "\"1\",\"a\\u001b[2J\xc2\x9b\\n\",\"1000\"]\n"))
{
    assert_int_equal(collect(fixture, GC_LIST), 1);
    assert_string_equal(fixture->reports.data,
                        NAME " (Up \\x1b[2J) of 7 on a\\x1b[2J\\xc2\\x9b\\n: overdue\n");
}

/* The containers that were listed are removed, and the incomplete list is an error. */
CASE(gc__of_a_list_that_is_too_long)
{
    struct strbuf list = STRBUF_INIT;
    struct fixture fixture;

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

CASE_WITH(gc__cancelled, set_up(fixture, ORPHAN "\n"))
{
    struct notifier cancel = NOTIFIER_INIT;

    assert_int_equal(notifier_open(&cancel, &fixture->error), 0);
    notifier_raise(&cancel);
    assert_int_equal(gc_collect(&fixture->docker, GC_UNTIL_GONE, report, &fixture->reports, &cancel,
                                &fixture->error),
                     -1);
    assert_int_equal(fixture->error.kind, ERROR_CANCELLED);
    check_calls(fixture, "(none)");
    notifier_release(&cancel);
}

/* ---- jobs */

#define JOB_ID   "0123456789abcdef"
#define JOB      "isolator-job-" JOB_ID
#define JOB_FILE "isolator/jobs/" JOB_ID
#define STARTING "isolator/jobs/." JOB_ID
#define ROW      "[\"" JOB "\",\"Created\",\"01234567-89ab-cdef-0123-456789abcdef\",\"1.1\",\"7\",\"1\","
#define NEVER    "\"0001-01-01T00:00:00Z\""

/* A job whose owner has ended or is `alive`. docker inspect says when it started. */
static void set_up_job(struct fixture *fixture, bool alive, const char *state, const char *expires,
                       const char *started)
{
    const char *deadline = alive ? "99999999999" : "1000";
    CLEANUP_FREE char *list = string_format(ROW "\"elsewhere\",\"%s\"]\n", deadline);
    CLEANUP_FREE char *row =
        string_format(ROW "\"elsewhere\",\"%s\",\"%s\",\"%s\"]\n", deadline, state, expires);
    CLEANUP_FREE char *inspected = string_format("0 false %s " NEVER " \n", started);
    CLEANUP_FREE char *jobs = NULL;
    CLEANUP_FREE char *parent = NULL;

    set_up(fixture, list);
    write_in(fixture->directory, "jobs", row);
    parent = path_in(fixture->directory, "isolator");
    jobs = path_in(fixture->directory, "isolator/jobs");
    assert_int_equal(mkdir(parent, 0700), 0);
    assert_int_equal(mkdir(jobs, 0700), 0);
    write_in(fixture->directory, "state", inspected);
}

static bool has_file(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);

    return access(path, F_OK) == 0;
}

CASE(gc__of_a_job_that_has_expired)
{
    struct fixture fixture;

    set_up_job(&fixture, false, "exited", "1000", NEVER);
    write_in(fixture.directory, JOB_FILE, "");
    assert_int_equal(collect(&fixture, GC_LIST), 1);
    assert_true(has_file(&fixture, JOB_FILE));
    strbuf_release(&fixture.reports);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 1);
    assert_string_equal(fixture.reports.data, JOB " (Created) of 7 on elsewhere: expired\n");
    check_calls(&fixture, LIFT JOB "\n|rm|--force|--volumes|" JOB "\n");
    assert_false(has_file(&fixture, JOB_FILE));
    tear_down(&fixture);

    set_up_job(&fixture, false, "exited", "99999999999", NEVER);
    write_in(fixture.directory, JOB_FILE, "");
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 0);
    check_calls(&fixture, "(none)");
    assert_true(has_file(&fixture, JOB_FILE));
    tear_down(&fixture);

    set_up_job(&fixture, false, "exited", "1000", NEVER);
    write_in(fixture.directory, JOB_FILE, "");
    write_in(fixture.directory, "refuse", "");
    assert_int_equal(collect(&fixture, GC_ONE_PASS), 1);
    assert_true(has_file(&fixture, JOB_FILE)); /* its container is still there */
    tear_down(&fixture);
}

/* Someone waits for a job that has expired, or still starts one: its file is locked. */
CASE(gc__of_a_job_that_is_in_use)
{
    static const struct {
        const char *file, *expires;
    } uses[] = {{JOB_FILE, "1000"}, {STARTING, "99999999999"}};

    for (size_t i = 0; i < COUNT(uses); i++) {
        CLEANUP_FREE char *path = NULL;
        struct fixture fixture;
        int lock;

        set_up_job(&fixture, false, "running", uses[i].expires, NEVER);
        write_in(fixture.directory, uses[i].file, "{\"expires\": 99999999999}");
        path = path_in(fixture.directory, uses[i].file);
        lock = open(path, O_RDONLY | O_CLOEXEC);
        assert_int_equal(flock(lock, LOCK_EX), 0);
        assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 0);
        check_calls(&fixture, "(none)");
        assert_true(has_file(&fixture, uses[i].file));
        close(lock);
        tear_down(&fixture);
    }
}

/* A start that was killed: before its file was written, and after that, also if the program runs.
 */
CASE(gc__of_a_job_that_was_not_started)
{
    static const char file[] = "{\"expires\": 99999999999}";
    struct fixture fixture;

    set_up_job(&fixture, false, "created", "99999999999", NEVER);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 1);
    check_calls(&fixture, LIFT JOB "\n|rm|--force|--volumes|" JOB "\n");
    tear_down(&fixture);

    set_up_job(&fixture, false, "running", "99999999999", "\"2026-01-01T00:00:00Z\"");
    write_in(fixture.directory, STARTING, file);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 1);
    assert_string_equal(fixture.reports.data, JOB " (Created) of 7 on elsewhere: overdue\n");
    check_calls(&fixture, LIFT JOB "\n|rm|--force|--volumes|" JOB "\n");
    assert_false(has_file(&fixture, STARTING));
    tear_down(&fixture);

    set_up_job(&fixture, true, "created", "99999999999", NEVER);
    write_in(fixture.directory, STARTING, file);
    assert_int_equal(collect(&fixture, GC_UNTIL_GONE), 0);
    check_calls(&fixture, "(none)");
    tear_down(&fixture);
}

/* The list says what was true before the owner started the job and ended. */
CASE_WITH(gc__of_a_job_that_was_started_meanwhile,
          set_up_job(fixture, false, "created", "99999999999", "\"2026-01-01T00:00:00Z\""))
{
    assert_int_equal(collect(fixture, GC_UNTIL_GONE), 0);
    check_calls(fixture, "(none)");
    write_in(fixture->directory, JOB_FILE, "");
    write_in(fixture->directory, "state", "0 false " NEVER " " NEVER " \n");
    assert_int_equal(collect(fixture, GC_UNTIL_GONE), 0);
    check_calls(fixture, "(none)");
    assert_true(has_file(fixture, JOB_FILE));
}
