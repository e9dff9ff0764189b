#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/notifier.h"

static struct notifier open_notifier(void)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct notifier notifier = NOTIFIER_INIT;

    assert_int_equal(notifier_open(&notifier, &error), 0);
    return notifier;
}

CASE(notifier__raise_and_clear)
{
    struct notifier notifier = open_notifier();

    assert_false(notifier_raised(&notifier));
    notifier_raise(&notifier);
    assert_true(notifier_raised(&notifier));
    assert_true(notifier_raised(&notifier)); /* still raised */
    notifier_clear(&notifier);
    assert_false(notifier_raised(&notifier));
    notifier_clear(&notifier); /* does not block */
    notifier_raise(&notifier);
    assert_true(notifier_raised(&notifier));
    notifier_release(&notifier);
}

/* Raising never blocks, and clearing once is enough. */
CASE(notifier__any_number_of_times)
{
    static const int counts[] = {2, 255, 256, 257, 1000, 200000};
    struct notifier notifier = open_notifier();

    for (size_t i = 0; i < COUNT(counts); i++) {
        for (int count = 0; count < counts[i]; count++)
            notifier_raise(&notifier);
        assert_true(notifier_raised(&notifier));
        notifier_clear(&notifier);
        if (notifier_raised(&notifier))
            fail_msg("still raised after %d times", counts[i]);
    }
    notifier_release(&notifier);
}

/* The counter is at its maximum, so that write() fails; a signal handler must keep errno. */
CASE(notifier__keeps_errno)
{
    const uint64_t full = UINT64_MAX - 1;
    struct notifier notifier = open_notifier();

    assert_int_equal(write(notifier.fd, &full, sizeof full), sizeof full);
    errno = EDOM;
    notifier_raise(&notifier);
    assert_int_equal(errno, EDOM);
    assert_true(notifier_raised(&notifier));
    notifier_release(&notifier);
}

static void *raise_in_thread(void *context)
{
    notifier_raise(context);
    return NULL;
}

CASE(notifier__from_another_thread)
{
    struct notifier notifier = open_notifier();
    struct pollfd polled = {notifier_fd(&notifier), POLLIN, 0};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, raise_in_thread, &notifier), 0);
    assert_int_equal(poll(&polled, 1, -1), 1);
    pthread_join(thread, NULL);
    notifier_release(&notifier);
}

CASE(notifier__descriptor)
{
    struct notifier notifier = open_notifier();
    const int fd = notifier_fd(&notifier);

    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    notifier_release(&notifier);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(notifier_fd(&notifier), -1);
}

/* It must not close descriptor 0. */
CASE(notifier__either)
{
    struct notifier one = NOTIFIER_INIT, other = NOTIFIER_INIT, either = NOTIFIER_INIT,
                    alone = NOTIFIER_INIT, both = NOTIFIER_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(notifier_open(&one, &error), 0);
    assert_int_equal(notifier_open(&other, &error), 0);
    assert_int_equal(notifier_open_either(&either, &one, &other, &error), 0);
    assert_int_equal(notifier_open_either(&alone, NULL, &other, &error), 0);
    assert_int_equal(notifier_open_either(&both, &either, &alone, &error), 0);
    assert_false(notifier_raised(&both));
    notifier_raise(&one);
    assert_true(notifier_raised(&either));
    assert_true(notifier_raised(&both));
    assert_false(notifier_raised(&alone));
    notifier_clear(&one);
    assert_false(notifier_raised(&either));
    notifier_raise(&other);
    assert_true(notifier_raised(&either));
    assert_true(notifier_raised(&alone));
    assert_true(fcntl(notifier_fd(&either), F_GETFD) & FD_CLOEXEC);
    notifier_release(&both);
    notifier_release(&alone);
    notifier_release(&either);
    notifier_release(&other);
    notifier_release(&one);
}

CASE(notifier__release_of_what_is_not_open)
{
    struct notifier notifier = NOTIFIER_INIT;

    notifier_release(&notifier);
    notifier_release(&notifier);
    assert_int_equal(notifier_fd(&notifier), -1);
    assert_false(notifier_raised(&notifier));
    assert_true(fcntl(0, F_GETFD) >= 0);
}

CASE(notifier__null_is_never_raised)
{
    assert_int_equal(notifier_fd(NULL), -1);
    assert_false(notifier_raised(NULL));
}

/* In a child, because the limit cannot be raised again. */
CASE(notifier__without_descriptors)
{
    const struct rlimit none = {0, 0};
    const pid_t child = fork();
    int status;

    if (child == 0) {
        struct notifier notifier = NOTIFIER_INIT;
        struct error error = ERROR_INIT;

        setrlimit(RLIMIT_NOFILE, &none);
        _exit(notifier_open(&notifier, &error) == -1 && error.kind == ERROR_SYSTEM &&
                      strcmp(error.message, "cannot create an eventfd: Too many open files") == 0
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
