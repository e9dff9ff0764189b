#define _GNU_SOURCE
#include "supervisor_client.h"

#include <sched.h>
#include <sys/wait.h>

/*
 * Programs that are started before their request. Each is a shell, which waits when its script
 * first names a file in the working directory.
 */
static const struct frame_run ORDER = {.stack_max = MEGABYTE};

static const struct frame_run SAME = {.timer_ms = 2 * LATE_MS,
                                      .linger_ms = 2 * LATE_MS,
                                      .output_max = MEGABYTE,
                                      .stack_max = MEGABYTE};

static void make_ready_with(struct fixture *fixture, const char *script, uint32_t flags)
{
    const struct frame_run order = {.stack_max = MEGABYTE, .flags = flags};

    set_up(fixture);
    add_script(fixture, script);
    add_text(fixture, FRAME_ENVIRONMENT, "A=b");
    add(fixture, FRAME_MAKE_READY, &order, sizeof order);
    expect(fixture, FRAME_READY);
    assert_int_equal(fixture->payload.length, sizeof(struct frame_ready));
}

static void make_ready(struct fixture *fixture, const char *script)
{
    make_ready_with(fixture, script, 0);
}

/* A request like that of make_ready(), except for what the arguments change. */
static void add_request(struct fixture *fixture, const char *script, const char *variable,
                        const struct frame_run *run)
{
    add_script(fixture, script);
    add_text(fixture, FRAME_ENVIRONMENT, variable);
    add(fixture, FRAME_RUN, run, sizeof *run);
    add_text(fixture, FRAME_STDIN, "input");
    add(fixture, FRAME_STDIN_END, NULL, 0);
}

/* It sees the files of the request, and no trace of having waited. */
static void check_goes_on(const char *script, uint32_t ready, uint32_t flags)
{
    struct frame_run run = SAME;
    struct fixture fixture;

    run.flags = flags;
    make_ready_with(&fixture, script, ready);
    poll(NULL, 0, SOON_MS);
    add_archive(&fixture, "file", 0);
    add_request(&fixture, script, "A=b", &run);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "content input b 0\n");
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 7);
    assert_int_equal(fixture.end.was_ready, 1);
    assert_string_equal(strbuf_string(&fixture.trace), "HELLO READY BEGUN END ");
    tear_down(&fixture);
}

#define REST                                                                                       \
    " read -r line <file; echo \"$line $(cat) $A"                                                  \
    " $(sed -n 's/^TracerPid:\t//p' /proc/$$/status)\"; exit 7"

CASE(ready__goes_on)
{
    check_goes_on("[ -e file ];" REST, 0, 0);
    check_goes_on("/bin/true;" REST, 0, 0); /* a process */
    check_goes_on("cd ./;" REST, 0, 0);
    check_goes_on(REST, 0, 0);
    check_goes_on("[ -e file ] && [ ! -p /dev/stdin ] &&" REST, FRAME_RUN_STDIN_FILE,
                  FRAME_RUN_STDIN_FILE);
    /* these are not about its start */
    check_goes_on(REST, 0, FRAME_RUN_SAMPLE_MEMORY | FRAME_RUN_AT_ONCE | FRAME_RUN_LAST);
    check_goes_on(REST, FRAME_RUN_LAST, FRAME_RUN_KEEP_PROCESSES);
    check_goes_on(REST, FRAME_RUN_VALUE, 0); /* what waits has no descriptor for one */
}

