#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "supervisor/exit_watch.h"

/*
 * A child that does something once it is told to, and the watch of it. It has another tracer, until
 * whose end this process cannot reap it: as if the kernel were still at work for it.
 */
struct fixture {
    struct exit_watch watch;
    struct figures figures;
    char *directory; /* that of the cgroup */
    int status;
    int proc, order;
    pid_t pid, tracer;
};

/* Starts the tracer, and waits until it traces. */
static pid_t trace(const struct fixture *fixture)
{
    const pid_t tracer = fork();
    int status;

    if (tracer == 0) {
        close(fixture->order); /* its end is the order */
        if (ptrace(PTRACE_SEIZE, fixture->pid, NULL, NULL) == 0)
            raise(SIGSTOP);
        for (;;)
            pause();
    }
    assert_int_equal(waitpid(tracer, &status, WUNTRACED), tracer);
    return tracer;
}

static void begin(struct fixture *fixture, void act(void), const char *processes)
{
    int ends[2];
    char byte;

    fixture->directory = temp_create();
    write_in(fixture->directory, "pids.current", processes);
    write_in(fixture->directory, "memory.max", "1000000\n");
    write_in(fixture->directory, "memory.current", "499999\n");
    figures_open(&fixture->figures, fixture->directory);
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
    exit_watch_begin(&fixture->watch, fixture->proc, fixture->pid, &fixture->figures, 2);
}

static bool check(struct fixture *fixture)
{
    return exit_watch_check(&fixture->watch, &fixture->status);
}

static void end_tracer(struct fixture *fixture)
{
    if (fixture->tracer > 0 && kill(fixture->tracer, SIGKILL) == 0)
        waitpid(fixture->tracer, NULL, 0);
    fixture->tracer = 0;
}

/* Lets it act, and waits until its first thread has ended. */
static void act_and_end(struct fixture *fixture)
{
    CLEANUP_FREE char *directory = string_format("/proc/%d", fixture->pid);
    bool waits = true;

    fixture->tracer = trace(fixture);
    close(fixture->order);
    while (waits) {
        CLEANUP_FREE char *status = read_in(directory, "status");

        waits = !strstr(status, "State:\tZ");
    }
}

static void tear_down(struct fixture *fixture)
{
    end_tracer(fixture);
    assert_int_equal(waitpid(fixture->pid, NULL, 0), fixture->pid);
    exit_watch_stop(&fixture->watch);
    figures_close(&fixture->figures);
    temp_remove(fixture->directory);
    close(fixture->watch.timer);
    close(fixture->proc);
}

/* Its end is seen with the status that waitpid(2) tells. */
static void check_seen(void act(void), int status)
{
    struct pollfd polled = {.events = POLLIN};
    struct fixture fixture;

    begin(&fixture, act, "2\n");
    polled.fd = fixture.watch.timer;
    assert_int_equal(poll(&polled, 1, -1), 1); /* time to look */
    assert_false(check(&fixture));
    act_and_end(&fixture);
    assert_int_equal(poll(&polled, 1, -1), 1); /* again */
    assert_true(check(&fixture));
    assert_int_equal(fixture.status, status);
    assert_int_equal(poll(&polled, 1, 0), 0);
    assert_false(check(&fixture)); /* nothing is watched any more */
    tear_down(&fixture);
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

CASE(exit_watch__status)
{
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
CASE_WITH(exit_watch__other_thread, begin(fixture, leaves_a_thread, "2\n"))
{
    assert_false(check(fixture));
    act_and_end(fixture);
    assert_false(check(fixture));
    assert_true(fixture->watch.stat >= 0);
    kill(fixture->pid, SIGKILL);
}

/* Its end is left to SIGCHLD: it can be reaped already, is not alone, or holds most memory. */
CASE(exit_watch__left_to_the_signal)
{
    enum { REAPED, OTHERS, MEMORY, CASES };

    for (int i = 0; i < CASES; i++) {
        struct fixture fixture;

        begin(&fixture, exits_with_7, i == OTHERS ? "3\n" : "2\n");
        assert_false(check(&fixture));
        act_and_end(&fixture);
        if (i == REAPED)
            end_tracer(&fixture);
        if (i == MEMORY)
            write_in(fixture.directory, "memory.current", "500000\n");
        assert_false(check(&fixture));
        assert_int_equal(fixture.watch.stat, -1);
        tear_down(&fixture);
    }
}

/* The status of a process that does not show more is not shown either. */
CASE_WITH(exit_watch__no_status, begin(fixture, exits_with_7, "2\n"))
{
    act_and_end(fixture);
    assert_false(check(fixture)); /* it has never shown more */
    assert_true(fixture->watch.stat >= 0);
    end_tracer(fixture);
    assert_int_equal(waitpid(fixture->pid, NULL, 0), fixture->pid);
    assert_false(check(fixture));
    assert_int_equal(fixture->watch.stat, -1); /* its file is no more */
    exit_watch_begin(&fixture->watch, fixture->proc, fixture->pid, &fixture->figures, 2);
    assert_int_equal(fixture->watch.stat, -1);
    fixture->pid = fork();
    if (fixture->pid == 0)
        _exit(0);
}
