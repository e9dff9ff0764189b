#include "test.h"

#include "service/ramp.h"

static void succeed(struct ramp *ramp, int times)
{
    while (times-- > 0)
        ramp_add_success(ramp);
}

CASE(ramp__without_it_all_may_start)
{
    struct ramp ramp;

    ramp_init(&ramp, 64, false);
    assert_int_equal(ramp.allowed, 64);
    ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 64);
    assert_false(ramp_add_success(&ramp));
}

CASE(ramp__begins_with_two_and_grows)
{
    struct ramp ramp;

    ramp_init(&ramp, 5, true);
    assert_int_equal(ramp.allowed, 2);
    for (int expected = 3; expected <= 5; expected++) {
        assert_true(ramp_add_success(&ramp));
        assert_int_equal(ramp.allowed, expected);
    }
    assert_false(ramp_add_success(&ramp));
    assert_int_equal(ramp.allowed, 5);
}

CASE(ramp__fewer_than_two)
{
    struct ramp ramp;

    ramp_init(&ramp, 1, true);
    assert_int_equal(ramp.allowed, 1);
    ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 1);
    assert_false(ramp_add_success(&ramp));
}

CASE(ramp__runs_that_fail_together_halve_it_once)
{
    struct ramp ramp;

    ramp_init(&ramp, 64, true);
    succeed(&ramp, 62);
    assert_int_equal(ramp.allowed, 64);
    for (int i = 0; i < 64; i++)
        ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 32);
    assert_int_equal(ramp.round, 1);
    ramp_add_failure(&ramp, 1);
    assert_int_equal(ramp.allowed, 16);
}

CASE(ramp__never_below_one)
{
    struct ramp ramp;

    ramp_init(&ramp, 64, true);
    for (unsigned round = 0; round < 10; round++)
        ramp_add_failure(&ramp, round);
    assert_int_equal(ramp.allowed, 1);
}

/* After a failure at 8: as many successes as there are runs allow one more. */
CASE(ramp__grows_slowly_after_a_failure)
{
    struct ramp ramp;

    ramp_init(&ramp, 8, true);
    succeed(&ramp, 6);
    ramp_add_failure(&ramp, 0);
    assert_int_equal(ramp.allowed, 4);
    succeed(&ramp, 3);
    assert_int_equal(ramp.allowed, 4);
    assert_true(ramp_add_success(&ramp));
    assert_int_equal(ramp.allowed, 5);
    succeed(&ramp, 4);
    assert_int_equal(ramp.allowed, 5);
    succeed(&ramp, 1);
    assert_int_equal(ramp.allowed, 6);
    succeed(&ramp, 100);
    assert_int_equal(ramp.allowed, 8);
}
