#include "test.h"

#include "service/concurrency_ramp.h"

static void succeed(struct concurrency_ramp *ramp, int times)
{
    while (times-- > 0)
        concurrency_ramp_add_success(ramp);
}

CASE(concurrency_ramp__without_it_all_may_start)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 64, false);
    assert_int_equal(ramp.allowed, 64);
    concurrency_ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 64);
    assert_false(concurrency_ramp_add_success(&ramp));
}

CASE(concurrency_ramp__begins_with_two_and_grows)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 5, true);
    assert_int_equal(ramp.allowed, 2);
    for (int expected = 3; expected <= 5; expected++) {
        assert_true(concurrency_ramp_add_success(&ramp));
        assert_int_equal(ramp.allowed, expected);
    }
    assert_false(concurrency_ramp_add_success(&ramp));
    assert_int_equal(ramp.allowed, 5);
}

CASE(concurrency_ramp__fewer_than_two)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 1, true);
    assert_int_equal(ramp.allowed, 1);
    concurrency_ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 1);
    assert_false(concurrency_ramp_add_success(&ramp));
}

CASE(concurrency_ramp__runs_that_fail_together_halve_it_once)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 64, true);
    succeed(&ramp, 62);
    assert_int_equal(ramp.allowed, 64);
    for (int i = 0; i < 64; i++)
        concurrency_ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 32);
    assert_int_equal(ramp.round, 1);
    concurrency_ramp_add_failure(&ramp, 1);
    assert_int_equal(ramp.allowed, 16);
}

CASE(concurrency_ramp__never_below_one)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 64, true);
    for (unsigned round = 0; round < 10; round++)
        concurrency_ramp_add_failure(&ramp, round);
    assert_int_equal(ramp.allowed, 1);
}

/* After a failure at 8: as many successes as there are runs allow one more. */
CASE(concurrency_ramp__grows_slowly_after_a_failure)
{
    struct concurrency_ramp ramp;

    concurrency_ramp_init(&ramp, 8, true);
    succeed(&ramp, 6);
    concurrency_ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 4);
    succeed(&ramp, 3);
    assert_int_equal(ramp.allowed, 4);
    assert_true(concurrency_ramp_add_success(&ramp));
    assert_int_equal(ramp.allowed, 5);
    succeed(&ramp, 4);
    assert_int_equal(ramp.allowed, 5);
    succeed(&ramp, 1);
    assert_int_equal(ramp.allowed, 6);
    succeed(&ramp, 100);
    assert_int_equal(ramp.allowed, 8);
}
