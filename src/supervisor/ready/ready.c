#define _GNU_SOURCE
#include "supervisor/ready/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/memory_file.h"
#include "supervisor/ready/ready_hook.h"

/* Descriptors: what a hook reads from, and an interpreter that stays its cells. */
enum { HOOK = 3, CELLS = 4 };

void ready_init(struct ready *ready, const char *workdir)
{
    *ready = (struct ready){.workdir = workdir};
    program_init(&ready->program);
}

static void forget(struct ready *ready)
{
    program_release(&ready->program);
    free(ready->driver);
    ready_init(ready, ready->workdir);
}

/* ---- the start */

static bool start_with_hook(struct program *program, const struct figures *figures,
                            const char *variable, struct program_failure *failure)
{
    const struct strvec environment = program->environment;
    struct strvec exchanged = STRVEC_INIT;
    struct strbuf message = STRBUF_INIT;
    bool started = false;

    *failure = (struct program_failure){FRAME_STEP_START, EINVAL};
    if (ready_hook_exchange(&environment, variable, &exchanged, &message)) {
        program->hook = &message;
        program->environment = exchanged;
        started = program_start(program, figures, failure);
        program->environment = environment;
        program->hook = NULL;
    }
    strvec_release(&exchanged);
    strbuf_release(&message);
    return started;
}

bool ready_start(struct ready *ready, struct program *program, const struct figures *figures,
                 const char *text, struct program_failure *failure)
{
    ready->program = *program;
    ready->program.traced = true;
    program_init(program);
    ready->state = READY_STARTING;
    ready->has_loaded = !strchr(text, '=');
    if (!ready->has_loaded)
        return start_with_hook(&ready->program, figures, text, failure);
    ready->driver = *text == '\0' ? NULL : string_copy(text);
    return program_start(&ready->program, figures, failure);
}

/* What a system call is about. */
struct call {
    enum { CALL_OTHER, CALL_PATH, CALL_PROCESS } kind;
    int path,
        directory; /* the arguments that are the path, and the descriptor it starts from; -1 */
};

/* That of a system call which an interpreter may make in its start. */
static struct call call_of(uint64_t number)
{
    switch (number) {
#ifdef SYS_open /* not on every architecture */
    case SYS_open:
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink:
        return (struct call){CALL_PATH, 0, -1};
    case SYS_fork:
    case SYS_vfork:
        return (struct call){CALL_PROCESS, -1, -1};
#endif
    case SYS_chdir:
    case SYS_execve:
    case SYS_statfs:
        return (struct call){CALL_PATH, 0, -1};
    case SYS_inotify_add_watch:
        return (struct call){CALL_PATH, 1, -1};
    case SYS_openat:
    case SYS_openat2:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlinkat:
    case SYS_execveat:
        return (struct call){CALL_PATH, 1, 0};
    case SYS_clone: /* clone3 is refused by the filter of programs */
        return (struct call){CALL_PROCESS, -1, -1};
    default:
        return (struct call){CALL_OTHER, -1, -1};
    }
}

/*
 * Reads the start of a text of the process, of at most `size` - 1 bytes, by words of memory that
 * begin where a page does or in it. False: it cannot be read.
 */
static bool read_text(pid_t pid, uint64_t address, char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        const uint64_t at = address + i, offset = at % sizeof(long);
        unsigned long word;

        errno = 0;
        word = (unsigned long)ptrace(PTRACE_PEEKDATA, pid, at - offset, NULL);
        if (errno != 0)
            return false;
        text[i] = (char)(word >> 8 * offset);
        if (text[i] == '\0')
            return true;
    }
    text[size - 1] = '\0';
    return true;
}

/* Whether a system call is the one by which a hook says that it has loaded. */
static bool ends_hook(uint64_t number, uint64_t argument)
{
    return (number == SYS_close || number == SYS_ftruncate) && argument == HOOK;
}

/*
 * Whether a path leads to the working directory, and not to the file that may be looked at.
 * `is_relative`: it starts there, if it does not start at the root.
 */
static bool is_of_request(const struct ready *ready, const char *path, bool is_relative)
{
    const size_t length = strlen(ready->workdir);

    if (path[0] == '/') {
        if (strncmp(path, ready->workdir, length) != 0 ||
            (path[length] != '/' && path[length] != '\0'))
            return false;
        path += path[length] == '/' ? length + 1 : length;
    } else if (path[0] == '\0' || !is_relative) {
        return false;
    }
    return !ready->driver || strcmp(path, ready->driver) != 0;
}

/* Whether the process, which is about to make a system call, has come to where it is to wait. */
static bool has_come(const struct ready *ready, uint64_t number, const uint64_t arguments[6])
{
    const struct call call = call_of(number);
    char path[4096];

    if (program_has(&ready->program, FRAME_RUN_CELL) && number == SYS_read && arguments[0] == CELLS)
        return true;
    if (call.kind == CALL_PROCESS)
        return number != SYS_clone || (arguments[0] & CLONE_THREAD) == 0;
    if (call.kind == CALL_OTHER ||
        !read_text(ready->program.pid, arguments[call.path], path, sizeof path))
        return false;
    return is_of_request(ready, path,
                         call.directory < 0 || (int)arguments[call.directory] == AT_FDCWD);
}

