#include "test.h"

#include <errno.h>

CASE(cleanup__of_nothing)
{
    CLEANUP_FREE char *pointer = NULL;
    CLEANUP_FD int fd = -1;

    assert_null(steal_pointer(&pointer));
    assert_int_equal(steal_fd(&fd), -1);
}

/* Fails with errno set. Its clean-up fails too: the descriptor is closed already. */
static int fail_with(int number)
{
    CLEANUP_FREE char *pointer = string_copy("text");
    CLEANUP_FD int fd = dup(STDIN_FILENO);

    close(fd);
    errno = number;
    return pointer ? -1 : 0;
}

CASE(cleanup__keeps_errno)
{
    assert_int_equal(fail_with(EDOM), -1);
    assert_int_equal(errno, EDOM);
}

CASE(cleanup__closes_unless_it_is_stolen)
{
    int closed, stolen;

    {
        CLEANUP_FD int first = dup(STDIN_FILENO);
        CLEANUP_FD int second = dup(STDIN_FILENO);

        closed = first;
        stolen = steal_fd(&second);
    }
    assert_int_equal(fcntl(closed, F_GETFD), -1);
    assert_true(fcntl(stolen, F_GETFD) >= 0);
    close(stolen);
}
