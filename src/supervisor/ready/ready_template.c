#define _GNU_SOURCE
#include "supervisor/ready/ready_template.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/entries.h"
#include "supervisor/memory_file.h"
#include "supervisor/protocol.h"

enum { CALL_CLOSE_RANGE = 436, IO_WHO_PROCESS = 1, PIPES = 3, PIPES_MAX = 4 };

/* ---- what it may be */

/* How many entries there are in a directory of /proc; -1: it cannot be read. */
static int count_entries(int proc, pid_t pid, const char *name)
{
    struct entries entries;
    struct entry entry;
    char path[64];
    int fd, found, count = 0;

    snprintf(path, sizeof path, "%d/%s", (int)pid, name);
    fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    entries_open(&entries, fd);
    while ((found = entries_next(&entries, &entry)) > 0)
        count++;
    close(fd);
    return found < 0 ? -1 : count;
}

/* Whether its descriptors are those of a program: pipes, or a file as stdin. */
static bool has_pipes(int proc, pid_t pid)
{
    for (int i = 0; i < PIPES; i++) {
        struct stat status;
        char path[64];

        snprintf(path, sizeof path, "%d/fd/%d", (int)pid, i);
        if (fstatat(proc, path, &status, 0) != 0 ||
            (!S_ISFIFO(status.st_mode) && (i > 0 || !S_ISREG(status.st_mode))))
            return false;
    }
    return count_entries(proc, pid, "fd") == PIPES;
}

/*
 * Whether it has memory that it shares and can write to: its lines in proc_pid_maps(5) begin with
 * "ADDRESSES rw-s ". Also true if that cannot be read.
 */
static bool shares_memory(int proc, pid_t pid)
{
    char path[64], bytes[4096], line[64] = "";
    size_t at = 0;
    bool shares = false;
    ssize_t length = -1;
    int fd;

    snprintf(path, sizeof path, "%d/maps", (int)pid);
    fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !shares && (length = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < length; i++) {
            const char *access;

            if (bytes[i] != '\n') {
                if (at < sizeof line - 1)
                    line[at++] = bytes[i];
                continue;
            }
            line[at] = '\0';
            at = 0;
            access = strchr(line, ' ');
            shares |= !access || (access[2] == 'w' && access[4] == 's');
        }
    descriptor_close(&fd);
    return shares || length != 0;
}

/*
 * Where the C library keeps the thread's id, which has to be that of a fork in a fork: glibc has it
 * in front of the list (struct pthread, nptl/descr.h). glibc 2.41 also lets the kernel clear that,
 * and 2.43 another word.
 */
static uint64_t id_address(const struct ready_thread *thread)
{
    return thread->robust_list - 2 * sizeof(long);
}

static bool has_thread(pid_t pid, const struct ready_thread *thread)
{
    long word;

    if (thread->robust_list == 0 || thread->cleared == 0)
        return false;
    errno = 0;
    word = ptrace(PTRACE_PEEKDATA, pid, id_address(thread), NULL);
    return errno == 0 && (int32_t)word == pid;
}

static long make_call(const struct ready_template *template, pid_t pid, long number, uint64_t one,
                      uint64_t two, uint64_t three)
{
    const uint64_t arguments[5] = {one, two, three, 0, 0};
    long result = -ESRCH;

    traced_call_make(pid, &template->registers, number, arguments, &result);
    return result;
}

static bool read_traits(const struct ready_template *template, struct ready_traits *traits)
{
    const pid_t pid = template->pid;

    memset(traits, 0, sizeof *traits);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (prlimit(pid, i, NULL, &traits->limits[i]) != 0)
            return false;
    traits->io_priority = syscall(SYS_ioprio_get, IO_WHO_PROCESS, pid);
    traits->timer_slack = make_call(template, pid, SYS_prctl, PR_GET_TIMERSLACK, 0, 0);
    return syscall(SYS_sched_getaffinity, pid, sizeof traits->processors, traits->processors) > 0 &&
           syscall(SYS_sched_getattr, pid, traits->scheduling, sizeof traits->scheduling, 0) == 0 &&
           traits->io_priority >= 0 && traits->timer_slack >= 0;
}

bool ready_template_is_possible(const struct figures *figures)
{
    return TRACED_CALLS && figures_processes(figures) != FRAME_UNKNOWN;
}

bool ready_template_make(struct ready_template *template, pid_t pid,
                         const struct ready_thread *thread, int proc, const struct figures *figures)
{
    const long options =
        PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK;

    *template = (struct ready_template){
        .pid = pid, .thread = *thread, .processes = figures_processes(figures)};
    return template->processes == (uint64_t)count_entries(proc, getpid(), "task") + 1 &&
           count_entries(proc, pid, "task") == 1 && has_pipes(proc, pid) &&
           !shares_memory(proc, pid) && has_thread(pid, thread) &&
           ptrace(PTRACE_SETOPTIONS, pid, NULL, options) == 0 &&
           traced_call_prepare(pid, &template->registers) &&
           make_call(template, pid, SYS_prctl, PR_SET_DUMPABLE, 0, 0) == 0 &&
           read_traits(template, &template->traits);
}

bool ready_template_is_alone(const struct ready_template *template, const struct figures *figures)
{
    return figures_processes(figures) == template->processes;
}

/* ---- a fork */

/* Opens our end of a pipe that the fork has as descriptor `fd`. */
static int open_end(int proc, pid_t pid, int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "%d/fd/%d", (int)pid, fd);
    return openat(proc, path, flags | O_NONBLOCK | O_CLOEXEC);
}

