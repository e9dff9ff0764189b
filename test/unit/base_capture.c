#include "test.h"

#include "base/capture.h"
#include "base/memory.h"

/* Feeds the text in pieces of the given size and checks what is kept. */
static void check_pieces(size_t limit, const char *data, size_t length, size_t piece,
                         const char *expected)
{
    struct capture capture = CAPTURE_INIT(limit);
    struct strbuf text;

    for (size_t at = 0; at < length; at += piece)
        capture_add(&capture, data + at, length - at < piece ? length - at : piece);
    assert_int_equal(capture.total, length);
    assert_int_equal(capture_truncated(&capture), length > limit);
    text = capture_take_text(&capture);
    assert_string_equal(strbuf_string(&text), expected);
    assert_int_equal(text.length, strlen(expected));
    strbuf_release(&text);
    capture_release(&capture);
}

static void check(size_t limit, const char *data, const char *expected)
{
    const size_t length = strlen(data);

    for (size_t piece = 1; piece <= length; piece++)
        check_pieces(limit, data, length, piece, expected);
}

CASE(capture__nothing)
{
    struct capture capture = CAPTURE_INIT(10);
    struct strbuf text = capture_take_text(&capture);

    assert_int_equal(text.length, 0);
    assert_string_equal(strbuf_string(&text), "");
    assert_false(capture_truncated(&capture));
    strbuf_release(&text);
    capture_release(&capture);
}

CASE(capture__adding_nothing)
{
    struct capture capture = CAPTURE_INIT(10);
    struct strbuf text;

    capture_add(&capture, NULL, 0);
    capture_add(&capture, "", 0);
    assert_int_equal(capture.total, 0);
    text = capture_take_text(&capture);
    assert_string_equal(strbuf_string(&text), "");
    strbuf_release(&text);
}

CASE(capture__names_the_rest)
{
    struct capture capture = CAPTURE_INIT(4);
    struct strbuf text;

    capture.rest = "x:y";
    capture_add(&capture, "0123456789", 10);
    text = capture_take_text(&capture);
    assert_string_equal(strbuf_string(&text), "01\n[... 6 bytes left out; more is at x:y ...]\n89");
    strbuf_release(&text);
}

CASE(capture__keeps_all_up_to_the_limit)
{
    check(10, "a", "a");
    check(10, "01234", "01234");
    check(10, "012345", "012345");
    check(10, "012345678", "012345678");
    check(10, "0123456789", "0123456789");
    check(1, "a", "a");
    check(2, "ab", "ab");
    check(7, "abcdefg", "abcdefg");
}

CASE(capture__keeps_head_and_tail)
{
    check(10, "0123456789a", "01234\n[... 1 bytes left out ...]\n6789a");
    check(10, "0123456789abcdef", "01234\n[... 6 bytes left out ...]\nbcdef");
    check(10, "0123456789abcdefghijklmnopqrstuvwxyz", "01234\n[... 26 bytes left out ...]\nvwxyz");
}

/* The odd byte goes to the tail. */
CASE(capture__odd_limits)
{
    check(7, "0123456789", "012\n[... 3 bytes left out ...]\n6789");
    check(3, "0123456789", "0\n[... 7 bytes left out ...]\n89");
    check(2, "0123456789", "0\n[... 8 bytes left out ...]\n9");
    check(1, "0123456789", "\n[... 9 bytes left out ...]\n9");
    check(0, "0123456789", "\n[... 10 bytes left out ...]\n");
}

CASE(capture__cuts_no_character_in_the_head)
{
    check(10, "0123\xc3\xa9-56789abcde", "0123\n[... 8 bytes left out ...]\nabcde");
    check(10, "012\xe2\x82\xac-56789abcde", "012\n[... 9 bytes left out ...]\nabcde");
    check(10, "01\xf0\x9f\x98\x80-56789abcde", "01\n[... 10 bytes left out ...]\nabcde");
    check(10, "012\xc3\xa9-56789abcde", "012\xc3\xa9\n[... 6 bytes left out ...]\nabcde");
}