/* An absolute path: the working directory or what is below it, and nothing that begins like it. */
CASE(ready__absolute_paths)
{
    static const char *const ends[] = {"", "/", "/x"};

    for (size_t i = 0; i < COUNT(ends); i++) {
        struct fixture fixture;
        CLEANUP_FREE char *script = NULL;

        set_up(&fixture);
        script = string_format("[ -e %s-other ]; [ -e / ]; echo first; [ -e %s%s ]; echo last",
                               fixture.directory, fixture.directory, ends[i]);
        add_script(&fixture, script);
        add(&fixture, FRAME_MAKE_READY, &ORDER, sizeof ORDER);
        expect(&fixture, FRAME_READY);
        add_script(&fixture, script);
        add(&fixture, FRAME_RUN, &SAME, sizeof SAME);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        expect(&fixture, FRAME_END);
        assert_string_equal(strbuf_string(&fixture.out[0]), "first\nlast\n");
        assert_int_equal(fixture.end.was_ready, 1);
        assert_string_equal(strbuf_string(&fixture.trace), "HELLO READY BEGUN END ");
        tear_down(&fixture);
    }
}

/* What a hook looks at does not count; it was there before the request. */
CASE(ready__hook)
{
    static const char script[] = "n=$(head -c 12 <&3); head -c $n <&3 | tr '\\0' ' '; echo $HOOK;"
                                 " cat hook; [ -e file ]; echo $?; exec 3<&-; [ -e file ]; echo $?;"
                                 " ls -m /proc/$$/fd";
    CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    strbuf_add(&payload, &ORDER, sizeof ORDER);
    strbuf_addstr(&payload, "HOOK=./hook");
    add_script(&fixture, script);
    add_archive(&fixture, "hook", 0);
    add(&fixture, FRAME_MAKE_READY, payload.data, payload.length);
    expect(&fixture, FRAME_READY);
    add_archive(&fixture, "file", 0);
    add_script(&fixture, script);
    add(&fixture, FRAME_RUN, &SAME, sizeof SAME);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]),
                        "USER=sandbox LOGNAME=sandbox .//////////////////hook\n"
                        "content1\n0\n0, 1, 2\n");
    assert_int_equal(fixture.end.was_ready, 1);
    tear_down(&fixture);
}

/* The program waits when it first looks at another file than that of its driver. */
static void check_driver(const char *file, const char *output)
{
    CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
    CLEANUP_FREE char *script = NULL;
    struct fixture fixture;

    set_up(&fixture);
    script = string_format("[ -e driver ]; echo $?; [ -e %s/driver ]; echo $?;"
                           " [ -e driver/x ]; [ -e driver2 ]; echo $?",
                           fixture.directory);
    strbuf_add(&payload, &ORDER, sizeof ORDER);
    strbuf_addstr(&payload, "driver");
    add_script(&fixture, script);
    add(&fixture, FRAME_MAKE_READY, payload.data, payload.length);
    expect(&fixture, FRAME_READY);
    add_archive(&fixture, file, 0);
    add_script(&fixture, script);
    add(&fixture, FRAME_RUN, &SAME, sizeof SAME);
    add(&fixture, FRAME_STDIN_END, NULL, 0);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), output);
    assert_int_equal(fixture.end.was_ready, 1);
    tear_down(&fixture);
}

CASE(ready__driver)
{
    check_driver("driver", "1\n1\n1\n");
    check_driver("driver2", "1\n1\n0\n");
}

/* There is no room for its variable, or it does not load. */
CASE(ready__hook_that_cannot_be)
{
    static const struct {
        const char *script, *variable;
        int error;
    } hooks[] = {{"exit 0", "HOOK=hook", EINVAL}, {"[ -e x ]; exit 1", "HOOK=./hook", ECHILD}};

    for (size_t i = 0; i < COUNT(hooks); i++) {
        CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        strbuf_add(&payload, &ORDER, sizeof ORDER);
        strbuf_addstr(&payload, hooks[i].variable);
        add_script(&fixture, hooks[i].script);
        add(&fixture, FRAME_MAKE_READY, payload.data, payload.length);
        expect(&fixture, FRAME_FAILED);
        assert_int_equal(fixture.failed.step, FRAME_STEP_START);
        assert_int_equal(fixture.failed.error, hooks[i].error);
        tear_down(&fixture);
    }
}

