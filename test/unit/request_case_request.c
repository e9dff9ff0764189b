#include "test.h"

#include "request/case_request.h"

CASE(case_request__starts_with_defaults)
{
    CLEANUP(case_requests_release) struct case_requests tests = CASE_REQUESTS_INIT;
    const struct case_request *test = case_requests_add(&tests);

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
CASE(case_request__many)
{
    enum { MANY = 1000 };
    struct case_requests tests = CASE_REQUESTS_INIT;
    int fd;

    for (int i = 0; i < MANY; i++) {
        struct case_request *test = case_requests_add(&tests);

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
    case_requests_release(&tests);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_null(tests.items);
    assert_int_equal(tests.count, 0);
}

/* The last owner, and no other, closes and frees everything, in whichever order they end. */
CASE(case_request__shared)
{
    struct case_requests tests = CASE_REQUESTS_INIT, second, third;
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    case_requests_add(&tests)->stdin_file = fd;
    tests.items[0].name = string_copy("a");
    tests.stop_on_failure = true;
    second = case_requests_share(&tests);
    third = case_requests_share(&second);
    assert_int_equal(third.count, 1);
    assert_true(third.stop_on_failure);
    case_requests_release(&tests);
    assert_null(tests.items);
    case_requests_release(&third);
    assert_int_not_equal(fcntl(fd, F_GETFD), -1);
    assert_string_equal(second.items[0].name, "a");
    case_requests_release(&second);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}
