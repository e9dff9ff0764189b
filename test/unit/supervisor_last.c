#include "supervisor_client.h"

#include <sys/ptrace.h>

/*
 * Requests after which none follows (FRAME_RUN_LAST). Each program is one that this process traces,
 * too: so the supervisor cannot reap it before this process has, as if the kernel were still at
 * work for it. A signal would stop it, and so would the end of a child of its own.
 */

static const struct frame_run LAST = {.timer_ms = 2 * LATE_MS,
                                      .linger_ms = 2 * LATE_MS,
                                      .output_max = MEGABYTE,
                                      .flags = FRAME_RUN_LAST};

/* Runs a program that writes its id at first, and then waits for a line. */
static pid_t begin(struct fixture *fixture, const char *script, const char *processes,
                   const struct frame_run *run)
{
    pid_t pid;

    prepare(fixture);
    write_in(fixture->directory, "pids.current", processes);
    launch(fixture, fixture->directory);
    expect(fixture, FRAME_HELLO);
    add_script(fixture, script);
    add(fixture, FRAME_RUN, run, sizeof *run);
    expect_output(fixture, 0, 2);
    pid = (pid_t)atoi(strbuf_string(&fixture->out[0]));
    assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
    add_text(fixture, FRAME_STDIN, "\n");
    return pid;
}

/* The program has ended. The supervisor can reap it after that. */
static void reap(pid_t pid)
{
    assert_int_equal(waitpid(pid, NULL, __WALL), pid);
}

CASE(last__end_comes_before_it_is_reaped)
{
    struct fixture fixture;
    siginfo_t info;
    pid_t pid;

    pid = begin(&fixture,
                "echo $$; read line; i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); echo $i; done; "
                "echo kept >file; exit 7",
                "2\n", &LAST);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 7);
    assert_true(fixture.end.used_bytes == FRAME_UNKNOWN);
    assert_non_null(strstr(strbuf_string(&fixture.out[0]), "\n4999\n5000\n"));
    add_collect(&fixture, MEGABYTE);
    expect(&fixture, FRAME_FILES_END);
    check_files(&fixture, "./file 5;./pids.current 2;");
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(info.si_pid, pid); /* no one has reaped it */
    reap(pid);
    tear_down(&fixture);
}

/* A program that another one follows, and one that leaves a process: those are waited for. */
CASE(last__end_comes_later)
{
    static const struct {
        const char *processes;
        uint32_t flags;
    } cases[] = {{"2\n", 0}, {"3\n", FRAME_RUN_LAST}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct frame_run run = LAST;
        struct fixture fixture;
        pid_t pid;

        run.flags = cases[i].flags;
        pid = begin(&fixture, "echo $$; read line; exit 7", cases[i].processes, &run);
        expect_none(&fixture, FRAME_END);
        reap(pid);
        expect(&fixture, FRAME_END);
        check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 7);
        tear_down(&fixture);
    }
}

/* The end of a program that is stopped is the signal that has ended it. */
CASE(last__stop)
{
    struct fixture fixture;
    pid_t pid;

    pid = begin(&fixture, "echo $$; read line; read line", "2\n", &LAST);
    add(&fixture, FRAME_STOP, NULL, 0);
    flush(&fixture);
    reap(pid);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, 9, 0);
    tear_down(&fixture);
}

CASE(last__nothing_may_follow)
{
    static const int types[] = {FRAME_RESET, FRAME_KEEP, FRAME_RESTORE};

    for (size_t i = 0; i < COUNT(types); i++) {
        static const char zeros[sizeof(struct frame_keep)];
        struct fixture fixture;

        set_up(&fixture);
        add_script(&fixture, "exit 0");
        add(&fixture, FRAME_RUN, &LAST, sizeof LAST);
        expect(&fixture, FRAME_END);
        add(&fixture, types[i], zeros,
            types[i] == FRAME_RESET  ? 0
            : types[i] == FRAME_KEEP ? sizeof(struct frame_keep)
                                     : sizeof(struct frame_restore));
        expect_refusal(&fixture);
    }
}

/* The order comes with the request, and is forgotten if there is no program. */
CASE(last__files_in_advance)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "echo kept >file; exit 3");
    add_collect(&fixture, MEGABYTE);
    add(&fixture, FRAME_RUN, &LAST, sizeof LAST);
    expect(&fixture, FRAME_FILES_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 3);
    check_files(&fixture, "./file 5;");
    assert_string_equal(strbuf_string(&fixture.trace), "HELLO BEGUN END FILES_END ");
    tear_down(&fixture);

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, "/no/program");
    add_collect(&fixture, MEGABYTE);
    add(&fixture, FRAME_RUN, &LAST, sizeof LAST);
    expect(&fixture, FRAME_FAILED);
    expect_none(&fixture, FRAME_FILES_END);
    tear_down(&fixture);
}

CASE(last__files_in_advance_of_another)
{
    struct fixture fixture;

    set_up(&fixture);
    add_script(&fixture, "exit 0");
    add_collect(&fixture, MEGABYTE);
    add_run(&fixture, MEGABYTE);
    expect_refusal(&fixture);
}

/* What stays needs a request after it. */
CASE(last__of_what_stays)
{
    static const uint32_t flags[] = {FRAME_RUN_CELL, FRAME_RUN_KEEP_PROCESSES};

    for (size_t i = 0; i < COUNT(flags); i++) {
        struct frame_run run = LAST;
        struct fixture fixture;

        run.flags |= flags[i];
        set_up(&fixture);
        add_script(&fixture, "exit 0");
        add(&fixture, FRAME_RUN, &run, sizeof run);
        expect_refusal(&fixture);
    }
}

static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