/* What its image writes at the start is output of the program. */
CASE(ready__output_of_the_start)
{
    static const char script[] = "echo early; echo warning >&2; [ -e x ]; echo late";
    struct fixture fixture;

    make_ready(&fixture, script);
    expect_none(&fixture, FRAME_STDOUT);
    add_request(&fixture, script, "A=b", &SAME);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "early\nlate\n");
    assert_string_equal(strbuf_string(&fixture.out[1]), "warning\n");
    assert_int_equal(fixture.end.was_ready, 1);
    tear_down(&fixture);
}

static void add_perl(struct fixture *fixture, const char *script)
{
    add_text(fixture, FRAME_ARGUMENT, "perl");
    add_text(fixture, FRAME_ARGUMENT, "-e");
    add_text(fixture, FRAME_ARGUMENT, script);
}

/*
 * An interpreter of a session waits for its first cell, and the later ones are as always. It may
 * look at the working directory first, or have a hook, which leaves the file of descriptor 3 to it.
 */
static void check_cells(const char *start, const char *variable, const char *output)
{
    static const struct frame_run order = {.stack_max = MEGABYTE, .flags = FRAME_RUN_CELL};
    struct frame_run run = SAME;
    CLEANUP(strbuf_release) struct strbuf payload = STRBUF_INIT;
    CLEANUP_FREE char *script = string_format(
        "%s open C, '<&=4'; open F, '+<&=3'; open R, '>&=5'; while (sysread C, $_, 39) {"
        " ($n, $c, $i) = split; sysread C, $code, $c; sysread C, $_, $i; syswrite STDOUT,"
        " eval \"$code\"; syswrite R, sprintf \"\\0%%12sr\\0\", $n }",
        start);
    struct fixture fixture;

    set_up(&fixture);
    strbuf_add(&payload, &order, sizeof order);
    strbuf_addstr(&payload, variable);
    add_perl(&fixture, script);
    add_archive(&fixture, "file", 0);
    add(&fixture, FRAME_MAKE_READY, payload.data, payload.length);
    expect(&fixture, FRAME_READY);
    add_perl(&fixture, script);
    run.flags = FRAME_RUN_CELL;
    run.report_max = MEGABYTE;
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            add(&fixture, FRAME_RESET, NULL, 0);
        add_text(&fixture, FRAME_CODE, "\"$hook$_\" . ++$m . ' ' . -s F");
        add(&fixture, FRAME_RUN, &run, sizeof run);
        add_text(&fixture, FRAME_STDIN, "input ");
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        expect(&fixture, FRAME_END);
        assert_int_equal(fixture.end.stays, 1);
        assert_int_equal(fixture.end.was_ready, i == 0);
    }
    assert_string_equal(strbuf_string(&fixture.out[0]), output);
    assert_string_equal(strbuf_string(&fixture.report), "rr");
    tear_down(&fixture);
}

CASE(ready__interpreter_of_a_session)
{
    check_cells("", "", "input 1 0input 2 0");
    check_cells("-e 'file';", "", "input 1 0input 2 0");
    check_cells("open H, '+<&=3'; sysread H, $n, 12; sysread H, $hook, $n; $hook .= -e 'file';"
                " $hook =~ s/\\0/ /g; truncate H, 0;",
                "HOOK=./file",
                "USER=sandbox LOGNAME=sandbox 1input 1 0USER=sandbox LOGNAME=sandbox 1input 2 0");
}

/* What is ready for a program is not ready for a cell, and the other way round. */
CASE(ready__cells_and_programs)
{
    static const char script[] = "[ -e x ]; printf '\\0%12s\\0' 1 >&5; exit 5";
    struct frame_run order = ORDER;
    struct frame_run run = SAME;
    struct fixture fixture;

    for (int i = 0; i < 2; i++) {
        set_up(&fixture);
        order.flags = i == 0 ? FRAME_RUN_CELL : 0;
        run.flags = i == 0 ? 0 : FRAME_RUN_CELL;
        add_script(&fixture, script);
        add(&fixture, FRAME_MAKE_READY, &order, sizeof order);
        expect(&fixture, FRAME_READY);
        add_script(&fixture, script);
        add(&fixture, FRAME_RUN, &run, sizeof run);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        expect(&fixture, FRAME_END);
        assert_int_equal(fixture.end.was_ready, 0);
        tear_down(&fixture);
    }
}

