#include "test.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/strvec.h"

CASE(strbuf__empty_is_the_empty_string)
{
    struct strbuf buffer = STRBUF_INIT;

    assert_string_equal(strbuf_string(&buffer), "");
    assert_int_equal(buffer.length, 0);
    strbuf_release(&buffer);
    strbuf_release(&buffer);
}

CASE(strbuf__adding_nothing_makes_data)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_add(&buffer, NULL, 0);
    assert_non_null(buffer.data);
    assert_string_equal(buffer.data, "");
    strbuf_release(&buffer);
}

CASE(strbuf__formatting_nothing_makes_data)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_addf(&buffer, "%s", "");
    assert_non_null(buffer.data);
    assert_string_equal(buffer.data, "");
    assert_int_equal(buffer.length, 0);
    strbuf_release(&buffer);
}

CASE(strbuf__holds_nul_bytes)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_add(&buffer, "a\0b", 3);
    strbuf_addch(&buffer, '\0');
    strbuf_addstr(&buffer, "c");
    assert_int_equal(buffer.length, 5);
    assert_memory_equal(buffer.data, "a\0b\0c\0", 6);
    strbuf_release(&buffer);
}

CASE(strbuf__grows_byte_by_byte)
{
    struct strbuf buffer = STRBUF_INIT;

    for (int i = 0; i < 20000; i++) {
        strbuf_addch(&buffer, (char)('a' + i % 26));
        assert_int_equal(buffer.length, i + 1);
        assert_int_equal(buffer.data[i + 1], '\0');
        assert_true(buffer.length < buffer.capacity);
    }
    for (int i = 0; i < 20000; i++)
        assert_int_equal(buffer.data[i], 'a' + i % 26);
    strbuf_release(&buffer);
}

/* Each length around the capacities of 64, 96 and 144 bytes, added at once to a used buffer. */
CASE(strbuf__grows_at_every_length)
{
    char word[200];

    memset(word, 'x', sizeof word);
    for (size_t first = 0; first <= 150; first++)
        for (size_t second = 0; second <= 150; second += 1 + second / 10) {
            struct strbuf buffer = STRBUF_INIT;

            strbuf_add(&buffer, word, first);
            strbuf_addf(&buffer, "%.*s", (int)second, word);
            assert_int_equal(buffer.length, first + second);
            assert_int_equal(strlen(strbuf_string(&buffer)), first + second);
            strbuf_release(&buffer);
        }
}

CASE(strbuf__grows_by_much_at_once)
{
    struct strbuf buffer = STRBUF_INIT;
    CLEANUP_FREE char *megabyte = memory_allocate(1 << 20);

    memset(megabyte, 'm', 1 << 20);
    strbuf_addstr(&buffer, "start");
    strbuf_add(&buffer, megabyte, 1 << 20);
    assert_int_equal(buffer.length, 5 + (1 << 20));
    assert_memory_equal(buffer.data, "startm", 6);
    assert_int_equal(buffer.data[buffer.length - 1], 'm');
    assert_int_equal(buffer.data[buffer.length], '\0');
    strbuf_release(&buffer);
}

CASE(strbuf__formats_behind_what_is_there)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_addf(&buffer, "%d", 1);
    strbuf_addf(&buffer, ", %s%c", "two", '!');
    assert_string_equal(strbuf_string(&buffer), "1, two!");
    assert_int_equal(buffer.length, 7);
    strbuf_release(&buffer);
}

CASE(strbuf__drops_from_the_start)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_drop(&buffer, 0);
    strbuf_addstr(&buffer, "abcdef");
    strbuf_drop(&buffer, 0);
    assert_string_equal(buffer.data, "abcdef");
    strbuf_drop(&buffer, 2);
    assert_string_equal(buffer.data, "cdef");
    assert_int_equal(buffer.length, 4);
    strbuf_drop(&buffer, 4);
    assert_string_equal(buffer.data, "");
    assert_int_equal(buffer.length, 0);
    strbuf_addstr(&buffer, "again");
    assert_string_equal(buffer.data, "again");
    strbuf_release(&buffer);
}

CASE(strbuf__steal_gives_the_data_away)
{
    struct strbuf buffer = STRBUF_INIT;
    char *stolen;

    strbuf_addstr(&buffer, "mine");
    stolen = strbuf_steal(&buffer);
    assert_string_equal(stolen, "mine");
    assert_null(buffer.data);
    assert_int_equal(buffer.length, 0);
    assert_int_equal(buffer.capacity, 0);
    free(stolen);
}

