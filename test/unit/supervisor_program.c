#include "test.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/linux.h"
#include "supervisor/program.h"

/* A program, and what the kernel says about nothing. */
struct fixture {
    struct program program;
    struct figures figures;
    struct program_failure failure;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.failure = {0, 0}};
    program_init(&fixture->program);
    figures_open(&fixture->figures, "/nowhere");
}

static void tear_down(struct fixture *fixture)
{
    if (fixture->program.pid > 0) {
        kill(-fixture->program.pid, SIGKILL);
        waitpid(fixture->program.pid, NULL, 0);
    }
    program_release(&fixture->program);
    figures_close(&fixture->figures);
}

static void add(struct fixture *fixture, const char *argument)
{
    assert_true(program_add_argument(&fixture->program, argument, strlen(argument)));
}

static void set(struct fixture *fixture, const char *variable)
{
    assert_true(program_set_variable(&fixture->program, variable, strlen(variable)));
}

/* Starts the program and waits for the report of its process. */
static bool started(struct fixture *fixture)
{
    struct pollfd report;
    enum program_report state = PROGRAM_STARTING;

    if (!program_start(&fixture->program, &fixture->figures, &fixture->failure))
        return false;
    while (state == PROGRAM_STARTING) {
        report = (struct pollfd){fixture->program.report, POLLIN, 0};
        assert_int_equal(poll(&report, 1, -1), 1);
        state = program_take_report(&fixture->program, &fixture->failure);
    }
    if (state == PROGRAM_FAILED)
        assert_int_equal(waitpid(fixture->program.pid, NULL, 0), fixture->program.pid);
    return state == PROGRAM_STARTED;
}

static void start(struct fixture *fixture)
{
    if (!started(fixture))
        fail_msg("not started: %s", strerror(fixture->failure.error));
}

/* Runs the program to its end; its output, owned. */
static char *output(struct fixture *fixture, int stream)
{
    struct strbuf text;
    int status;

    start(fixture);
    fcntl(fixture->program.out[stream], F_SETFL, 0);
    text = read_all(fixture->program.out[stream]);
    assert_int_equal(waitpid(fixture->program.pid, &status, 0), fixture->program.pid);
    assert_int_equal(status, 0);
    fixture->program.pid = 0;
    return strbuf_steal(&text);
}

static void check_output(struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *text = output(fixture, 0);

    assert_string_equal(text, expected);
    tear_down(fixture);
}

/* The output of a shell script. */
static void check_script(const char *script, const char *expected)
{
    struct fixture fixture;

    set_up(&fixture);
    add(&fixture, "/bin/sh");
    add(&fixture, "-c");
    add(&fixture, script);
    check_output(&fixture, expected);
}

CASE(program__arguments)
{
    struct fixture fixture;

    set_up(&fixture);
    add(&fixture, "printf"); /* found on PATH */
    add(&fixture, "<%s>");
    add(&fixture, "a b");
    add(&fixture, "");
    add(&fixture, "$HOME *\n\xff");
    add(&fixture, "-x");
    check_output(&fixture, "<a b><><$HOME *\n\xff><-x>");
}

CASE(program__streams)
{
    struct fixture fixture;
    char got[8] = "";

    check_script("echo out; echo err >&2", "out\n");
    set_up(&fixture);
    add(&fixture, "/bin/sh");
    add(&fixture, "-c");
    add(&fixture, "echo out; echo err >&2");
    {
        CLEANUP_FREE char *text = output(&fixture, 1);

        assert_string_equal(text, "err\n");
    }
    tear_down(&fixture);

    set_up(&fixture);
    add(&fixture, "cat");
    start(&fixture);
    assert_int_equal(write(fixture.program.in, "text", 4), 4);
    fcntl(fixture.program.out[0], F_SETFL, 0);
    assert_int_equal(read(fixture.program.out[0], got, sizeof got), 4);
    assert_string_equal(got, "text");
    close(fixture.program.in); /* no other process holds it open */
    fixture.program.in = -1;
    assert_int_equal(read(fixture.program.out[0], got, sizeof got), 0);
    tear_down(&fixture);
}