CASE(capture__cuts_no_character_in_the_tail)
{
    check(10, "0123456789\xc3\xa9mnop", "01234\n[... 7 bytes left out ...]\nmnop");
    check(10, "0123456789\xe2\x82\xacnop", "01234\n[... 8 bytes left out ...]\nnop");
    check(10, "0123456789\xf0\x9f\x98\x80op", "01234\n[... 9 bytes left out ...]\nop");
    check(10, "0123456789\xe2\x82\xacop", "01234\n[... 5 bytes left out ...]\n\xe2\x82\xacop");
}

/* If nothing is missing between head and tail, a character may lie on both sides. */
CASE(capture__keeps_a_character_that_lies_in_both)
{
    check(8, "abc\xe2\x82\xac-e", "abc\xe2\x82\xac-e");
    check(8, "abc\xf0\x9f\x98\x80z", "abc\xf0\x9f\x98\x80z");
    check(9, "ab\xf0\x9f\x98\x80xyz", "ab\xf0\x9f\x98\x80xyz");
}

CASE(capture__makes_valid_utf8)
{
    check(20, "a\xff-b", "a\xef\xbf\xbd-b");
    check(20, "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
    check(10, "a\xff-cd56789\xfexyz",
          "a\xef\xbf\xbd-cd\n[... 4 bytes left out ...]\n"
          "9\xef\xbf\xbdxyz");
}

CASE(capture__keeps_nul_bytes)
{
    struct capture capture = CAPTURE_INIT(6);
    struct strbuf text;

    capture_add(&capture, "\0a\0bcd\0e\0", 9);
    text = capture_take_text(&capture);
    assert_int_equal(text.length, 34);
    assert_memory_equal(text.data, "\0a\0\n[... 3 bytes left out ...]\n\0e\0", 34);
    strbuf_release(&text);
}

/* Random numbers that are the same on every machine (Knuth's MMIX generator). */
static unsigned random_below(unsigned long long *seed, unsigned most)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*seed >> 33) % most;
}

/* Characters of one to four bytes, so that cuts hit each of their bytes. */
static struct strbuf random_text(unsigned long long *seed, size_t length)
{
    static const char *const characters[] = {"a", "\n", "\xc3\xa9", "\xe2\x82\xac",
                                             "\xf0\x9f\x98\x80"};
    struct strbuf text = STRBUF_INIT;

    while (text.length < length)
        strbuf_addstr(&text, characters[random_below(seed, COUNT(characters))]);
    return text;
}

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Computes from the whole text what must be kept of it. */
static struct strbuf expected_text(const struct strbuf *whole, size_t limit)
{
    struct strbuf text = STRBUF_INIT;
    size_t head = limit / 2;
    size_t tail = whole->length - (limit - limit / 2);

    if (whole->length <= limit) {
        strbuf_add(&text, whole->data, whole->length);
        return text;
    }
    while (!starts_character(whole->data[head]))
        head--;
    while (tail < whole->length && !starts_character(whole->data[tail]))
        tail++;
    strbuf_add(&text, whole->data, head);
    strbuf_addf(&text, "\n[... %zu bytes left out ...]\n", tail - head);
    strbuf_add(&text, whole->data + tail, whole->length - tail);
    return text;
}

CASE(capture__same_text_for_random_pieces)
{
    static const size_t limits[] = {4, 5, 63, 64, 65, 1000, 1001, 4095, 10000};
    unsigned long long seed = 1;

    for (size_t i = 0; i < COUNT(limits); i++)
        for (unsigned round = 0; round < 60; round++) {
            struct strbuf whole = random_text(&seed, 1 + random_below(&seed, 12000));
            struct strbuf expected = expected_text(&whole, limits[i]);
            const unsigned most = 1U << random_below(&seed, 14);
            struct capture capture = CAPTURE_INIT(limits[i]);
            struct strbuf text;

            for (size_t at = 0; at < whole.length;) {
                const size_t piece = random_below(&seed, most + 1);
                const size_t left = whole.length - at;

                capture_add(&capture, whole.data + at, piece < left ? piece : left);
                at += piece < left ? piece : left;
            }
            assert_int_equal(capture.total, whole.length);
            text = capture_take_text(&capture);
            assert_string_equal(strbuf_string(&text), strbuf_string(&expected));
            strbuf_release(&text);
            strbuf_release(&expected);
            strbuf_release(&whole);
        }
}