/* ---- forks of a template */

#if defined __x86_64__

static const struct frame_run FORKED = {.timer_ms = 2 * LATE_MS,
                                        .linger_ms = 2 * LATE_MS,
                                        .output_max = MEGABYTE,
                                        .stack_max = MEGABYTE,
                                        .flags = FRAME_RUN_FORK};

/* Makes a program ready that is to be a template. The kernel counts two processes. */
static void make_template(struct fixture *fixture, const char *script, uint32_t flags)
{
    const struct frame_run order = {.stack_max = MEGABYTE, .flags = FRAME_RUN_FORK | flags};

    prepare(fixture);
    write_in(fixture->directory, "pids.current", "2\n");
    launch(fixture, fixture->directory);
    expect(fixture, FRAME_HELLO);
    add_perl(fixture, script);
    add(fixture, FRAME_MAKE_READY, &order, sizeof order);
}

/* Runs the program once more, with this stdin. */
static void run_fork(struct fixture *fixture, const char *script, const char *input,
                     const struct frame_run *run)
{
    strbuf_release(&fixture->out[0]);
    add_perl(fixture, script);
    add(fixture, FRAME_RUN, run, sizeof *run);
    add_text(fixture, FRAME_STDIN, input);
    add(fixture, FRAME_STDIN_END, NULL, 0);
    expect(fixture, FRAME_END);
}

/* Each has an id, a session and descriptors of its own, and is traced by no one. */
static void check_forks(uint32_t flags)
{
    static const char script[] =
        "-e 'x'; $n++; ($s) = (split ' ', `cat /proc/$$/stat`)[5]; open F, \"/proc/$$/status\";"
        " @t = grep /TracerPid/, <F>; close F; opendir D, '/proc/self/fd'; @d = readdir D;"
        " print STDERR $$; print $s == $$, ' ', -o \"/proc/$$/mem\", ' ', $t[0] =~ /(\\d+)/, ' ',"
        " scalar @d, ' ', getppid() == $ARGV[0], \" $n \", -s STDIN || 0, ' ', <STDIN>;"
        " print F 'value ' if open F, '>&=3'; exit 7";
    const bool has_file = (flags & FRAME_RUN_STDIN_FILE) != 0;
    const bool has_value = (flags & FRAME_RUN_VALUE) != 0;
    struct frame_run run = FORKED;
    CLEANUP(strbuf_release) struct strbuf ids = STRBUF_INIT;
    struct fixture fixture;

    run.flags |= flags;
    run.report_max = has_value ? MEGABYTE : 0;
    make_template(&fixture, script, flags);
    expect(&fixture, FRAME_READY);
    for (int i = 0; i < 3; i++) {
        CLEANUP_FREE char *wanted = NULL;
        const char *input = i == 1 ? "one" : "other";

        if (i > 0)
            add(&fixture, FRAME_RESET, NULL, 0);
        run_fork(&fixture, script, input, &run);
        check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 7);
        assert_int_equal(fixture.end.was_ready, 1);
        wanted = string_format("1 1 0 %d  1 %zu %s", has_value ? 7 : 6,
                               has_file ? strlen(input) : (size_t)0, input);
        assert_string_equal(strbuf_string(&fixture.out[0]), wanted);
        assert_null(strstr(strbuf_string(&ids), strbuf_string(&fixture.out[1])));
        strbuf_addf(&ids, "%s ", strbuf_string(&fixture.out[1]));
        strbuf_release(&fixture.out[1]);
    }
    assert_string_equal(strbuf_string(&fixture.report), has_value ? "value value value " : "");
    tear_down(&fixture);
}