/* Our ends never block, and the program's are as it expects them. */
CASE(program__only_our_ends_are_non_blocking)
{
    struct fixture fixture;

    set_up(&fixture);
    add(&fixture, "cat");
    start(&fixture);
    assert_true(fcntl(fixture.program.in, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fixture.program.out[0], F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fixture.program.out[1], F_GETFL) & O_NONBLOCK);
    tear_down(&fixture);
    check_script("sed -n 's/flags:.//p' /proc/$$/fdinfo/0 /proc/$$/fdinfo/1 /proc/$$/fdinfo/2; :",
                 "00\n01\n01\n");
}

/* ---- the environment */

extern char **environ;

static char **original; /* the environment of the test */

/* Leaves only PATH. */
static void clear_environment(void)
{
    static char *none[] = {NULL};

    original = environ;
    environ = none;
    setenv("PATH", "/usr/bin:/bin", 1);
}

static void restore_environment(void)
{
    environ = original;
}

CASE(program__environment)
{
    struct fixture fixture;

    clear_environment();
    setenv("KEPT", "image's", 1);
    setenv("REMOVED", "x", 1);
    setenv("REMOVED_NOT", "y", 1);
    setenv("CHANGED", "old", 1);
    set_up(&fixture);
    set(&fixture, "CHANGED=new");
    set(&fixture, "CHANGED=newer=\n");
    set(&fixture, "REMOVED");
    set(&fixture, "NEVER_THERE");
    set(&fixture, "EMPTY=");
    add(&fixture, "env");
    check_output(&fixture, "PATH=/usr/bin:/bin\nKEPT=image's\nREMOVED_NOT=y\nUSER=sandbox\n"
                           "LOGNAME=sandbox\nCHANGED=newer=\n\nEMPTY=\n");
    restore_environment();
}

/* The variables for names of users are the image's or the request's, if those have them. */
CASE(program__names_of_the_user)
{
    struct fixture fixture;

    clear_environment();
    set_up(&fixture);
    set(&fixture, "USER=me");
    set(&fixture, "LOGNAME");
    add(&fixture, "env");
    check_output(&fixture, "PATH=/usr/bin:/bin\nUSER=me\n");
    restore_environment();
}

CASE_WITH(program__words_that_cannot_be, set_up(fixture))
{
    CLEANUP_FREE char *large = calloc(1, 131071);
    int count = 0;

    assert_false(program_add_argument(&fixture->program, "a\0b", 3));
    assert_false(program_set_variable(&fixture->program, "A=\0", 3));
    assert_int_equal(fixture->program.arguments.count, 0);
    memset(large, 'x', 131071);
    while (program_add_argument(&fixture->program, large, 131071))
        count++;
    assert_in_range(count, 20, 64); /* more than the kernel takes, and bounded */
    assert_false(program_set_variable(&fixture->program, "A=1", 3));
}

/* ---- failures */