static void note_thread(struct ready_thread *thread, uint64_t number, uint64_t argument)
{
    if (number == SYS_set_tid_address)
        thread->cleared = argument;
    if (number == SYS_set_robust_list)
        thread->robust_list = argument;
}

/* The process has stopped: lets it go on, unless it has come. False: that is refused. */
static bool go_on(struct ready *ready, int status)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    const pid_t pid = ready->program.pid;
    struct __ptrace_syscall_info info;
    int number = WSTOPSIG(status);

    if (number == (SIGTRAP | 0x80)) {
        if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0)
            return false;
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
            note_thread(&ready->thread, info.entry.nr, info.entry.args[0]);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY && !ready->has_loaded)
            ready->has_loaded = ends_hook(info.entry.nr, info.entry.args[0]);
        else if (info.op == PTRACE_SYSCALL_INFO_ENTRY &&
                 has_come(ready, info.entry.nr, info.entry.args)) {
            ready->state = READY_WAITING;
            return true;
        }
    }
    if (number == SIGTRAP && status >> 16 == 0 &&
        ptrace(PTRACE_SETOPTIONS, pid, NULL, options) != 0)
        return false;
    if ((number & ~0x80) == SIGTRAP) /* it is not a signal of its own */
        number = 0;
    return ptrace(PTRACE_SYSCALL, pid, NULL, (long)number) == 0;
}

bool ready_take_status(struct ready *ready, pid_t pid, int status)
{
    if (pid != ready->program.pid)
        return false;
    if (!WIFSTOPPED(status)) {
        forget(ready);
        return true;
    }
    if (ready->state != READY_STARTING || !go_on(ready, status))
        kill(pid, SIGKILL);
    return true;
}

/* ---- its request */

bool ready_suits(const struct ready *ready, const struct program *program)
{
    const struct program *waiting = &ready->program;
    const uint32_t of_forks = ready->state == READY_TEMPLATE ? FRAME_RUN_VALUE : 0u;
    const uint32_t same = ~((uint32_t)FRAME_RUN_NOT_START | of_forks);

    return ready->state >= READY_WAITING && !program->directory &&
           ((waiting->order.flags ^ program->order.flags) & same) == 0 &&
           waiting->order.stack_max == program->order.stack_max && waiting->ipc == program->ipc &&
           strvec_equal(&waiting->arguments, &program->arguments) &&
           strvec_equal(&waiting->environment, &program->environment);
}

bool ready_become_template(struct ready *ready, const struct processes *processes,
                           const struct figures *figures)
{
    const struct program *program = &ready->program;

    /* what it has written so far would be output of each fork */
    if (program_has(program, FRAME_RUN_CELL) || descriptor_pending(program->out[0]) > 0 ||
        descriptor_pending(program->out[1]) > 0 ||
        !ready_template_make(&ready->template, program->pid, &ready->thread, processes->proc,
                             figures))
        return false;
    ready->state = READY_TEMPLATE;
    return true;
}

bool ready_is_alone(const struct ready *ready, const struct figures *figures)
{
    return ready->state == READY_TEMPLATE && ready_template_is_alone(&ready->template, figures);
}

bool ready_take_stdin(struct ready *ready, struct program *program)
{
    struct program *waiting = &ready->program;

    if (ready->state != READY_WAITING)
        return false;
    program->joined[0] = memory_file_reopen(waiting->in); /* if it ends, another one begins */
    if (program->joined[0] < 0)
        return false;
    program->in = waiting->in;
    waiting->in = -1;
    return true;
}

bool ready_resume(struct ready *ready, const struct processes *processes, struct program *program)
{
    struct program *waiting = &ready->program;

    if (ready->state == READY_TEMPLATE)
        return ready_template_fork(&ready->template, processes->proc, program);
    program->pid = waiting->pid;
    if (!program_has(program, FRAME_RUN_STDIN_FILE))
        program->in = waiting->in;
    program->out[0] = waiting->out[0];
    program->out[1] = waiting->out[1];
    waiting->in = waiting->out[0] = waiting->out[1] = -1;
    if (program_has(program, FRAME_RUN_CELL)) {
        program->begin = waiting->begin;
        program->answer = waiting->answer;
        waiting->begin = waiting->answer = -1;
    }
    forget(ready);
    return true;
}

void ready_continue(pid_t pid)
{
    if (ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0)
        kill(pid, SIGKILL); /* or it was killed already: its end will say so */
}

void ready_kill(const struct ready *ready)
{
    if (ready->program.pid > 0)
        kill(ready->program.pid, SIGKILL);
}

void ready_discard(struct ready *ready, const struct processes *processes)
{
    if (ready->program.pid == 0)
        return;
    kill(processes->is_init ? -1 : -ready->program.pid, SIGKILL);
    while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
        continue;
    forget(ready);
}
