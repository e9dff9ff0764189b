#include "test.h"

#include "service/run_queue.h"

/* Sessions are only compared. */
#define SESSION(number) ((struct session *)&sessions[number])
static const char sessions[2];

/* Links the runs in this order and returns the first. */
static struct run_handle *link_runs(struct run_handle *runs, size_t count)
{
    struct run_handle *queue = NULL;

    for (size_t i = 0; i < count; i++)
        run_queue_append(&queue, &runs[i]);
    return queue;
}

CASE(run_queue__order)
{
    struct run_handle runs[3] = {{.bytes = 0}};
    struct run_handle *queue = link_runs(runs, COUNT(runs));

    assert_true(run_queue_remove(&queue, &runs[1]));
    assert_false(run_queue_remove(&queue, &runs[1]));
    assert_ptr_equal(run_queue_take(&queue), &runs[0]);
    assert_ptr_equal(run_queue_take(&queue), &runs[2]);
    assert_null(queue);
}

CASE(run_queue__due)
{
    struct run_handle runs[2] = {{.not_before = 200}, {.not_before = 100}};
    struct run_handle *queue = link_runs(runs, COUNT(runs));

    assert_null(run_queue_due(NULL, NULL, 100));
    assert_null(run_queue_due(queue, NULL, 99));
    assert_ptr_equal(run_queue_due(queue, NULL, 100), &runs[1]);
    assert_ptr_equal(run_queue_due(queue, NULL, 200), &runs[0]);
    assert_int_equal(run_queue_next_due(NULL, NULL), -1);
    assert_int_equal(run_queue_next_due(queue, NULL), 100);
}

/* A run of a session that has an active one waits, and keeps no other from starting. */
CASE(run_queue__sessions)
{
    struct run_handle active[2] = {{.session = NULL}, {.session = SESSION(0)}};
    struct run_handle runs[4] = {{.session = SESSION(0)},
                                 {.session = SESSION(1)},
                                 {.session = SESSION(1)},
                                 {.not_before = 100}};
    struct run_handle *queue = link_runs(runs, COUNT(runs));
    struct run_handle *busy = link_runs(active, COUNT(active));

    assert_ptr_equal(run_queue_due(queue, NULL, 1), &runs[0]);
    assert_ptr_equal(run_queue_due(queue, busy, 1), &runs[1]);
    assert_int_equal(run_queue_next_due(queue, busy), 0);
    active[0].session = SESSION(1);
    assert_null(run_queue_due(queue, busy, 1));
    assert_int_equal(run_queue_next_due(queue, busy), 100);
    assert_ptr_equal(run_queue_due(queue, busy, 100), &runs[3]);
    assert_true(run_queue_remove(&queue, &runs[3]));
    assert_int_equal(run_queue_next_due(queue, busy), -1);
}
