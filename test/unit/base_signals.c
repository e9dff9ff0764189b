#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/signals.h"

/* In a child: ends the body with the line of the check that failed. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

/*
 * Signals and standard streams belong to the whole process, so each test runs in a child. Returns
 * the status of the child; *failed is the line that its body returned.
 */
static int status_of(int (*body)(int), int argument, int *failed)
{
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        const int line = body(argument);
        _exit(write(ends[1], &line, sizeof line) == sizeof line ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[1]);
    if (read(ends[0], failed, sizeof *failed) != sizeof *failed)
        *failed = -1;
    close(ends[0]);
    return status;
}

static void run(int (*body)(int), int argument)
{
    int failed;
    const int status = status_of(body, argument, &failed);

    if (!WIFEXITED(status))
        fail_msg("the child was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0 || failed != 0)
        fail_msg("the check in line %d failed for %d", failed, argument);
}

static void run_ended_by(int (*body)(int), int signal)
{
    int failed;
    const int status = status_of(body, signal, &failed);

    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal);
}

static bool is_null_for_reading(int fd)
{
    struct stat null, status;

    return stat("/dev/null", &null) == 0 && fstat(fd, &status) == 0 &&
           status.st_rdev == null.st_rdev && S_ISCHR(status.st_mode) &&
           (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

/* ---- set-up */

/* Closes the streams whose bits are set in `closed`. */
static int fill_streams(int closed)
{
    struct stat before[3], after;
    int next = dup(0);

    close(next);
    for (int fd = 0; fd < 3; fd++) {
        CHECK(fstat(fd, &before[fd]) == 0);
        if (closed >> fd & 1)
            close(fd);
    }
    signals_set_up();
    for (int fd = 0; fd < 3; fd++) {
        CHECK(fstat(fd, &after) == 0);
        if (closed >> fd & 1)
            CHECK(is_null_for_reading(fd));
        else
            CHECK(after.st_dev == before[fd].st_dev && after.st_ino == before[fd].st_ino);
    }
    CHECK(dup(0) == next); /* no more was opened */
    return 0;
}

CASE(signals__closed_streams_are_filled)
{
    for (int closed = 0; closed < 8; closed++)
        run(fill_streams, closed);
}

/* Writing a result to a closed stream must stay an error. */
static int write_to_closed(int fd)
{
    close(fd);
    signals_set_up();
    CHECK(write(fd, "x", 1) == -1);
    CHECK(errno == EBADF);
    return 0;
}

CASE(signals__writing_to_a_filled_stream_fails)
{
    run(write_to_closed, STDOUT_FILENO);
    run(write_to_closed, STDERR_FILENO);
}

static int unblock(int unused)
{
    sigset_t all, seen;

    (void)unused;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signals_set_up();
    sigprocmask(SIG_SETMASK, NULL, &seen);
    for (int number = 1; number < 32; number++)
        CHECK(sigismember(&seen, number) == 0);
    return 0;
}

CASE(signals__none_is_blocked)
{
    run(unblock, 0);
}

static int dispositions(int unused)
{
    struct sigaction seen;
    int ends[2];

    (void)unused;
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signals_set_up();
    CHECK(sigaction(SIGCHLD, NULL, &seen) == 0 && seen.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGXFSZ, NULL, &seen) == 0 && seen.sa_handler == SIG_IGN);
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(write(ends[1], "x", 1) == -1);
    CHECK(errno == EPIPE);
    return 0;
}

CASE(signals__errors_of_write_are_its_result)
{
    run(dispositions, 0);
}

/* ---- catching */

static int catch_and_raise(int number)
{
    struct error error = ERROR_INIT;

    CHECK(!signals_are_caught());
    CHECK(signals_catch(&error) == 0);
    CHECK(!error.message);
    CHECK(signals_are_caught());
    CHECK(signals_caught() == 0);
    CHECK(!notifier_raised(signals_cancel()));
    CHECK(raise(number) == 0);
    CHECK(signals_caught() == number);
    CHECK(notifier_raised(signals_cancel()));
    return 0;
}

CASE(signals__raise_the_handle)
{
    run(catch_and_raise, SIGINT);
    run(catch_and_raise, SIGTERM);
    run(catch_and_raise, SIGHUP);
}

static int catch_two(int unused)
{
    struct error error = ERROR_INIT;

    (void)unused;
    CHECK(signals_catch(&error) == 0);
    raise(SIGINT);
    raise(SIGTERM);
    CHECK(signals_caught() == SIGTERM);
    CHECK(notifier_raised(signals_cancel()));
    return 0;
}

CASE(signals__last_one_is_told)
{
    run(catch_two, 0);
}

/* As after nohup(1). */
static int catch_ignored_hangup(int unused)
{
    struct error error = ERROR_INIT;

    (void)unused;
    signal(SIGHUP, SIG_IGN);
    CHECK(signals_catch(&error) == 0);
    raise(SIGHUP);
    CHECK(signals_caught() == 0);
    CHECK(!notifier_raised(signals_cancel()));
    return 0;
}

CASE(signals__ignored_hangup_stays_ignored)
{
    run(catch_ignored_hangup, 0);
}

/* As in a background job of a shell. */
static int catch_ignored_interrupt(int number)
{
    signal(number, SIG_IGN);
    return catch_and_raise(number);
}

CASE(signals__ignored_interrupt_is_caught)
{
    run(catch_ignored_interrupt, SIGINT);
    run(catch_ignored_interrupt, SIGTERM);
}

static int catch_without_descriptors(int unused)
{
    const struct rlimit none = {0, 0};
    struct error error = ERROR_INIT;

    (void)unused;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(signals_catch(&error) == -1);
    CHECK(error.kind == ERROR_SYSTEM);
    CHECK(strcmp(error.message, "cannot create an eventfd: Too many open files") == 0);
    error_release(&error);
    return 0;
}

CASE(signals__without_descriptors)
{
    run(catch_without_descriptors, 0);
}

static int release_and_raise(int number)
{
    struct error error = ERROR_INIT;

    CHECK(signals_catch(&error) == 0);
    signals_release();
    CHECK(!signals_are_caught());
    raise(number);
    return 0;
}

CASE(signals__released_ones_end_the_process)
{
    run_ended_by(release_and_raise, SIGINT);
    run_ended_by(release_and_raise, SIGTERM);
    run_ended_by(release_and_raise, SIGHUP);
}
