#include "test.h"

#include "base/clock.h"
#include "docker/budget.h"

/* One percent of 100 seconds is one second. */
static const struct docker docker = {.engine_timeout = 100};

static int seconds(enum budget_part part)
{
    return (int)(budget_ms(&docker, part) / 1000);
}

CASE(budget__parts_of_a_run)
{
    assert_int_equal(seconds(BUDGET_SETUP), 60);
    assert_int_equal(seconds(BUDGET_WARM_START), 30);
    assert_int_equal(seconds(BUDGET_WARM_REMOVE), 20);
    assert_int_equal(seconds(BUDGET_STOP), 14);
    assert_int_equal(seconds(BUDGET_FILES), 30);
    assert_int_equal(seconds(BUDGET_EXIT), 10);
    assert_int_equal(seconds(BUDGET_REMOVE), 80);
    assert_int_equal(seconds(BUDGET_REMOVE_MIN), 20);
    assert_int_equal(seconds(BUDGET_TOTAL), 95);
}

CASE(budget__other_parts)
{
    assert_int_equal(seconds(BUDGET_CANCELLED_CREATE), 30);
    assert_int_equal(seconds(BUDGET_DISCARD), 20);
    assert_int_equal(seconds(BUDGET_INSPECT), 30);
    assert_int_equal(seconds(BUDGET_QUERY), 50);
    assert_int_equal(seconds(BUDGET_ENDPOINT), 20);
    assert_int_equal(seconds(BUDGET_WARM_WAIT), 50);
    assert_int_equal(seconds(BUDGET_GC), 100);
    assert_int_equal(seconds(BUDGET_IMAGE), 600);
    assert_int_equal(seconds(BUDGET_ALL_GONE), 600);
    assert_int_equal(seconds(BUDGET_LIFETIME), 800);
}

CASE(budget__parts_of_a_run_fit)
{
    const int total = seconds(BUDGET_TOTAL), least = seconds(BUDGET_REMOVE_MIN);

    assert_true(total < 100);
    /* A warm container that fails leaves time for a new one. */
    assert_true(seconds(BUDGET_WARM_START) + seconds(BUDGET_WARM_REMOVE) < seconds(BUDGET_SETUP));
    /* The setup takes all of its time. */
    assert_true(seconds(BUDGET_SETUP) + seconds(BUDGET_STOP) + least < total);
    /* Everything after the program takes all of its time. */
    assert_true(seconds(BUDGET_STOP) + seconds(BUDGET_FILES) + seconds(BUDGET_EXIT) + least <
                total);
    /* A creation that is cancelled, or fails, leaves time for the end. */
    assert_true(seconds(BUDGET_CANCELLED_CREATE) + seconds(BUDGET_DISCARD) < seconds(BUDGET_SETUP));
}

CASE(budget__container_outlives_its_use)
{
    assert_true(100 + seconds(BUDGET_IMAGE) < seconds(BUDGET_LIFETIME));
}

CASE(budget__deadline_is_from_now_on)
{
    const long long before = clock_now_ms();
    const long long deadline = budget_deadline(&docker, BUDGET_STOP);

    assert_in_range(deadline, before + 14000, clock_now_ms() + 14000);
}

CASE(budget__scales_with_the_engine_timeout)
{
    const struct docker shortest = {.engine_timeout = 1}, longest = {.engine_timeout = 600};

    assert_int_equal(budget_ms(&shortest, BUDGET_STOP), 140);
    assert_int_equal(budget_ms(&longest, BUDGET_LIFETIME), 4800000);
}
