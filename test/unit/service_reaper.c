#include "test.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "docker/container.h"
#include "docker/engine_memory.h"
#include "service/reaper.h"

/* Long enough for the slowest machine; nothing waits for it to pass. */
enum { PATIENCE_MS = 120000 };

/* The first calls of each reaper: it looks for orphans of others. */
#define LISTS                                                                                      \
    "|ps|--all|--no-trunc|--format|[{{json .Names}},{{json .Status}},"                             \
    "{{json (.Label \"isolator.boot\")}},{{json (.Label \"isolator.namespaces\")}},"               \
    "{{json (.Label \"isolator.pid\")}},{{json (.Label \"isolator.start\")}},"                     \
    "{{json (.Label \"isolator.host\")}},{{json (.Label \"isolator.deadline\")}}]|"                \
    "--filter|label=isolator.pid\n"

/* A docker command that is a script, for the reapers of several programs in turn. */
struct fixture {
    char *directory;
    char *command;
    struct docker docker;
    struct reaper reaper;
};

/* Each call is a line of the file "calls", with a '|' before each argument. */
static void set_up(struct fixture *fixture, const char *script)
{
    CLEANUP_FREE char *body =
        string_format("printf '|%%s' \"$@\" >>calls; echo >>calls\n%s", script);

    *fixture = (struct fixture){.directory = temp_create(), .reaper = {.process = {.fd = -1}}};
    fixture->command = script_in(fixture->directory, "docker", body);
    fixture->docker.command = fixture->command;
    fixture->docker.engine_timeout = 2; /* it looks for more containers for this long */
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->command);
    temp_remove(fixture->directory);
}

/* Waits until the calls contain this text. */
static void await_calls(const struct fixture *fixture, const char *part)
{
    static const struct timespec pause = {0, 10000000};
    const long long end = clock_now_ms() + PATIENCE_MS;

    for (;;) {
        CLEANUP_FREE char *calls = read_in(fixture->directory, "calls");

        if (strstr(calls, part))
            return;
        if (clock_now_ms() > end)
            fail_msg("'%s' is not in:\n%s", part, calls);
        nanosleep(&pause, NULL);
    }
}

/* A program that ends normally: the reaper does nothing after its first calls. */
CASE_WITH(reaper__dismissed, set_up(fixture, ""))
{
    CLEANUP_FREE char *calls = NULL;

    reaper_start(&fixture->reaper, &fixture->docker);
    assert_true(fixture->reaper.process.fd >= 0);
    await_calls(fixture, LISTS);
    sleep(1); /* the first calls have ended */
    reaper_dismiss(&fixture->reaper, &fixture->docker);
    assert_int_equal(fixture->reaper.process.fd, -1);
    reaper_dismiss(&fixture->reaper, &fixture->docker);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
    assert_int_equal(errno, ECHILD);
    sleep(1); /* time for calls that must not come */
    calls = read_in(fixture->directory, "calls");
    assert_string_equal(calls, LISTS);
}

static const char STUBBORN[] = "case $1 in\n"
                               "rm) [ -e may ] && >removed; exit 1;;\n"
                               "ps) [ $# -gt 6 ] || [ -e removed ] || echo 0123;;\n"
                               "esac";

static void give_up(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    reaper_start(&fixture->reaper, &fixture->docker);
    assert_int_equal(
        container_remove(&fixture->docker, "box", NULL, clock_now_ms() + 100, NULL, &error), -1);
    error_release(&error);
    write_in(fixture->directory, "may", "");
    write_in(fixture->directory, "calls", "");
}

CASE_WITH(reaper__retries_what_was_not_removed, set_up(fixture, STUBBORN))
{
    give_up(fixture);
    await_calls(fixture, "|rm|--force|--volumes|box\n|ps|"); /* the name and nothing after it */
    reaper_dismiss(&fixture->reaper, &fixture->docker);
}

/* The program does not wait for the reaper. */
CASE_WITH(reaper__tries_again_behind_the_end, set_up(fixture, STUBBORN))
{
    give_up(fixture);
    reaper_dismiss(&fixture->reaper, &fixture->docker);
    await_calls(fixture, "|rm|--force|--volumes|box\n");
}