static void check_failure(struct fixture *fixture, enum frame_step step, int error)
{
    assert_false(started(fixture));
    assert_string_equal(strerror(fixture->failure.error), strerror(error));
    assert_int_equal(fixture->failure.step, step);
    assert_int_equal(fixture->program.in, -1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    tear_down(fixture);
}

CASE(program__cannot_be_executed)
{
    static const struct {
        const char *path;
        int error;
    } programs[] = {
        {"/none", ENOENT},       {"none-on-path", ENOENT}, {"", ENOENT},
        {"/etc/passwd", EACCES}, {"/etc", EACCES},         {"/etc/passwd/x", ENOTDIR},
    };
    struct fixture fixture;

    setenv("PATH", "/usr/bin:/bin", 1);
    for (size_t i = 0; i < COUNT(programs); i++) {
        set_up(&fixture);
        add(&fixture, programs[i].path);
        check_failure(&fixture, FRAME_STEP_EXEC, programs[i].error);
    }
}

/* An interpreter that does not exist, and what is no program at all. */
CASE(program__damaged_program)
{
    char *directory = temp_create();
    CLEANUP_FREE char *script = path_in(directory, "script");
    struct fixture fixture;

    write_bytes(script, "#!/none\n", 8, 0755);
    set_up(&fixture);
    add(&fixture, script);
    check_failure(&fixture, FRAME_STEP_EXEC, ENOENT);
    temp_remove(directory);
}

CASE(program__arguments_that_are_too_long)
{
    CLEANUP_FREE char *large = calloc(1, 131071);
    struct fixture fixture;

    memset(large, 'x', 131071);
    set_up(&fixture);
    add(&fixture, "/bin/true");
    for (int i = 0; i < 58; i++) /* of 6 MB, the most that any stack gives */
        assert_true(program_add_argument(&fixture.program, large, 131071));
    check_failure(&fixture, FRAME_STEP_EXEC, E2BIG);
}

static void set_directory(struct fixture *fixture, const char *path)
{
    assert_true(program_set_directory(&fixture->program, path, strlen(path)));
}

/* It is executed there, and found from there. */
CASE(program__directory)
{
    char *directory = temp_create();
    CLEANUP_FREE char *script = path_in(directory, "script");
    CLEANUP_FREE char *expected = string_format("%s\n", directory);
    struct fixture fixture;

    write_bytes(script, "#!/bin/sh\npwd -P\n", 17, 0755);
    set_up(&fixture);
    add(&fixture, "./script");
    set_directory(&fixture, directory);
    check_output(&fixture, expected);
    temp_remove(directory);
}

CASE(program__directory_that_is_none)
{
    static const struct {
        const char *path;
        int error;
    } directories[] = {{"/none", ENOENT}, {"/etc/passwd", ENOTDIR}, {"none", ENOENT}};
    struct fixture fixture;

    for (size_t i = 0; i < COUNT(directories); i++) {
        set_up(&fixture);
        add(&fixture, "/bin/true");
        set_directory(&fixture, directories[i].path);
        check_failure(&fixture, FRAME_STEP_DIRECTORY, directories[i].error);
    }
}

CASE_WITH(program__paths_that_are_none, set_up(fixture))
{
    char path[PATH_MAX];

    memset(path, 'x', sizeof path);
    assert_false(program_set_directory(&fixture->program, path, 0));
    assert_false(program_set_directory(&fixture->program, path, sizeof path));
    assert_false(program_set_directory(&fixture->program, "a\0b", 3));
    assert_true(program_set_directory(&fixture->program, path, sizeof path - 1));
    assert_int_equal(strlen(fixture->program.directory), sizeof path - 1);
    assert_false(program_set_directory(&fixture->program, "/", 1)); /* it has one */
}

/* Without descriptors for its pipes it is not started, and none stays open. */
CASE(program__without_descriptors)
{
    struct rlimit before;
    const int lowest = dup(0);

    close(lowest);
    getrlimit(RLIMIT_NOFILE, &before);
    for (int room = 0; room < 8; room++) {
        const struct rlimit few = {(rlim_t)(lowest + room), before.rlim_max};
        struct fixture fixture;

        set_up(&fixture);
        add(&fixture, "/bin/true");
        setrlimit(RLIMIT_NOFILE, &few);
        assert_false(program_start(&fixture.program, &fixture.figures, &fixture.failure));
        setrlimit(RLIMIT_NOFILE, &before);
        assert_int_equal(fixture.failure.error, EMFILE);
        assert_int_equal(fixture.failure.step, FRAME_STEP_START);
        assert_int_equal(fixture.program.pid, 0);
        tear_down(&fixture);
        assert_int_equal(dup(0), lowest);
        close(lowest);
    }
}

/* ---- the process */

CASE_WITH(program__session_of_its_own, set_up(fixture))
{
    add(fixture, "cat");
    start(fixture);
    assert_int_equal(getsid(fixture->program.pid), fixture->program.pid);
    assert_int_equal(getpgid(fixture->program.pid), fixture->program.pid);
}

/* Whatever is open here, and wherever. */
CASE(program__three_descriptors)
{
    static const int others[] = {3, 4, 9, 30, 63};
    int copies[COUNT(others)];

    for (size_t i = 0; i < COUNT(others); i++)
        copies[i] = fcntl(0, F_DUPFD, others[i]);
    check_script("ls /proc/$$/fd; :", "0\n1\n2\n");
    for (size_t i = 0; i < COUNT(others); i++)
        close(copies[i]);
}

CASE(program__signals)
{
    struct fixture fixture;
    sigset_t blocked, before;

    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    set_up(&fixture);
    add(&fixture, "sed");
    add(&fixture, "-n");
    add(&fixture, "/^Sig[BIC][lg][knt]:/p");
    add(&fixture, "/proc/self/status");
    check_output(
        &fixture,
        "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n");
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

CASE(program__limits)
{
    const struct rlimit cores = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit before;

    getrlimit(RLIMIT_CORE, &before);
    setrlimit(RLIMIT_CORE, &cores);
    umask(0);
    check_script("umask; ulimit -c; cat /proc/self/oom_score_adj", "0022\n0\n1000\n");
    umask(022);
    setrlimit(RLIMIT_CORE, &before);
    check_script("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'",
                 "NoNewPrivs:1\nSeccomp:2\n");
}

/* The limits of the stack that a program finds, soft and hard, in kB; owned. */
static char *stack_of(uint64_t max)
{
    struct fixture fixture;
    char *text;

    set_up(&fixture);
    fixture.program.order.stack_max = max;
    add(&fixture, "/bin/sh");
    add(&fixture, "-c");
    add(&fixture, "ulimit -S -s; ulimit -H -s");
    text = output(&fixture, 0);
    tear_down(&fixture);
    return text;
}

static void check_stack(uint64_t max, const char *expected)
{
    CLEANUP_FREE char *text = stack_of(max);

    assert_string_equal(text, expected);
}

/* The soft limit alone changes, and is neither above the hard one nor the machine's memory. */
CASE(program__limit_of_the_stack)
{
    const struct rlimit usual = {8 << 20, RLIM_INFINITY}, low = {8 << 20, 64 << 20};
    CLEANUP_FREE char *machine =
        string_format("%ld\nunlimited\n", sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024));
    struct rlimit before;
    int status;
    pid_t child;

    getrlimit(RLIMIT_STACK, &before);
    assert_true(before.rlim_max == RLIM_INFINITY);
    setrlimit(RLIMIT_STACK, &usual);
    check_stack(256 << 20, "262144\nunlimited\n");
    check_stack(1 << 20, "1024\nunlimited\n");
    check_stack(0, "8192\nunlimited\n");
    check_stack(UINT64_MAX, machine);
    setrlimit(RLIMIT_STACK, &before);
    child = fork(); /* a hard limit cannot be raised again */
    if (child == 0) {
        setrlimit(RLIMIT_STACK, &low);
        _exit(strcmp(stack_of(256 << 20), "65536\n65536\n") != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The start is measured in the new process, right before the program. */
CASE(program__start)
{
    char *directory = temp_create();
    const uint64_t before = figures_clock_us();
    struct fixture fixture;

    write_in(directory, "cpu.stat", "usage_usec 4711\n");
    set_up(&fixture);
    figures_close(&fixture.figures);
    figures_open(&fixture.figures, directory);
    add(&fixture, "true");
    start(&fixture);
    assert_in_range(fixture.program.start_us, before, figures_clock_us());
    assert_int_equal(fixture.program.start_cpu_us, 4711);
    tear_down(&fixture);
    temp_remove(directory);
}

CASE(program__leaves_no_descriptor_open)
{
    const int before = dup(0);
    int after;

    close(before);
    program__streams(NULL);
    program__cannot_be_executed(NULL);
    after = dup(0);
    close(after);
    assert_int_equal(after, before);
}

/* Closes the descriptors that this program was started with. */
static int set_up_group(void **state)
{
    (void)state;
    linux_close_from(3);
    return 0;
}
