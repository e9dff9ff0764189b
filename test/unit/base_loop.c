#include "test.h"

#include <sys/eventfd.h>

#include "base/loop.h"

/* Descriptors of which some are readable, and what was called: their numbers, in order. */
struct fixture {
    int fds[4];
    char called[32];
    int closed_by_first; /* a descriptor that the first call closes; -1: none */
};

static void note(void *context, int number)
{
    struct fixture *fixture = context;
    const size_t length = strlen(fixture->called);

    snprintf(fixture->called + length, sizeof fixture->called - length, "%d ", number);
    if (fixture->closed_by_first >= 0)
        close(fixture->closed_by_first);
    fixture->closed_by_first = -1;
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.closed_by_first = -1};
    for (size_t i = 0; i < COUNT(fixture->fds); i++)
        fixture->fds[i] = eventfd(0, EFD_NONBLOCK);
}

static void tear_down(struct fixture *fixture)
{
    for (size_t i = 0; i < COUNT(fixture->fds); i++)
        close(fixture->fds[i]);
}

static void raise_fd(const struct fixture *fixture, int number)
{
    assert_int_equal(eventfd_write(fixture->fds[number], 1), 0);
}

CASE_WITH(loop__calls_what_is_ready_in_order, set_up(fixture))
{
    static const int order[] = {2, 0, 3, 1};
    struct loop loop = LOOP_INIT;

    raise_fd(fixture, 0);
    raise_fd(fixture, 1);
    raise_fd(fixture, 2);
    for (size_t i = 0; i < COUNT(order); i++)
        loop_add(&loop, fixture->fds[order[i]], POLLIN, note, fixture, order[i]);
    assert_int_equal(loop_wait(&loop), 0);
    assert_string_equal(fixture->called, "2 0 1 ");
}

CASE_WITH(loop__calls_also_what_was_closed_meanwhile, set_up(fixture))
{
    struct loop loop = LOOP_INIT;

    raise_fd(fixture, 0);
    raise_fd(fixture, 1);
    fixture->closed_by_first = fixture->fds[1];
    loop_add(&loop, fixture->fds[0], POLLIN, note, fixture, 0);
    loop_add(&loop, fixture->fds[1], POLLIN, note, fixture, 1);
    assert_int_equal(loop_wait(&loop), 0);
    assert_string_equal(fixture->called, "0 1 ");
}

CASE(loop__waits_no_longer_than_the_least_limit)
{
    static const int limits[][4] = {{0, -1, -1, 0}, {-1, 5, 3, 3}, {7, 0, 9, 0}, {-1, -1, 4, 4}};

    for (size_t i = 0; i < COUNT(limits); i++) {
        struct loop loop = LOOP_INIT;

        assert_int_equal(loop.wait_ms, -1);
        for (int j = 0; j < 3; j++)
            loop_limit(&loop, limits[i][j]);
        assert_int_equal(loop.wait_ms, limits[i][3]);
        assert_int_equal(loop_wait(&loop), 0); /* it returns */
    }
}

CASE_WITH(loop__leaves_out_what_is_not_open, set_up(fixture))
{
    struct loop loop = LOOP_INIT;

    loop_add(&loop, -1, POLLIN, note, fixture, 9);
    assert_int_equal(loop.count, 0);
    loop_add(&loop, fixture->fds[0], POLLOUT, note, fixture, 0);
    assert_int_equal(loop_wait(&loop), 0);
    assert_string_equal(fixture->called, "0 ");
}

CASE_WITH(loop__sees_the_end_of_a_pipe, set_up(fixture))
{
    struct loop loop = LOOP_INIT;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    loop_add(&loop, ends[0], POLLIN, note, fixture, 5);
    assert_int_equal(loop_wait(&loop), 0);
    assert_string_equal(fixture->called, "5 ");
    close(ends[0]);
}

CASE_WITH(loop__has_room_for_all_that_it_says, set_up(fixture))
{
    struct loop loop = LOOP_INIT;

    raise_fd(fixture, 0);
    for (int i = 0; i < LOOP_MAX - 1; i++)
        loop_add(&loop, fixture->fds[1], POLLIN, note, fixture, 1);
    loop_add(&loop, fixture->fds[0], POLLIN, note, fixture, 0);
    assert_int_equal(loop_wait(&loop), 0);
    assert_string_equal(fixture->called, "0 ");
}