/* A container that is added later is tried at once, however long another has been refused. */
CASE_WITH(reaper__tries_what_comes_later_soon,
          set_up(fixture, "case \"$1 $4\" in \"rm other\") echo gone >>calls;; rm*) exit 1;; esac\n"
                          "case $1 in ps) [ $# -gt 6 ] || echo 0123;; esac"))
{
    reaper_start(&fixture->reaper, &fixture->docker);
    fixture->docker.not_removed(fixture->docker.not_removed_context, "first");
    for (int i = 0; i < 3; i++) { /* messages do not delay it */
        sleep(2);
        fixture->docker.not_removed(fixture->docker.not_removed_context, "other");
    }
    await_calls(fixture, "|rm|--force|--volumes|first\n");
    await_calls(fixture, "|rm|--force|--volumes|other\ngone\n");
    reaper_dismiss(&fixture->reaper, &fixture->docker);
}

/* The engine is not there while "away" exists. */
static const char AWAY[] = "[ ! -e away ] || exit 1";

/* A program that has never reached the engine, and cannot remove its container. */
static void remove_in_vain(struct fixture *fixture, struct engine_memory *memory)
{
    struct error error = ERROR_INIT;

    engine_memory_init(memory);
    fixture->docker.memory = memory;
    reaper_start(&fixture->reaper, &fixture->docker);
    await_calls(fixture, LISTS);
    sleep(1); /* the first calls have ended */
    write_in(fixture->directory, "away", "");
    assert_true(docker_never_reached(&fixture->docker));
    assert_int_equal(
        container_remove(&fixture->docker, "box", NULL, clock_now_ms() + PATIENCE_MS, NULL, &error),
        0);
    assert_no_error(&error);
}

/* Neither has its reaper: it ends with the program. */
CASE_WITH(reaper__of_an_engine_that_was_never_reached, set_up(fixture, AWAY))
{
    struct engine_memory memory;
    const long long begin = clock_now_ms();

    write_in(fixture->directory, "away", "");
    remove_in_vain(fixture, &memory);
    reaper_dismiss(&fixture->reaper, &fixture->docker);
    assert_int_equal(waitpid(fixture->reaper.process.pid, NULL, 0), -1); /* it has ended */
    assert_int_equal(errno, ECHILD);
    assert_true(clock_now_ms() - begin < PATIENCE_MS / 2); /* nothing was tried again */
    engine_memory_release(&memory);
}

/* Its reaper has: the engine was lost in the middle of the creation, so it waits for its return. */
CASE_WITH(reaper__of_an_engine_that_was_lost, set_up(fixture, AWAY))
{
    struct engine_memory memory;

    remove_in_vain(fixture, &memory);
    reaper_dismiss(&fixture->reaper, &fixture->docker);
    {
        CLEANUP_FREE char *away = path_in(fixture->directory, "away");

        write_in(fixture->directory, "calls", "");
        assert_int_equal(unlink(away), 0);
    }
    await_calls(fixture, "|version|--format|{{.Server.Version}}\n|rm|--force|--volumes|box\n");
    engine_memory_release(&memory);
}

/* A name that isolator does not use is too long for the pipe, and is ignored. */
CASE_WITH(reaper__a_name_that_is_too_long, set_up(fixture, ""))
{
    reaper_start(&fixture->reaper, &fixture->docker);
    fixture->docker.not_removed(fixture->docker.not_removed_context,
                                "0123456789012345678901234567890123456789012345678901234567890123");
    await_calls(fixture, LISTS);
    reaper_dismiss(&fixture->reaper, &fixture->docker);
}

/* No message names the container: the reaper finds it by the label of the dead process. */
CASE_WITH(reaper__removes_what_a_dead_program_had,
          set_up(fixture,
                 "case $5 in\n"
                 "*isolator.pid*) ;;\n"
                 "*.Names*) [ -e seen ] || echo '[\"isolator-0123456789abcdef\",\"Up\"]'; >seen;;\n"
                 "esac"))
{
    pid_t child;

    child = fork();
    if (child == 0) {
        reaper_start(&fixture->reaper, &fixture->docker);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    {
        CLEANUP_FREE char *asks = string_format("|--filter|label=isolator.pid=%ld|", (long)child);

        await_calls(fixture, asks);
    }
    await_calls(fixture, "|rm|--force|--volumes|isolator-0123456789abcdef\n");
}
