#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/linux.h"
#include "base/memory.h"

static void check_file(const char *data, size_t length)
{
    CLEANUP_FD int file = linux_unnamed_file_of(data, length);
    struct stat status;
    struct strbuf content;

    assert_true(file >= 0);
    assert_int_equal(fstat(file, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_size, length);
    content = read_all(file); /* from its start */
    assert_int_equal(content.length, length);
    assert_memory_equal(strbuf_string(&content), data, length);
    strbuf_release(&content);
}

CASE(linux__file_of_bytes)
{
    enum { LARGE = 3000000 };
    CLEANUP_FREE char *large = memory_allocate(LARGE);

    for (size_t i = 0; i < LARGE; i++)
        large[i] = (char)(i * 31 % 251);
    check_file("text", 4);
    check_file("a\0b\0", 4);
    check_file("", 0);
    check_file(large, LARGE);
}

CASE(linux__unnamed_files_are_close_on_exec)
{
    CLEANUP_FD int empty = linux_unnamed_file();
    CLEANUP_FD int full = linux_unnamed_file_of("x", 1);

    assert_int_equal(fcntl(empty, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(full, F_GETFD), FD_CLOEXEC);
}

/* In a child, because limits cannot be raised again. */
static void check_fails(int resource, rlim_t most, int expected_errno)
{
    const struct rlimit limit = {most, most};
    const int next = dup(0);
    int status, file;
    pid_t child;

    close(next);
    child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(resource, &limit);
        file = linux_unnamed_file_of("more than that", 14);
        if (file != -1)
            _exit(255);
        _exit(errno != expected_errno ? errno : fcntl(next, F_GETFD) == -1 ? 0 : 254);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

CASE(linux__file_that_cannot_be_made)
{
    check_fails(RLIMIT_NOFILE, 0, EMFILE);
}

/* The first write() is partial and the second fails; the descriptor must be closed. */
CASE(linux__file_that_cannot_be_filled)
{
    check_fails(RLIMIT_FSIZE, 4, EFBIG);
}

CASE(linux__pipe_is_close_on_exec)
{
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
        close(ends[i]);
    }
}

/* In a child, because the descriptors of cmocka would be closed too. */
CASE(linux__close_from)
{
    const int last = fcntl(STDIN_FILENO, F_DUPFD, 200);
    int status;
    pid_t child;

    assert_true(last >= 200);
    child = fork();
    if (child == 0) {
        const bool was_open = fcntl(last, F_GETFD) >= 0;

        linux_close_from(3);
        _exit(was_open && fcntl(last, F_GETFD) < 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0 ? 0 : 1);
    }
    close(last);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void check_digits(size_t size)
{
    char text[68];

    memset(text, '#', sizeof text);
    linux_random_digits(text, size);
    assert_int_equal(strlen(text), size - 1);
    assert_int_equal(strspn(text, "0123456789abcdef"), size - 1);
    for (size_t i = size; i < sizeof text; i++) /* nothing is written after the NUL */
        assert_int_equal(text[i], '#');
}

CASE(linux__random_digits)
{
    check_digits(3);
    check_digits(17);
    check_digits(33);
    check_digits(65);
}

/* 2000 random digits have all sixteen values. */
CASE(linux__random_digits_differ)
{
    struct strbuf seen = STRBUF_INIT;
    char last[17] = "", text[17];

    for (int i = 0; i < 125; i++) {
        linux_random_digits(text, sizeof text);
        assert_string_not_equal(text, last);
        memcpy(last, text, sizeof last);
        strbuf_addstr(&seen, text);
    }
    for (const char *digit = "0123456789abcdef"; *digit; digit++)
        if (!strchr(strbuf_string(&seen), *digit))
            fail_msg("%c is never there", *digit);
    strbuf_release(&seen);
}

CASE(linux__writer_gone)
{
    int ends[2];
    char byte;

    assert_int_equal(linux_pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_false(linux_writer_gone(ends[0]));
    close(ends[1]);
    assert_true(linux_writer_gone(ends[0])); /* although there are unread bytes */
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    assert_false(linux_writer_gone(-1));
}

static void *start_sleeper(void *context)
{
    pid_t *pid = context;

    *pid = fork();
    if (*pid == 0) {
        pause();
        _exit(1);
    }
    return NULL;
}

/* Children of this thread and of a thread that has ended. */
CASE(linux__kill_children)
{
    pid_t pids[2];
    pthread_t thread;
    int status;

    start_sleeper(&pids[0]);
    assert_int_equal(pthread_create(&thread, NULL, start_sleeper, &pids[1]), 0);
    pthread_join(thread, NULL);
    linux_kill_children();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
}

/* It does not wait for a byte that another process has read, as read(2) would. */
CASE(linux__read_now)
{
    CLEANUP_FD int file = linux_unnamed_file_of("abcd", 4);
    CLEANUP_FD int directory = open("/", O_RDONLY | O_CLOEXEC);
    char bytes[4];
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    assert_int_equal(linux_read_now(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(write(ends[1], "xyz", 3), 3);
    assert_int_equal(linux_read_now(ends[0], bytes, 2), 2);
    assert_memory_equal(bytes, "xy", 2);
    assert_int_equal(linux_read_now(ends[0], bytes, sizeof bytes), 1);
    assert_memory_equal(bytes, "z", 1);
    close(ends[1]);
    assert_int_equal(linux_read_now(ends[0], bytes, sizeof bytes), 0);
    close(ends[0]);

    lseek(file, 1, SEEK_SET); /* from the offset on, which moves */
    assert_int_equal(linux_read_now(file, bytes, 2), 2);
    assert_memory_equal(bytes, "bc", 2);
    assert_int_equal(linux_read_now(file, bytes, sizeof bytes), 1);
    assert_int_equal(linux_read_now(file, bytes, sizeof bytes), 0);
    assert_int_equal(linux_read_now(directory, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(linux_read_now(-1, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EBADF);
}

CASE(linux__leads_below)
{
    char *directory = temp_create();
    CLEANUP_FREE char *inside = path_in(directory, "p"), *beside = path_in(directory, "p2");
    CLEANUP_FREE char *in = path_in(inside, "in"), *out = path_in(inside, "out");
    CLEANUP_FREE char *self = path_in(inside, "self"), *none = path_in(inside, "none");
    int fd;

    mkdir(inside, 0700);
    mkdir(beside, 0700);
    write_in(inside, "file", "");
    write_in(beside, "file", "");
    assert_int_equal(symlink("../p/file", in), 0);
    assert_int_equal(symlink("../p2/file", out), 0); /* a name that begins with that of p */
    assert_int_equal(symlink(".", self), 0);
    assert_int_equal(symlink("nowhere", none), 0);
    fd = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(linux_leads_below(fd, "file", fd), 1);
    assert_int_equal(linux_leads_below(fd, "in", fd), 1);
    assert_int_equal(linux_leads_below(fd, "out", fd), 0);
    assert_int_equal(linux_leads_below(fd, "self", fd), 0);
    assert_int_equal(linux_leads_below(fd, "/etc/passwd", fd), 0);
    assert_int_equal(linux_leads_below(fd, "none", fd), -1);
    assert_int_equal(errno, ENOENT);
    close(fd);
    temp_remove(directory);
}

static void check_open_below(int from, const char *path, int directory, const char *expected)
{
    CLEANUP_FD const int fd = linux_open_below(from, path, directory);
    char content[16] = "";

    if (fd >= 0)
        assert_true(read(fd, content, sizeof content - 1) >= 0);
    assert_string_equal(fd < 0 ? "(refused)" : content, expected);
}

CASE(linux__open_below)
{
    char *directory = temp_create();
    CLEANUP_FREE char *inside = path_in(directory, "p"), *beside = path_in(directory, "p2");
    CLEANUP_FREE char *in = path_in(inside, "in"), *out = path_in(inside, "out");
    CLEANUP_FREE char *self = path_in(inside, "self"), *fifo = path_in(inside, "fifo");
    int fd;

    mkdir(inside, 0700);
    mkdir(beside, 0700);
    write_in(inside, "file", "x");
    write_in(beside, "file", "y");
    assert_int_equal(symlink("../p/file", in), 0);
    assert_int_equal(symlink("../p2/file", out), 0);
    assert_int_equal(symlink(".", self), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    fd = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check_open_below(fd, "file", fd, "x");
    check_open_below(fd, "in", fd, "x");
    check_open_below(fd, "out", fd, "(refused)");
    check_open_below(fd, "self/in", fd, "x");
    check_open_below(fd, "self", fd, "(refused)");
    check_open_below(fd, "fifo", fd, "(refused)");
    check_open_below(fd, "none", fd, "(refused)");
    close(fd);
    temp_remove(directory);
}
