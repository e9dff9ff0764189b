#define _GNU_SOURCE
#include "supervisor/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "supervisor/descriptors.h"
#include "supervisor/filter.h"
#include "supervisor/memory_file.h"

extern char **environ;

/* What the new process reports: its start, and that it could not become the program. */
struct report {
    bool failed;
    struct program_failure failure;
    uint64_t start_us, start_cpu_us;
};

/* Whether the shell that started this process has set the variable: it is wrong by now. */
static bool is_of_shell(const char *variable)
{
    static const char *const names[] = {"PWD=", "OLDPWD=", "SHLVL=", "_="};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void program_init(struct program *program)
{
    *program = (struct program){
        .in = -1, .out = {-1, -1}, .report = -1, .begin = -1, .answer = -1, .joined = {-1, -1}};
    for (char **variable = environ; *variable; variable++)
        if (!is_of_shell(*variable))
            strvec_push(&program->environment, *variable);
    /* The uid has no entry in the image's passwd: these are where programs look first. */
    program_set_variable(program, "USER=sandbox", strlen("USER=sandbox"));
    program_set_variable(program, "LOGNAME=sandbox", strlen("LOGNAME=sandbox"));
}

static void close_ends(struct program *program)
{
    descriptor_close(&program->in);
    descriptor_close(&program->out[0]);
    descriptor_close(&program->out[1]);
    descriptor_close(&program->report);
    descriptor_close(&program->begin);
    descriptor_close(&program->answer);
    descriptor_close(&program->joined[0]);
    descriptor_close(&program->joined[1]);
}

void program_release(struct program *program)
{
    strvec_release(&program->arguments);
    strvec_release(&program->environment);
    free(program->directory);
    program->directory = NULL;
    close_ends(program);
}

/* ---- in the new process */

/*
 * By the system call itself: a C library does not let its own signals be changed, and these may
 * have been ignored before this process began.
 */
static void reset_signals(void)
{
    static const char default_action[64]; /* struct sigaction of the kernel: all zeros */
    const size_t mask_size = 8;
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, default_action, NULL, mask_size);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Makes this process the first choice of the OOM killer, so that the supervisor survives and can
 * report. The kernel lets a process write below its /proc only if it is dumpable, which the program
 * is by itself once it is executed; no descriptor of the supervisor is open any more.
 */
void program_prefer_for_oom(void)
{
    int fd;

    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "1000", 4) != 4) /* then the kernel chooses by size alone */
            errno = 0;
        close(fd);
    }
}

/*
 * Sets the soft limit alone, and never to none: then the kernel would lay out the memory of the
 * program differently. glibc gives each thread as much address space, of which a thread uses what
 * it touches, but the kernel refuses one that is larger than the memory of the machine.
 */