CASE(ready__forks)
{
    check_forks(0);
    check_forks(FRAME_RUN_STDIN_FILE);
    check_forks(FRAME_RUN_VALUE);
    check_forks(FRAME_RUN_VALUE | FRAME_RUN_STDIN_FILE);
}

/* A test that does something to the template; the next one is a fork of it, or starts anew. */
static void check_after(const char *what, bool stays)
{
    static const char script[] =
        "-e 'x'; $p = getppid; chomp($t = `cat /proc/$p/task/$p/children`);"
        " ($t) = grep { $_ != $$ } split ' ', $t; $_ = <STDIN>; s/TEMPLATE/$t/; system $_;"
        " print join ' ', `ulimit -n` + 0, getpriority(0, 0), `taskset -p $$` =~ /(\\w+)$/";
    CLEANUP_FREE char *first = NULL;
    struct fixture fixture;

    make_template(&fixture, script, 0);
    expect(&fixture, FRAME_READY);
    run_fork(&fixture, script, ":", &FORKED);
    assert_int_equal(fixture.end.was_ready, 1);
    first = string_copy(strbuf_string(&fixture.out[0]));
    add(&fixture, FRAME_RESET, NULL, 0);
    run_fork(&fixture, script, what, &FORKED);
    assert_int_equal(fixture.end.was_ready, 1);
    add(&fixture, FRAME_RESET, NULL, 0);
    run_fork(&fixture, script, ":", &FORKED);
    if (fixture.end.was_ready != (stays ? 1 : 0))
        fail_msg("after '%s': %s", what, stays ? "no fork" : "a fork");
    assert_string_equal(strbuf_string(&fixture.out[0]), first);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
    tear_down(&fixture);
}

CASE(ready__forks_after_a_hostile_one)
{
    check_after(": TEMPLATE", true);
    check_after("kill -KILL TEMPLATE", false);
    check_after("kill -STOP TEMPLATE", false);
    check_after("kill -USR1 TEMPLATE", false);
    check_after("kill -TRAP TEMPLATE", false);
    check_after("prlimit --pid TEMPLATE --nofile=100:200", false);
    check_after("renice -n 5 -p TEMPLATE >&2", false);
    check_after("ionice -c 3 -p TEMPLATE", false);
    check_after("taskset -p 1 TEMPLATE >&2", false);
    check_after("chrt -b -p 0 TEMPLATE", false);
    check_after("echo 9000 >/proc/TEMPLATE/timerslack_ns", geteuid() != 0); /* root alone can */
    check_after("echo 3 >pids.current", false);                             /* a process is left */
}

/* What is no fork: another command, RUN without the flag, and a program that is stopped. */
CASE(ready__forks_that_cannot_be)
{
    static const char script[] = "-e 'x'; $| = 1; print 'first'; $_ = <STDIN>; sleep 1000 if /w/";
    struct fixture fixture;

    for (int i = 0; i < 3; i++) {
        make_template(&fixture, script, 0);
        expect(&fixture, FRAME_READY);
        run_fork(&fixture, script, "", &FORKED);
        assert_int_equal(fixture.end.was_ready, 1);
        add(&fixture, FRAME_RESET, NULL, 0);
        if (i == 0) {
            run_fork(&fixture, "print 'other'", "", &FORKED);
            assert_int_equal(fixture.end.was_ready, 0);
            assert_string_equal(strbuf_string(&fixture.out[0]), "other");
        } else if (i == 1) {
            run_fork(&fixture, script, "", &SAME);
            assert_int_equal(fixture.end.was_ready, 0);
        } else {
            add_perl(&fixture, script);
            add(&fixture, FRAME_RUN, &FORKED, sizeof FORKED);
            add_text(&fixture, FRAME_STDIN, "wait");
            strbuf_release(&fixture.out[0]);
            expect_output(&fixture, 0, strlen("first"));
            add(&fixture, FRAME_STDIN_END, NULL, 0);
            add(&fixture, FRAME_STOP, NULL, 0);
            expect(&fixture, FRAME_END);
            check_end(&fixture, FRAME_CAUSE_STOP, SIGKILL, 0);
        }
        add(&fixture, FRAME_RESET, NULL, 0);
        run_fork(&fixture, script, "", &FORKED);
        check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 0);
        assert_int_equal(fixture.end.was_ready, 0);
        tear_down(&fixture);
    }
}

