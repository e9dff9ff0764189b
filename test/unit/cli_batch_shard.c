#include "test.h"

#include <limits.h>

#include "cli/batch/batch_shard.h"

static void check_valid(const char *value, int number, int count)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct batch_shard shard = {0, 0};

    assert_int_equal(batch_shard_take(&shard, value, &error), 0);
    assert_no_error(&error);
    assert_int_equal(shard.number, number);
    assert_int_equal(shard.count, count);
}

CASE(batch_shard__reads_a_number_and_a_count)
{
    check_valid("1/1", 1, 1);
    check_valid("2/3", 2, 3);
    check_valid("08/12", 8, 12);
    check_valid("1000000/1000000", 1000000, 1000000);
}

CASE(batch_shard__refuses_other_values)
{
    static const char *const values[] = {
        "",
        "1",
        "/",
        "1/",
        "/3",
        "0/0",
        "4/3",
        "-1/3",
        "+1/3",
        " 1/3",
        "1/3 ",
        "1/ 3",
        "1/3/5",
        "1.0/3",
        "a/b",
        "1/1000001",
        "1/2147483648",
        "4294967297/3",
        "1of3",
        "1/0x3",
        "1\\3",
        "99999999999999999999/99999999999999999999",
    };

    for (size_t i = 0; i < COUNT(values); i++) {
        CLEANUP_FREE char *message =
            string_format("'%s' is not I/N, with I from 1 to N, and N at most 1000000", values[i]);
        struct batch_shard shard = {2, 5};
        struct error error = ERROR_INIT;

        assert_int_equal(batch_shard_take(&shard, values[i], &error), -1);
        assert_error(&error, ERROR_USAGE, message);
        assert_int_equal(shard.number, 2);
        assert_int_equal(shard.count, 5);
    }
}

CASE(batch_shard__says_what_to_do_about_an_index_from_0)
{
    struct batch_shard shard = {0, 0};
    struct error error = ERROR_INIT;

    assert_int_equal(batch_shard_take(&shard, "0/3", &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "'0/3' is not I/N, with I from 1 to N, and N at most 1000000; if the index begins "
                 "at 0, add 1 to it");
}

CASE(batch_shard__each_line_belongs_to_one)
{
    const struct batch_shard none = {0, 0}, all = {1, 1}, second = {2, 3};

    for (long long line = 1; line <= 30; line++) {
        int found = 0;

        for (int number = 1; number <= 7; number++)
            found += batch_shard_has(&(struct batch_shard){number, 7}, line);
        assert_int_equal(found, 1);
        assert_true(batch_shard_has(&none, line));
        assert_true(batch_shard_has(&all, line));
        assert_int_equal(batch_shard_has(&second, line), line % 3 == 2);
    }
    assert_true(batch_shard_has(&(struct batch_shard){3, 3}, 3));
    assert_true(batch_shard_has(&(struct batch_shard){1, 4}, LLONG_MAX - 2));
    assert_true(batch_shard_has(&(struct batch_shard){1000000, 1000000}, 1000000));
}

CASE(batch_shard__is_part_if_there_are_others)
{
    assert_false(batch_shard_is_part(&(struct batch_shard){0, 0}));
    assert_false(batch_shard_is_part(&(struct batch_shard){1, 1}));
    assert_true(batch_shard_is_part(&(struct batch_shard){1, 2}));
}