static void limit_stack(uint64_t max)
{
    struct sysinfo machine;
    struct rlimit limit;

    if (max == 0 || getrlimit(RLIMIT_STACK, &limit) != 0 || sysinfo(&machine) != 0)
        return;
    if (max > (uint64_t)machine.totalram * machine.mem_unit)
        max = (uint64_t)machine.totalram * machine.mem_unit;
    limit.rlim_cur = max < limit.rlim_max ? max : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

/* Reports the failure to the supervisor. */
static _Noreturn void give_up(int report, enum frame_step step, int error)
{
    const struct report failed = {.failed = true, .failure = {step, error}};

    _exit(write(report, &failed, sizeof failed) == sizeof failed ? 127 : 126);
}

/* The descriptors of a program, in order. */
struct descriptors {
    int items[6];
    int count;
};

/*
 * Gives this process the descriptors, from 0 on, and closes all others but `report`, which is moved
 * and returned. -1: errno says why.
 */
static int arrange_descriptors(struct descriptors wanted, int report)
{
    enum { FIRST_FREE = 7, HIGHEST = 128 }; /* the supervisor has no higher ones */

    for (int i = 0; i < wanted.count; i++) {
        wanted.items[i] = fcntl(wanted.items[i], F_DUPFD, FIRST_FREE);
        if (wanted.items[i] < 0)
            return -1;
    }
    report = fcntl(report, F_DUPFD, FIRST_FREE);
    if (report < 0)
        return -1;
    for (int i = 0; i < wanted.count; i++)
        dup2(wanted.items[i], i);
    dup2(report, wanted.count);
    fcntl(wanted.count, F_SETFD, FD_CLOEXEC);
    for (int fd = wanted.count + 1; fd < HIGHEST; fd++)
        close(fd);
    return wanted.count;
}

static _Noreturn void become_program(const struct program *program, const struct figures *figures,
                                     struct descriptors descriptors, int report)
{
    const struct rlimit no_core = {0, 0};
    struct report started = {.failed = false};
    int error = 0, arranged;

    reset_signals();
    if (setsid() < 0)
        error = errno;
    started.start_cpu_us = figures_cpu_us(figures);
    started.start_us = figures_clock_us();
    if (write(report, &started, sizeof started) != sizeof started)
        error = EPIPE;
    arranged = arrange_descriptors(descriptors, report);
    if (arranged < 0)
        give_up(report, FRAME_STEP_START, errno);
    report = arranged;
    program_prefer_for_oom();
    setrlimit(RLIMIT_CORE, &no_core);
    limit_stack(program->order.stack_max);
    umask(022);
    if (error == 0 && program->traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        error = errno;
    if (error == 0)
        error =
            filter_install(program_has(program, FRAME_RUN_NETLINK), program->ipc, program->watch);
    if (error != 0)
        give_up(report, FRAME_STEP_START, error);
    environ = program->environment.items;
    if (program->directory && chdir(program->directory) != 0)
        give_up(report, FRAME_STEP_DIRECTORY, errno);
    execvp(program->arguments.items[0], program->arguments.items);
    give_up(report, FRAME_STEP_EXEC, errno);
}

/* ---- in the supervisor */

enum pipe_of { PIPE_REPORT, PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_BEGIN, PIPE_ANSWER, PIPES };

struct pipes {
    int ends[PIPES][2]; /* [0] is read, [1] is written; -1: there is none */
};

bool program_open_stdin(struct program *program)
{
    int ends[2];
    const bool opened = memory_file_open_pair("stdin", ends);

    program->joined[0] = ends[0];
    program->in = ends[1];
    return opened;
}

static bool open_pipes(struct pipes *pipes, struct program *program)
{
    memset(pipes, -1, sizeof *pipes);
    pipes->ends[PIPE_IN][0] = program->joined[0];
    pipes->ends[PIPE_OUT][1] = program->joined[1];
    program->joined[0] = program->joined[1] = -1;
    if (program_has(program, FRAME_RUN_CELL) &&
        !memory_file_open_pair("stdin", pipes->ends[PIPE_IN]))
        return false;
    for (int i = 0; i < PIPES; i++) {
        if (pipes->ends[i][0] >= 0 || pipes->ends[i][1] >= 0 ||
            (i == PIPE_BEGIN && !program_has(program, FRAME_RUN_CELL) && !program->hook) ||
            (i == PIPE_ANSWER && !program_has(program, FRAME_RUN_CELL | FRAME_RUN_VALUE)))
            continue;
        if (pipe2(pipes->ends[i], O_CLOEXEC) != 0)
            return false;
        if (i == PIPE_OUT || i == PIPE_ERR)
            descriptor_enlarge_pipe(pipes->ends[i][1]);
    }
    return true;
}

static void close_pipes(struct pipes *pipes)
{
    for (int i = 0; i < PIPES; i++) {
        descriptor_close(&pipes->ends[i][0]);
        descriptor_close(&pipes->ends[i][1]);
    }
}

static struct descriptors descriptors_of(const struct program *program, const struct pipes *pipes)
{
    const int(*ends)[2] = pipes->ends;
    struct descriptors all = {{ends[PIPE_IN][0], ends[PIPE_OUT][1], ends[PIPE_ERR][1],
                               ends[PIPE_IN][1], ends[PIPE_BEGIN][0], ends[PIPE_ANSWER][1]},
                              6};

    if (program_has(program, FRAME_RUN_CELL))
        return all;
    all.items[3] = all.items[program->hook ? 4 : 5];
    all.count = program->hook || program_has(program, FRAME_RUN_VALUE) ? 4 : 3;
    return all;
}

/* Writes what its hook reads from descriptor 3, which has room for it. */
static bool send_to_hook(const struct program *program, const struct pipes *pipes)
{
    const struct strbuf *hook = program->hook;
    const int to = pipes->ends[program_has(program, FRAME_RUN_CELL) ? PIPE_IN : PIPE_BEGIN][1];

    if (hook && write(to, hook->data, hook->length) != (ssize_t)hook->length)
        return false;
    lseek(to, 0, SEEK_SET); /* the file is read from its start; a pipe refuses this */
    return true;
}

enum program_report program_take_report(struct program *program, struct program_failure *failure)
{
    struct report report;
    ssize_t length;

    /* It is shorter than PIPE_BUF, so that it arrives as a whole. */
    while ((length = read(program->report, &report, sizeof report)) == sizeof report) {
        if (report.failed) {
            *failure = report.failure;
            close_ends(program);
            return PROGRAM_FAILED;
        }
        program->start_us = report.start_us;
        program->start_cpu_us = report.start_cpu_us;
    }
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return PROGRAM_STARTING;
    descriptor_close(&program->report); /* the execution of the program has closed the other end */
    return PROGRAM_STARTED;
}

/* Keeps our end of a pipe, non-blocking. */
static int take_end(struct pipes *pipes, enum pipe_of pipe, int end)
{
    const int fd = pipes->ends[pipe][end];

    pipes->ends[pipe][end] = -1;
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void take_ends(struct program *program, struct pipes *pipes)
{
    if (!program_has(program, FRAME_RUN_CELL | FRAME_RUN_STDIN_FILE))
        program->in = take_end(pipes, PIPE_IN, 1);
    program->out[0] = take_end(pipes, PIPE_OUT, 0);
    program->out[1] = take_end(pipes, PIPE_ERR, 0);
    program->report = take_end(pipes, PIPE_REPORT, 0);
    program->begin = take_end(pipes, PIPE_BEGIN, 1);
    program->answer = take_end(pipes, PIPE_ANSWER, 0);
}

bool program_start(struct program *program, const struct figures *figures,
                   struct program_failure *failure)
{
    struct pipes pipes;
    bool started = open_pipes(&pipes, program) && send_to_hook(program, &pipes);

    *failure = (struct program_failure){FRAME_STEP_START, errno};
    if (started) {
        program->start_us = figures_clock_us();
        program->start_cpu_us = figures_cpu_us(figures);
        program->pid = fork();
        *failure = (struct program_failure){FRAME_STEP_START, errno};
        started = program->pid >= 0;
    }
    if (started && program->pid == 0)
        become_program(program, figures, descriptors_of(program, &pipes),
                       pipes.ends[PIPE_REPORT][1]);
    if (started)
        take_ends(program, &pipes);
    else
        program->pid = 0;
    close_pipes(&pipes);
    return started;
}
