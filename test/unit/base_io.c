#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/linux.h"

CASE(io__poll_is_that_of_the_system)
{
    struct pollfd polled[2] = {{.events = POLLIN}, {.events = POLLOUT}};
    int ends[2];

    assert_int_equal(linux_pipe(ends), 0);
    polled[0].fd = ends[0];
    polled[1].fd = ends[1];
    assert_int_equal(io_poll(polled, 1, 0), 0);
    assert_int_equal(io_poll(polled, 2, -1), 1);
    assert_int_equal(polled[0].revents, 0);
    assert_int_equal(polled[1].revents, POLLOUT);
    close(ends[0]);
    close(ends[1]);
}

static void do_nothing(int signal)
{
    (void)signal;
}

CASE(io__poll_ends_with_a_signal)
{
    const struct sigaction action = {.sa_handler = do_nothing};
    /* repeatedly, in case the first comes too early */
    const struct itimerval soon = {{0, 10000}, {0, 10000}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    struct pollfd polled = {-1, POLLIN, POLLIN};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_int_equal(io_poll(&polled, 1, -1), -1);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(polled.revents, 0);
}

/* poll() of more descriptors than RLIMIT_NOFILE allows fails with EINVAL. */
static int poll_too_many(void)
{
    const struct rlimit few = {1, 1};
    struct pollfd polled[2] = {{STDIN_FILENO, POLLIN, POLLIN}, {STDERR_FILENO, POLLOUT, POLLOUT}};
    const long long start = clock_now_ms();

    setrlimit(RLIMIT_NOFILE, &few);
    if (io_poll(polled, 2, 0) != -1 || polled[0].revents != 0 || polled[1].revents != 0)
        return 1;
    if (io_poll(polled, 2, -1) != -1)
        return 2;
    return clock_now_ms() - start >= 19 ? 0 : 3; /* the second one pauses */
}

CASE(io__poll_pauses_if_it_fails)
{
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(poll_too_many());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

CASE(io__write_all)
{
    CLEANUP_FD int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    CLEANUP_FD int file = linux_unnamed_file();
    struct strbuf content;

    assert_int_equal(io_write_all(file, "all of it", 9), 0);
    lseek(file, 0, SEEK_SET);
    content = read_all(file);
    assert_string_equal(strbuf_string(&content), "all of it");
    strbuf_release(&content);
    assert_int_equal(io_write_all(full, "x", 1), -1);
    assert_int_equal(errno, ENOSPC);
}

/* Nothing is read, and no offset moves. */
CASE(io__has_bytes)
{
    CLEANUP_FD int file = linux_unnamed_file_of("abc", 3);
    CLEANUP_FD int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    CLEANUP_FD int directory = open("/", O_RDONLY | O_CLOEXEC);
    int ends[2], pair[2];

    assert_true(io_has_bytes(file));
    assert_int_equal(lseek(file, 0, SEEK_CUR), 0);
    lseek(file, 2, SEEK_SET);
    assert_true(io_has_bytes(file));
    lseek(file, 3, SEEK_SET);
    assert_false(io_has_bytes(file));
    lseek(file, 4, SEEK_SET);
    assert_false(io_has_bytes(file));

    assert_int_equal(linux_pipe(ends), 0);
    assert_false(io_has_bytes(ends[0]));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(io_has_bytes(ends[0]));
    assert_true(io_has_bytes(ends[0]));
    close(ends[1]);
    assert_true(io_has_bytes(ends[0]));
    assert_int_equal(read(ends[0], (char[1]){0}, 1), 1);
    assert_false(io_has_bytes(ends[0])); /* at its end */
    close(ends[0]);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_false(io_has_bytes(pair[0]));
    assert_int_equal(write(pair[1], "x", 1), 1);
    assert_true(io_has_bytes(pair[0]));
    close(pair[0]);
    close(pair[1]);

    assert_false(io_has_bytes(zeros));
    assert_false(io_has_bytes(directory));
    assert_false(io_has_bytes(-1));
}