CASE(strbuf__steal_of_nothing_is_owned_too)
{
    struct strbuf buffer = STRBUF_INIT;
    char *stolen = strbuf_steal(&buffer);

    assert_non_null(stolen);
    assert_string_equal(stolen, "");
    free(stolen);
}

CASE(strbuf__release_makes_it_usable_again)
{
    struct strbuf buffer = STRBUF_INIT;

    strbuf_addstr(&buffer, "one");
    strbuf_release(&buffer);
    assert_string_equal(strbuf_string(&buffer), "");
    strbuf_addstr(&buffer, "two");
    assert_string_equal(strbuf_string(&buffer), "two");
    strbuf_release(&buffer);
}

CASE(string__copies_and_formats)
{
    CLEANUP_FREE char *copy = string_copy("copy");
    CLEANUP_FREE char *empty = string_copy("");
    CLEANUP_FREE char *formatted = string_format("%s-%03d", "n", 7);

    assert_string_equal(copy, "copy");
    assert_string_equal(empty, "");
    assert_string_equal(formatted, "n-007");
}

CASE(strvec__empty_has_no_items)
{
    struct strvec vector = STRVEC_INIT;
    CLEANUP_FREE char *joined = strvec_join(&vector, ", ");

    assert_null(vector.items);
    assert_int_equal(vector.count, 0);
    assert_false(strvec_contains(&vector, ""));
    assert_string_equal(joined, "");
    strvec_release(&vector);
    strvec_release(&vector);
}

CASE(strvec__ends_with_null_at_every_count)
{
    struct strvec vector = STRVEC_INIT;

    for (size_t i = 0; i < 100; i++) {
        strvec_pushf(&vector, "item %zu", i);
        assert_int_equal(vector.count, i + 1);
        assert_null(vector.items[i + 1]);
        assert_true(vector.count < vector.capacity);
    }
    assert_string_equal(vector.items[0], "item 0");
    assert_string_equal(vector.items[15], "item 15");
    assert_string_equal(vector.items[16], "item 16");
    assert_string_equal(vector.items[99], "item 99");
    strvec_release(&vector);
}

CASE(strvec__push_copies)
{
    struct strvec vector = STRVEC_INIT;
    char word[] = "word";

    strvec_push(&vector, word);
    word[0] = 'l';
    assert_string_equal(vector.items[0], "word");
    strvec_release(&vector);
}

CASE(strvec__push_owned_takes_over)
{
    struct strvec vector = STRVEC_INIT;
    char *word = string_copy("word");

    strvec_push_owned(&vector, word);
    assert_ptr_equal(vector.items[0], word);
    strvec_release(&vector);
}

CASE(strvec__pushes_several)
{
    struct strvec vector = STRVEC_INIT;
    struct strvec more = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    strvec_push_each(&vector, "a", "", "b", NULL);
    strvec_push_all(&vector, &more);
    strvec_push_each(&more, "c", "d", NULL);
    strvec_push_all(&vector, &more);
    joined = strvec_join(&vector, "|");
    assert_string_equal(joined, "a||b|c|d");
    assert_int_equal(vector.count, 5);
    assert_ptr_not_equal(vector.items[3], more.items[0]);
    strvec_release(&more);
    assert_string_equal(vector.items[4], "d");
    strvec_release(&vector);
}

CASE(strvec__pushes_once)
{
    struct strvec vector = STRVEC_INIT;
    struct strvec more = STRVEC_INIT;
    char *joined;

    strvec_push_each(&vector, "a", "a", NULL);
    strvec_push_once(&vector, "a");
    strvec_push_once(&vector, "b");
    strvec_push_each(&more, "c", "b", "c", NULL);
    strvec_push_all_once(&vector, &more);
    joined = strvec_join(&vector, "|");
    assert_string_equal(joined, "a|a|b|c");
    free(joined);
    strvec_release(&more);
    strvec_release(&vector);
}

CASE(strvec__contains_whole_members_only)
{
    struct strvec vector = STRVEC_INIT;

    strvec_push_each(&vector, "ALL", "NET_RAW", NULL);
    assert_true(strvec_contains(&vector, "ALL"));
    assert_true(strvec_contains(&vector, "NET_RAW"));
    assert_false(strvec_contains(&vector, "NET"));
    assert_false(strvec_contains(&vector, "all"));
    assert_false(strvec_contains(&vector, ""));
    strvec_release(&vector);
}