/* Writes a short text to memory that a process does not use, by words, with its NUL. */
static bool put_text(pid_t pid, uint64_t address, const char *text)
{
    union {
        char bytes[3 * sizeof(long)];
        long words[3];
    } padded = {{0}};

    memcpy(padded.bytes, text, strlen(text));
    for (size_t i = 0; i < 3; i++)
        if (ptrace(PTRACE_POKEDATA, pid, address + i * sizeof(long), padded.words[i]) != 0)
            return false;
    return true;
}

/* Copies all bytes of a file. */
static bool copy_file(int from, int to)
{
    char bytes[16384];
    ssize_t length;
    off_t at = 0;

    while ((length = pread(from, bytes, sizeof bytes, at)) > 0) {
        if (write(to, bytes, (size_t)length) != length)
            return false;
        at += length;
    }
    return length == 0;
}

/*
 * The fork makes a file in memory, as descriptor 3, and opens it once more for reading, as 4; this
 * process copies to it what it has of the program's stdin, and seals it.
 */
static bool make_stdin(const struct ready_template *template, int proc, pid_t pid, int from)
{
    const uint64_t text = traced_call_scratch(&template->registers);
    const uint64_t flags = MEMORY_FILE_FLAGS;
    bool copied;
    long made;
    int file;

    if (!put_text(pid, text, "stdin"))
        return false;
    made = make_call(template, pid, SYS_memfd_create, text, flags | MEMORY_FILE_NOT_EXECUTABLE, 0);
    if (made == -EINVAL)
        made = make_call(template, pid, SYS_memfd_create, text, flags, 0);
    if (made != PIPES)
        return false;
    file = open_end(proc, pid, PIPES, O_RDWR);
    copied = file >= 0 && copy_file(from, file) && memory_file_seal(file);
    descriptor_close(&file);
    return copied && put_text(pid, text, "/proc/self/fd/3") &&
           make_call(template, pid, SYS_openat, (uint64_t)AT_FDCWD, text, O_RDONLY) == PIPES + 1;
}

/* The fork makes a pipe, and this process opens its end. */
static bool make_pipe(const struct ready_template *template, int proc, pid_t pid, int number,
                      int *end)
{
    const uint64_t pair = traced_call_scratch(&template->registers);
    const int reading = PIPES + 2 * number, writing = reading + 1;

    if (make_call(template, pid, SYS_pipe2, pair, 0, 0) != 0)
        return false;
    *end = number == 0 ? open_end(proc, pid, writing, O_WRONLY)
                       : open_end(proc, pid, reading, O_RDONLY);
    if (*end >= 0 && (number == 1 || number == 2))
        descriptor_enlarge_pipe(*end);
    return *end >= 0;
}

/*
 * Replaces the descriptors of the fork by new ones, which are 3 and higher at first: of each pair
 * the second is written, and so the program's if it is a stream of output, or for a value. A stdin
 * that is a file is the second of the first pair.
 */
static bool replace_pipes(const struct ready_template *template, int proc, pid_t pid,
                          struct program *program)
{
    int *const ends[PIPES_MAX] = {&program->in, &program->out[0], &program->out[1],
                                  &program->answer};
    const int count = program_has(program, FRAME_RUN_VALUE) ? PIPES_MAX : PIPES;

    for (int i = 0; i < count; i++) {
        const bool is_file = i == 0 && program_has(program, FRAME_RUN_STDIN_FILE);
        const int own = PIPES + 2 * i + (i > 0 || is_file ? 1 : 0);

        if (is_file ? !make_stdin(template, proc, pid, program->joined[0])
                    : !make_pipe(template, proc, pid, i, ends[i]))
            return false;
        if (make_call(template, pid, SYS_dup3, (uint64_t)own, (uint64_t)i, 0) != i)
            return false;
    }
    if (make_call(template, pid, CALL_CLOSE_RANGE, (uint64_t)count, UINT32_MAX, 0) == 0)
        return true;
    for (int fd = count; fd < PIPES + 2 * count; fd++)
        if (make_call(template, pid, SYS_close, (uint64_t)fd, 0, 0) != 0)
            return false;
    return true;
}

/* Makes of a copy of the template a process of its own. */
static bool set_up_fork(const struct ready_template *template, int proc, struct program *program)
{
    const uint64_t robust_list_size = 3 * sizeof(long); /* struct robust_list_head */
    const struct ready_thread *thread = &template->thread;
    const pid_t pid = program->pid;

    return make_call(template, pid, SYS_prctl, PR_SET_DUMPABLE, 1, 0) == 0 &&
           make_call(template, pid, SYS_setsid, 0, 0, 0) == pid &&
           make_call(template, pid, SYS_set_tid_address, thread->cleared, 0, 0) == pid &&
           make_call(template, pid, SYS_set_robust_list, thread->robust_list, robust_list_size,
                     0) == 0 &&
           replace_pipes(template, proc, pid, program) &&
           traced_call_restore(pid, &template->registers);
}

bool ready_template_fork(const struct ready_template *template, int proc, struct program *program)
{
    const uint64_t flags = SIGCHLD | CLONE_PARENT | CLONE_CHILD_SETTID;
    struct ready_traits traits;

    if (!read_traits(template, &traits) || memcmp(&traits, &template->traits, sizeof traits) != 0)
        return false;
    program->pid = traced_call_clone(template->pid, &template->registers, flags,
                                     id_address(&template->thread));
    if (program->pid > 0 && set_up_fork(template, proc, program))
        return true;
    if (program->pid > 0)
        kill(program->pid, SIGKILL);
    descriptor_close(&program->in);
    descriptor_close(&program->out[0]);
    descriptor_close(&program->out[1]);
    descriptor_close(&program->answer);
    return false;
}