/* Another process is there at the start, or the kernel does not count them. */
CASE(ready__templates_beside_others)
{
    static const struct frame_run order = {.stack_max = MEGABYTE, .flags = FRAME_RUN_FORK};
    static const char *const counts[] = {"3\n", "1\n", ""};

    for (size_t i = 0; i < COUNT(counts); i++) {
        struct fixture fixture;

        prepare(&fixture);
        write_in(fixture.directory, "pids.current", counts[i]);
        launch(&fixture, fixture.directory);
        expect(&fixture, FRAME_HELLO);
        add_perl(&fixture, "-e 'x'");
        add(&fixture, FRAME_MAKE_READY, &order, sizeof order);
        expect(&fixture, FRAME_FAILED);
        assert_int_equal(fixture.failed.error, counts[i][0] ? ECHILD : ENOTSUP);
        tear_down(&fixture);
    }
}

/* It has written something, or has another descriptor, memory that it shares, a second thread. */
CASE(ready__templates_that_cannot_be)
{
    static const struct {
        const char *program, *option, *script;
    } templates[] = {
        {"perl", "-e", "$| = 1; print 'early'; -e 'x'"},
        {"perl", "-e", "print STDERR 'early'; -e 'x'"},
        {"perl", "-e", "open F, '/dev/null'; -e 'x'"},
        {"/usr/bin/python3", "-Ic", "import mmap, os; m = mmap.mmap(-1, 4096); os.stat('x')"},
        {"/usr/bin/python3", "-Ic",
         "import os, threading; threading.Timer(100, print).start(); os.stat('x')"},
    };

    for (size_t i = 0; i < COUNT(templates); i++) {
        struct frame_run order = ORDER;

        for (int fork = 1; fork >= 0; fork--) {
            struct fixture fixture;

            prepare(&fixture);
            write_in(fixture.directory, "pids.current", "2\n");
            launch(&fixture, fixture.directory);
            expect(&fixture, FRAME_HELLO);
            order.flags = fork ? FRAME_RUN_FORK : 0;
            add_text(&fixture, FRAME_ARGUMENT, templates[i].program);
            add_text(&fixture, FRAME_ARGUMENT, templates[i].option);
            add_text(&fixture, FRAME_ARGUMENT, templates[i].script);
            add(&fixture, FRAME_MAKE_READY, &order, sizeof order);
            expect(&fixture, fork ? FRAME_FAILED : FRAME_READY);
            tear_down(&fixture);
        }
    }
}

#endif

/* Signals that arrive in the start are the program's. */
CASE(ready__signals_of_the_start)
{
    static const char script[] = "trap 'echo caught' USR1; kill -USR1 $$; [ -e x ]; echo end";
    struct fixture fixture;

    make_ready(&fixture, script);
    add_request(&fixture, script, "A=b", &SAME);
    expect(&fixture, FRAME_END);
    assert_string_equal(strbuf_string(&fixture.out[0]), "caught\nend\n");
    tear_down(&fixture);
}

/* The process that waits: the only child of the supervisor. */
static pid_t waiting_process(const struct fixture *fixture)
{
    CLEANUP_FREE char *directory =
        string_format("/proc/%d/task/%d", fixture->supervisor, fixture->supervisor);
    CLEANUP_FREE char *children = read_in(directory, "children");

    assert_int_equal(strspn(children, "0123456789"), strlen(children) - 1);
    return (pid_t)atoi(children);
}