CASE(strvec__sort)
{
    struct strvec vector = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    strvec_sort(&vector);
    strvec_push_each(&vector, "b", "\xc3\xa4", "", "B", "a10", "a9", "b", NULL);
    strvec_sort(&vector);
    joined = strvec_join(&vector, ",");
    assert_string_equal(joined, ",B,a10,a9,b,b,\xc3\xa4");
    strvec_release(&vector);
}

CASE(strvec__equal)
{
    struct strvec one = STRVEC_INIT, other = STRVEC_INIT;

    assert_true(strvec_equal(&one, &other));
    strvec_push_each(&one, "a", "b", NULL);
    assert_false(strvec_equal(&one, &other));
    strvec_push_each(&other, "a", "c", NULL);
    assert_false(strvec_equal(&one, &other));
    strvec_release(&other);
    strvec_push_each(&other, "a", "b", NULL);
    assert_true(strvec_equal(&one, &other));
    strvec_push(&other, "");
    assert_false(strvec_equal(&one, &other));
    strvec_release(&one);
    strvec_release(&other);
}

CASE(strvec__joins)
{
    struct strvec vector = STRVEC_INIT;
    CLEANUP_FREE char *one = NULL;
    CLEANUP_FREE char *two = NULL;

    strvec_push(&vector, "one");
    one = strvec_join(&vector, ", ");
    strvec_push(&vector, "two");
    two = strvec_join(&vector, ", ");
    assert_string_equal(one, "one");
    assert_string_equal(two, "one, two");
    strvec_release(&vector);
}

CASE(strvec__release_makes_it_usable_again)
{
    struct strvec vector = STRVEC_INIT;

    strvec_push(&vector, "one");
    strvec_release(&vector);
    assert_null(vector.items);
    strvec_push(&vector, "two");
    assert_int_equal(vector.count, 1);
    assert_string_equal(vector.items[0], "two");
    strvec_release(&vector);
}

CASE(strvec__removes_all_that_equal)
{
    struct strvec vector = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;

    assert_false(strvec_remove(&vector, "a"));
    strvec_push_each(&vector, "a", "b", "a", "c", "a", NULL);
    assert_false(strvec_remove(&vector, "d"));
    assert_true(strvec_remove(&vector, "a"));
    joined = strvec_join(&vector, " ");
    assert_string_equal(joined, "b c");
    assert_null(vector.items[2]);
    strvec_release(&vector);
}

/* Adds "0123456789" by one of the functions. */
static void add_digits(struct strbuf *buffer, int how)
{
    switch (how) {
    case 0:
        strbuf_add(buffer, "0123456789", 10);
        break;
    case 1:
        strbuf_addstr(buffer, "0123456789");
        break;
    case 2:
        strbuf_addf(buffer, "%d%s", 0, "123456789");
        break;
    default:
        for (const char *digit = "0123456789"; *digit; digit++)
            strbuf_addch(buffer, *digit);
    }
}

CASE(strbuf__keeps_at_most_its_maximum)
{
    for (int how = 0; how < 4; how++) {
        struct strbuf buffer = STRBUF_MAX(20);

        add_digits(&buffer, how);
        assert_false(buffer.is_cut);
        add_digits(&buffer, how);
        assert_false(buffer.is_cut); /* exactly */
        assert_string_equal(strbuf_string(&buffer), "01234567890123456789");
        strbuf_add(&buffer, "", 0);
        assert_false(buffer.is_cut);
        strbuf_drop(&buffer, 15);
        add_digits(&buffer, how);
        assert_false(buffer.is_cut);
        add_digits(&buffer, how);
        assert_true(buffer.is_cut);
        assert_string_equal(strbuf_string(&buffer), "56789012345678901234");
        assert_int_equal(buffer.length, 20);
        add_digits(&buffer, how);
        assert_int_equal(buffer.length, 20);
        strbuf_release(&buffer);
    }
}

CASE(strbuf__maximum_stays_after_steal_and_release)
{
    struct strbuf buffer = STRBUF_MAX(3);

    for (int i = 0; i < 2; i++) {
        CLEANUP_FREE char *text = NULL;

        strbuf_addstr(&buffer, "1234");
        assert_true(buffer.is_cut);
        text = strbuf_steal(&buffer);
        assert_string_equal(text, "123");
        assert_false(buffer.is_cut);
        strbuf_addstr(&buffer, "5678");
        assert_string_equal(strbuf_string(&buffer), "567");
        strbuf_release(&buffer);
        assert_false(buffer.is_cut);
        assert_int_equal(buffer.length, 0);
    }
}