CASE(capture__counts_what_it_does_not_keep)
{
    struct capture capture = CAPTURE_INIT(1001);
    CLEANUP_FREE char *chunk = memory_allocate(65536);
    struct strbuf text;

    memset(chunk, 'x', 65536);
    for (int i = 0; i < 160; i++)
        capture_add(&capture, chunk, 65536);
    assert_true(capture.total == 10485760);
    assert_true(capture_truncated(&capture));
    assert_int_equal(capture.head.length, 500);
    assert_true(capture.head.capacity < 1001);
    assert_int_equal(capture.ring_size, 501);
    text = capture_take_text(&capture);
    assert_memory_equal(text.data + 500, "\n[... 10484759 bytes left out ...]\nx", 36);
    assert_int_equal(text.length, 1001 + 35);
    strbuf_release(&text);
}

CASE(capture__takes_no_memory_before_it_must)
{
    struct capture capture = CAPTURE_INIT(64 << 20);

    capture_add(&capture, "little", 6);
    assert_true(capture.head.capacity < 1000);
    assert_null(capture.ring);
    capture_release(&capture);
    capture_release(&capture);
}

CASE(capture__taking_the_text_empties_it)
{
    struct capture capture = CAPTURE_INIT(4);
    struct strbuf text;

    capture_add(&capture, "abcdefgh", 8);
    text = capture_take_text(&capture);
    assert_null(capture.head.data);
    assert_null(capture.ring);
    assert_int_equal(capture.ring_length, 0);
    strbuf_release(&text);
}

/* ---- bytes that are missing */

/*
 * The stream comes without its middle, as it does from a job: `head` bytes, so many that are
 * missing, and the rest. The text has to be that of the whole stream.
 */
static void check_skipped(size_t limit, const char *data, size_t head, size_t tail,
                          const char *expected)
{
    const size_t length = strlen(data);

    check_pieces(limit, data, length, length, expected);
    for (size_t piece = 1; piece <= length; piece++) {
        struct capture capture = CAPTURE_INIT(limit);
        struct strbuf text;

        for (size_t at = 0; at < head; at += piece)
            capture_add(&capture, data + at, head - at < piece ? head - at : piece);
        capture_skip(&capture, length - head - tail);
        for (size_t at = length - tail; at < length; at += piece)
            capture_add(&capture, data + at, length - at < piece ? length - at : piece);
        assert_int_equal(capture.total, length);
        assert_true(capture_truncated(&capture));
        text = capture_take_text(&capture);
        assert_string_equal(strbuf_string(&text), expected);
        strbuf_release(&text);
    }
}

CASE(capture__skip)
{
    check_skipped(10, "0123456789abcdef", 5, 5, "01234\n[... 6 bytes left out ...]\nbcdef");
    check_skipped(7, "0123456789", 3, 4, "012\n[... 3 bytes left out ...]\n6789");
    check_skipped(1, "0123456789", 0, 1, "\n[... 9 bytes left out ...]\n9");
    check_skipped(0, "0123456789", 0, 0, "\n[... 10 bytes left out ...]\n");
}

/* More of the head has come than is kept: it is for a comparison. */
CASE(capture__skip_after_a_long_head)
{
    check_skipped(10, "0123456789abcdef", 8, 5, "01234\n[... 6 bytes left out ...]\nbcdef");
    check_skipped(4, "0123456789abcdef", 13, 2, "01\n[... 12 bytes left out ...]\nef");
}

CASE(capture__skip_in_a_character)
{
    check_skipped(10, "0123\xc3\xa9-56789abcde", 5, 5, "0123\n[... 8 bytes left out ...]\nabcde");
    check_skipped(10, "0123456789\xe2\x82\xacnop", 5, 5, "01234\n[... 8 bytes left out ...]\nnop");
}

CASE(capture__skip_of_more_than_memory)
{
    struct capture capture = CAPTURE_INIT(4);
    struct strbuf text;

    capture_add(&capture, "ab", 2);
    capture_skip(&capture, 1ULL << 50);
    capture_add(&capture, "yz", 2);
    text = capture_take_text(&capture);
    assert_string_equal(strbuf_string(&text), "ab\n[... 1125899906842624 bytes left out ...]\nyz");
    strbuf_release(&text);
}