/*
 * The stdin that comes with the request is there when the program first looks. It looks at once: it
 * has the only processor before the supervisor has, if this test may order that.
 */
CASE(ready__stdin_comes_first)
{
    static const char script[] = "-e 'x'; vec($r, 0, 1) = 1; print scalar select($r, undef, undef,"
                                 " 0), <STDIN>;";
    static const char *const inputs[] = {"input", ""};
    static const struct sched_param first = {1};
    cpu_set_t before, one;

    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_COUNT(&one) == 0 && CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    for (size_t i = 0; i < COUNT(inputs); i++) {
        struct fixture fixture;

        set_up(&fixture);
        assert_int_equal(sched_setaffinity(fixture.supervisor, sizeof one, &one), 0);
        add_perl(&fixture, script);
        add(&fixture, FRAME_MAKE_READY, &ORDER, sizeof ORDER);
        expect(&fixture, FRAME_READY);
        (void)sched_setscheduler(waiting_process(&fixture), SCHED_FIFO, &first);
        add_perl(&fixture, script);
        add(&fixture, FRAME_RUN, &SAME, sizeof SAME);
        if (inputs[i][0] != '\0')
            add_text(&fixture, FRAME_STDIN, inputs[i]);
        add(&fixture, FRAME_STDIN_END, NULL, 0);
        expect(&fixture, FRAME_END);
        assert_int_equal(fixture.end.was_ready, 1);
        assert_int_equal(strbuf_string(&fixture.out[0])[0], '1');
        assert_string_equal(strbuf_string(&fixture.out[0]) + 1, inputs[i]);
        tear_down(&fixture);
    }
}

/* Another request is started as always, and what was ready is dead by then. */
static void check_not_suited(const char *script, const char *variable, const struct frame_run *run)
{
    struct fixture fixture;
    pid_t pid;

    make_ready(&fixture, "echo early; [ -e x ]; exit 5");
    pid = waiting_process(&fixture);
    add_request(&fixture, script, variable, run);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 5);
    assert_int_equal(fixture.end.was_ready, 0);
    assert_string_equal(strbuf_string(&fixture.out[0]), "early\n");
    assert_int_equal(kill(pid, 0), -1);
    tear_down(&fixture);
}

CASE(ready__requests_that_are_others)
{
    static const char same[] = "echo early; [ -e x ]; exit 5";
    struct frame_run run = SAME;

    check_not_suited("echo early; exit 5", "A=b", &SAME);
    check_not_suited(same, "A=c", &SAME);
    run.stack_max = 2 * MEGABYTE;
    check_not_suited(same, "A=b", &run);
    run = SAME;
    run.flags = FRAME_RUN_NETLINK;
    check_not_suited(same, "A=b", &run);
    run.flags = FRAME_RUN_FRESH;
    check_not_suited(same, "A=b", &run);
    run.flags = FRAME_RUN_VALUE;
    check_not_suited(same, "A=b", &run);
    run.flags = FRAME_RUN_STDIN_FILE;
    check_not_suited(same, "A=b", &run);
}

CASE(ready__starts_elsewhere)
{
    struct fixture fixture;

    make_ready(&fixture, "[ -e x ]; pwd");
    add_text(&fixture, FRAME_DIRECTORY, "/");
    add_request(&fixture, "[ -e x ]; pwd", "A=b", &SAME);
    expect(&fixture, FRAME_END);
    assert_int_equal(fixture.end.was_ready, 0);
    assert_string_equal(strbuf_string(&fixture.out[0]), "/\n");
    tear_down(&fixture);
}

/* KEEP is for programs of a submission, and nothing that came before may stay. */
CASE(ready__keep_ends_it)
{
    static const struct frame_keep order = {.max = MEGABYTE, .max_ms = LATE_MS};
    struct fixture fixture;
    pid_t pid;

    make_ready(&fixture, "[ -e x ]");
    pid = waiting_process(&fixture);
    add(&fixture, FRAME_KEEP, &order, sizeof order);
    expect(&fixture, FRAME_KEPT);
    assert_int_equal(kill(pid, 0), -1);
    tear_down(&fixture);
}

