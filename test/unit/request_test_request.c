#include "test.h"

#include "request/test_request.h"

CASE(test_request__starts_with_defaults)
{
    CLEANUP(test_requests_release) struct test_requests tests = TEST_REQUESTS_INIT;
    const struct test_request *test = test_requests_add(&tests);

    assert_int_equal(tests.count, 1);
    assert_null(test->name);
    assert_int_equal(test->stdin_file, -1);
    assert_null(test->expected);
    assert_false(test->no_expected);
    assert_int_equal(test->comparison.mode, COMPARE_TRIM);
    assert_true(test->comparison.tolerance == -1);
    assert_true(test->timeout_seconds == 0);
}

/* The array grows, and a release closes and frees everything, which sanitizers check. */
CASE(test_request__many)
{
    enum { MANY = 1000 };
    struct test_requests tests = TEST_REQUESTS_INIT;
    int fd;

    for (int i = 0; i < MANY; i++) {
        struct test_request *test = test_requests_add(&tests);

        test->name = string_format("%d", i);
        test->stdin_data = string_copy("z");
        test->expected = string_copy("x");
        strvec_push(&test->arguments, "a");
        strvec_push(&test->environment, "A=1");
        input_files_add(&test->files, "f", string_copy("y"), 1);
    }
    assert_int_equal(tests.count, MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(atoi(tests.items[i].name), i);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    tests.items[7].stdin_file = fd;
    test_requests_release(&tests);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_null(tests.items);
    assert_int_equal(tests.count, 0);
}

/* The last owner, and no other, closes and frees everything, in whichever order they end. */
CASE(test_request__shared)
{
    struct test_requests tests = TEST_REQUESTS_INIT, second, third;
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    test_requests_add(&tests)->stdin_file = fd;
    tests.items[0].name = string_copy("a");
    tests.stop_on_failure = true;
    second = test_requests_share(&tests);
    third = test_requests_share(&second);
    assert_int_equal(third.count, 1);
    assert_true(third.stop_on_failure);
    test_requests_release(&tests);
    assert_null(tests.items);
    test_requests_release(&third);
    assert_int_not_equal(fcntl(fd, F_GETFD), -1);
    assert_string_equal(second.items[0].name, "a");
    test_requests_release(&second);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}
