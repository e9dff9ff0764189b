#include "test.h"

#include <poll.h>
#include <pthread.h>

#include "base/wake.h"

static struct wake open_wake(void)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct wake wake;

    assert_int_equal(wake_open(&wake, &error), 0);
    return wake;
}

static bool is_awake(const struct wake *wake)
{
    struct pollfd polled = {wake_fd(wake), POLLIN, 0};

    return poll(&polled, 1, 0) > 0;
}

static void wake__up_and_clear(void **state)
{
    struct wake wake = open_wake();

    (void)state;
    assert_false(is_awake(&wake));
    wake_up(&wake);
    assert_true(is_awake(&wake));
    assert_true(is_awake(&wake)); /* to look at it changes nothing */
    wake_clear(&wake);
    assert_false(is_awake(&wake));
    wake_clear(&wake); /* nothing to wait for */
    wake_up(&wake);
    assert_true(is_awake(&wake));
    wake_release(&wake);
}

/* More often than a pipe has room: nobody blocks, and one clearing is enough. */
static void wake__any_number_of_times(void **state)
{
    static const int counts[] = {2, 255, 256, 257, 1000, 200000};
    struct wake wake = open_wake();

    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++) {
        for (int count = 0; count < counts[i]; count++)
            wake_up(&wake);
        assert_true(is_awake(&wake));
        wake_clear(&wake);
        if (is_awake(&wake))
            fail_msg("still awake after %d times", counts[i]);
    }
    wake_release(&wake);
}

static void *wake_from_thread(void *context)
{
    wake_up(context);
    return NULL;
}

static void wake__from_another_thread(void **state)
{
    struct wake wake = open_wake();
    struct pollfd polled = {wake_fd(&wake), POLLIN, 0};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wake_from_thread, &wake), 0);
    assert_int_equal(poll(&polled, 1, -1), 1);
    pthread_join(thread, NULL);
    wake_release(&wake);
}

static void wake__descriptors(void **state)
{
    struct wake wake = open_wake();

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fcntl(wake.fds[i], F_GETFD), FD_CLOEXEC);
        assert_true(fcntl(wake.fds[i], F_GETFL) & O_NONBLOCK);
    }
    wake_release(&wake);
    assert_int_equal(fcntl(wake.fds[0], F_GETFD), -1);
    assert_int_equal(fcntl(wake.fds[1], F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wake__up_and_clear),
        cmocka_unit_test(wake__any_number_of_times),
        cmocka_unit_test(wake__from_another_thread),
        cmocka_unit_test(wake__descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