/* It ends while it waits: the next request is started as always. */
CASE(ready__ends_while_it_waits)
{
    struct fixture fixture;
    pid_t pid;

    make_ready(&fixture, "[ -e x ]; exit 5");
    pid = waiting_process(&fixture);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (kill(pid, 0) == 0) /* it is reaped */
        expect_none(&fixture, FRAME_FAILED);
    add_request(&fixture, "[ -e x ]; exit 5", "A=b", &SAME);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_ITSELF, 0, 5);
    assert_int_equal(fixture.end.was_ready, 0);
    tear_down(&fixture);
}

/* Whether it is there, and not only waiting to be reaped by someone else. */
static bool is_alive(pid_t pid)
{
    CLEANUP_FREE char *directory = string_format("/proc/%d", pid);
    CLEANUP_FREE char *status = read_in(directory, "status");

    return strstr(status, "State:") && !strstr(status, "State:\tZ");
}

CASE(ready__ends_with_the_supervisor)
{
    struct fixture fixture;
    pid_t pid;

    make_ready(&fixture, "[ -e x ]; sleep 1000");
    pid = waiting_process(&fixture);
    tear_down(&fixture);
    while (is_alive(pid))
        poll(NULL, 0, 10);
}

/* What goes on is stopped with everything that it has started. */
CASE(ready__is_stopped_like_any_program)
{
    static const char script[] = "[ -e x ]; sleep 1000 & echo begun; wait";
    struct fixture fixture;

    make_ready(&fixture, script);
    add_request(&fixture, script, "A=b", &SAME);
    expect_output(&fixture, 0, strlen("begun\n"));
    add(&fixture, FRAME_STOP, NULL, 0);
    expect(&fixture, FRAME_END);
    check_end(&fixture, FRAME_CAUSE_STOP, SIGKILL, 0);
    assert_int_equal(fixture.end.was_ready, 1);
    tear_down(&fixture);
}

/* It ends before it has come to the working directory, or is not there. */
static void check_not_ready(const char *program, int step, int error)
{
    struct fixture fixture;

    set_up(&fixture);
    add_text(&fixture, FRAME_ARGUMENT, program);
    add(&fixture, FRAME_MAKE_READY, &ORDER, sizeof ORDER);
    expect(&fixture, FRAME_FAILED);
    assert_int_equal(fixture.failed.step, step);
    assert_int_equal(fixture.failed.error, error);
    tear_down(&fixture);
}

CASE(ready__what_cannot_be)
{
    check_not_ready("/bin/true", FRAME_STEP_START, ECHILD);
    check_not_ready("/no/program", FRAME_STEP_START, ECHILD);
}

static void check_refused(struct fixture *fixture, size_t length)
{
    static const char zeros[sizeof(struct frame_run) + 128];

    add(fixture, FRAME_MAKE_READY, zeros, length);
    expect_refusal(fixture);
}

/* Of another length, of nothing, twice, and after a program. */
CASE(ready__frames_that_cannot_come)
{
    const size_t length = sizeof(struct frame_run);
    const size_t wrong[] = {length - 1, length + 128};
    struct fixture fixture;

    set_up(&fixture);
    check_refused(&fixture, length);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        set_up(&fixture);
        add_script(&fixture, "exit 0");
        check_refused(&fixture, wrong[i]);
    }
    make_ready(&fixture, "[ -e x ]");
    add_script(&fixture, "exit 0");
    check_refused(&fixture, length);
    run_script(&fixture, "exit 0");
    add(&fixture, FRAME_RESET, NULL, 0);
    add_script(&fixture, "exit 0");
    check_refused(&fixture, length);
}

static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
