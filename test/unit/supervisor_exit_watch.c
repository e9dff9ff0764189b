#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "supervisor/exit_watch.h"

/* A child that does something once it is told to, and the watch of it. */
struct fixture {
    struct exit_watch watch;
    struct exit_watch_end end;
    int proc, order;
    pid_t pid;
};

static void begin(struct fixture *fixture, void act(void))
{
    int ends[2];
    char byte;

    assert_int_equal(pipe(ends), 0);
    fixture->pid = fork();
    assert_true(fixture->pid >= 0);
    if (fixture->pid == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 0)
            act();
        _exit(99);
    }
    close(ends[0]);
    fixture->order = ends[1];
    fixture->proc = open("/proc", O_RDONLY | O_DIRECTORY);
    exit_watch_open(&fixture->watch);
    exit_watch_begin(&fixture->watch, fixture->proc, fixture->pid);
}

static bool look(struct fixture *fixture)
{
    return exit_watch_look(&fixture->watch, &fixture->end);
}

/* It has ended after that, and is not reaped, as at the moment that is to be noticed. */
static void act_and_end(struct fixture *fixture)
{
    siginfo_t info;

    close(fixture->order);
    assert_int_equal(waitid(P_PID, (id_t)fixture->pid, &info, WEXITED | WNOWAIT), 0);
}

static void finish(struct fixture *fixture)
{
    int status;

    assert_int_equal(waitpid(fixture->pid, &status, 0), fixture->pid);
    exit_watch_stop(&fixture->watch);
    close(fixture->watch.timer);
    close(fixture->proc);
}

/* Its end is seen with the status that waitpid(2) tells. */
static void check_seen(void act(void), int status)
{
    struct pollfd polled = {.events = POLLIN};
    struct fixture fixture;

    begin(&fixture, act);
    polled.fd = fixture.watch.timer;
    assert_int_equal(poll(&polled, 1, -1), 1); /* time to look */
    assert_false(look(&fixture));
    act_and_end(&fixture);
    assert_int_equal(poll(&polled, 1, -1), 1); /* again */
    assert_true(look(&fixture));
    assert_int_equal(fixture.end.status, status);
    assert_int_equal(fixture.end.threads, 1);
    assert_int_equal(poll(&polled, 1, 0), 0);
    assert_false(look(&fixture)); /* nothing is watched any more */
    finish(&fixture);
}

static void exits_with_0(void)
{
    _exit(0);
}

static void exits_with_7(void)
{
    _exit(7);
}

static void is_killed(void)
{
    kill(getpid(), SIGKILL);
}

/* The name of a process is part of the file. */
static void has_a_strange_name(void)
{
    prctl(PR_SET_NAME, "a) Z 1 (");
    _exit(7);
}

static void exit_watch__status(void **state)
{
    (void)state;
    check_seen(exits_with_0, 0);
    check_seen(exits_with_7, 7 << 8);
    check_seen(is_killed, SIGKILL);
    check_seen(has_a_strange_name, 7 << 8);
}

static void *wait_long(void *context)
{
    pause();
    return context;
}

static void leaves_a_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, wait_long, NULL) == 0)
        pthread_exit(NULL);
}

/* The first thread is a zombie then, like that of a process that has ended. */
static void exit_watch__other_thread(void **state)
{
    CLEANUP_FREE char *directory = NULL;
    struct fixture fixture;
    bool waits = true;

    (void)state;
    begin(&fixture, leaves_a_thread);
    directory = string_format("/proc/%d", fixture.pid);
    assert_false(look(&fixture));
    close(fixture.order);
    while (waits) {
        CLEANUP_FREE char *status = read_in(directory, "status");

        waits = !strstr(status, "State:\tZ");
    }
    assert_false(look(&fixture));
    assert_true(fixture.watch.stat >= 0);
    kill(fixture.pid, SIGKILL);
    finish(&fixture);
}

/* The status of a process that does not show more has to be taken from waitpid(2). */
static void exit_watch__no_status(void **state)
{
    struct fixture fixture;

    (void)state;
    begin(&fixture, exits_with_7);
    act_and_end(&fixture);
    assert_false(look(&fixture)); /* it has never shown more */
    assert_true(fixture.watch.stat >= 0);
    finish(&fixture);
    assert_false(look(&fixture));
    assert_int_equal(fixture.watch.stat, -1); /* its file is no more */
}

static void exit_watch__no_process(void **state)
{
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY);
    struct fixture fixture;

    (void)state;
    begin(&fixture, exits_with_0);
    act_and_end(&fixture);
    finish(&fixture);
    exit_watch_begin(&fixture.watch, proc, fixture.pid);
    assert_int_equal(fixture.watch.stat, -1);
    assert_false(look(&fixture));
    close(proc);
}
