#include "test.h"

#include "base/text.h"

/* RFC 3629 section 4, the ABNF of UTF8-octets: each row the ranges of one kind of sequence. */
static const struct form {
    size_t length;
    unsigned char from[4], to[4];
} forms[] = {
    {1, {0x00}, {0x7f}},
    {2, {0xc2, 0x80}, {0xdf, 0xbf}},
    {3, {0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}},
    {3, {0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}},
    {3, {0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}},
    {3, {0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}},
    {4, {0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}},
    {4, {0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}},
    {4, {0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}},
};

static size_t sequence_by_rfc(const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < COUNT(forms); i++) {
        size_t at = 0;

        while (at < forms[i].length && at < length && data[at] >= forms[i].from[at] &&
               data[at] <= forms[i].to[at])
            at++;
        if (at == forms[i].length)
            return at;
    }
    return 0;
}

static size_t sequence(const char *data)
{
    return utf8_sequence((const unsigned char *)data, strlen(data));
}

CASE(text__sequence_lengths)
{
    assert_int_equal(utf8_sequence((const unsigned char *)"", 0), 0);
    assert_int_equal(utf8_sequence((const unsigned char *)"\0", 1), 1);
    assert_int_equal(sequence("a"), 1);
    assert_int_equal(sequence("\x7f"), 1);
    assert_int_equal(sequence("\xc2\x80"), 2);         /* U+0080 */
    assert_int_equal(sequence("\xdf\xbf"), 2);         /* U+07FF */
    assert_int_equal(sequence("\xe0\xa0\x80"), 3);     /* U+0800 */
    assert_int_equal(sequence("\xed\x9f\xbf"), 3);     /* U+D7FF */
    assert_int_equal(sequence("\xee\x80\x80"), 3);     /* U+E000 */
    assert_int_equal(sequence("\xef\xbf\xbd"), 3);     /* U+FFFD */
    assert_int_equal(sequence("\xef\xbf\xbf"), 3);     /* U+FFFF, a noncharacter */
    assert_int_equal(sequence("\xf0\x90\x80\x80"), 4); /* U+10000 */
    assert_int_equal(sequence("\xf4\x8f\xbf\xbf"), 4); /* U+10FFFF */
}

CASE(text__sequence_refuses_bad_forms)
{
    static const char *const bad[] = {
        "\x80",                 /* a continuation byte alone */
        "\xbf",                 /* the last of them */
        "\xc0\x80",             /* overlong NUL */
        "\xc1\xbf",             /* overlong U+007F */
        "\xe0\x80\xaf",         /* overlong slash */
        "\xe0\x9f\xbf",         /* overlong U+07FF */
        "\xed\xa0\x80",         /* surrogate U+D800 */
        "\xed\xbf\xbf",         /* surrogate U+DFFF */
        "\xf0\x80\x80\xaf",     /* overlong slash */
        "\xf0\x8f\xbf\xbf",     /* overlong U+FFFF */
        "\xf4\x90\x80\x80",     /* U+110000 */
        "\xf5\x80\x80\x80",     /* U+140000 */
        "\xf8\x88\x80\x80\x80", /* five bytes */
        "\xfe",                 /* never in UTF-8 */
        "\xff",                 /* nor this */
        "\xc3",                 /* cut off */
        "\xe2\x82",             /* cut off */
        "\xf0\x9f\x98",         /* cut off */
        "\xc3(",                /* no continuation */
        "\xe2(\xa1",            /* no continuation in the middle */
        "\xe2\x82(",            /* none at the end */
        "\xf0\x9f\x98(",        /* none at the end */
    };

    for (size_t i = 0; i < COUNT(bad); i++)
        if (sequence(bad[i]) != 0)
            fail_msg("row %zu is taken for %zu bytes", i, sequence(bad[i]));
}

/* All first bytes, followed by each boundary of the ABNF, in each length. */
CASE(text__sequence_is_rfc_3629)
{
    static const unsigned char bounds[] = {0x00, 0x7f, 0x80, 0x8f, 0x90,
                                           0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    const size_t count = COUNT(bounds);

    for (unsigned first = 0; first < 256; first++)
        for (size_t rest = 0; rest < count * count * count; rest++) {
            const unsigned char data[4] = {(unsigned char)first, bounds[rest % count],
                                           bounds[rest / count % count],
                                           bounds[rest / count / count]};

            for (size_t length = 0; length <= 4; length++)
                if (utf8_sequence(data, length) != sequence_by_rfc(data, length))
                    fail_msg("%02x %02x %02x %02x in %zu bytes: %zu", data[0], data[1], data[2],
                             data[3], length, utf8_sequence(data, length));
        }
}

static void check_utf8(const char *data, size_t length, const char *expected)
{
    struct strbuf out = STRBUF_INIT;

    text_add_utf8(&out, data, length);
    assert_string_equal(strbuf_string(&out), expected);
    assert_int_equal(out.length, strlen(expected));
    strbuf_release(&out);
    if (strlen(data) == length)
        assert_int_equal(text_is_utf8(data), strcmp(data, expected) == 0);
}

#define REPLACED "\xef\xbf\xbd"

CASE(text__utf8_replaces_each_bad_byte)
{
    check_utf8("", 0, "");
    check_utf8("plain", 5, "plain");
    check_utf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    check_utf8("\xef\xbb\xbfx", 4, "\xef\xbb\xbfx"); /* a byte order mark stays */
    check_utf8("\xff", 1, REPLACED);
    check_utf8("a\xff"
               "b",
               3, "a" REPLACED "b");
    check_utf8("\xffok\xfe", 4, REPLACED "ok" REPLACED);
    check_utf8("\xe2\x82", 2, REPLACED REPLACED);
    check_utf8("\xe2\x82\xac\xe2", 4, "\xe2\x82\xac" REPLACED);
    check_utf8("\xed\xa0\x80", 3, REPLACED REPLACED REPLACED);
    check_utf8("\xc0\xaf", 2, REPLACED REPLACED);
    check_utf8("\xf4\x90\x80\x80", 4, REPLACED REPLACED REPLACED REPLACED);
    check_utf8("\xe2\xc3\xa9", 3, REPLACED "\xc3\xa9");
}

CASE(text__utf8_keeps_nul_and_what_was_there)
{
    struct strbuf out = STRBUF_INIT;

    strbuf_addstr(&out, "before:");
    text_add_utf8(&out, "a\0\xff\0", 4);
    assert_int_equal(out.length, 13);
    assert_memory_equal(out.data, "before:a\0" REPLACED "\0", 14);
    strbuf_release(&out);
}

static size_t cut_tail(const char *data)
{
    return utf8_cut_tail(data, strlen(data));
}

CASE(text__cut_tail)
{
    assert_int_equal(cut_tail(""), 0);
    assert_int_equal(cut_tail("a"), 0);
    assert_int_equal(cut_tail("a\xc3"), 1);
    assert_int_equal(cut_tail("a\xc3\xa9"), 0);
    assert_int_equal(cut_tail("a\xe2"), 1);
    assert_int_equal(cut_tail("a\xe2\x82"), 2);
    assert_int_equal(cut_tail("a\xe2\x82\xac"), 0);
    assert_int_equal(cut_tail("a\xf0"), 1);
    assert_int_equal(cut_tail("a\xf0\x9f"), 2);
    assert_int_equal(cut_tail("a\xf0\x9f\x98"), 3);
    assert_int_equal(cut_tail("a\xf0\x9f\x98\x80"), 0);
    assert_int_equal(cut_tail("\xf0\x9f\x98"), 3); /* nothing comes before it */
    assert_int_equal(cut_tail("a\x80"), 0);        /* nothing is cut off */
    assert_int_equal(cut_tail("\x80\x80\x80\x80"), 0);
    assert_int_equal(cut_tail("a\xc3\xa9\x80"), 0);
    assert_int_equal(cut_tail("\xc0"), 0);
    assert_int_equal(cut_tail("\xc1"), 0);
}

/* By RFC 3629 no sequence begins with a byte above 0xf4. */
CASE(text__cut_tail_knows_what_never_begins)
{
    assert_int_equal(cut_tail("\xf4"), 1);
    for (unsigned byte = 0xf5; byte <= 0xff; byte++) {
        const char data[] = {'a', (char)byte, '\0'};

        if (cut_tail(data) != 0)
            fail_msg("a %02x at the end is cut off", byte);
    }
}

/* Overlong forms, surrogates and code points past U+10FFFF cannot be completed. */
CASE(text__cut_tail_knows_bad_second_bytes)
{
    static const char *const bad[] = {"\xe0\x9f",     "\xed\xa0", "\xf0\x8f",
                                      "\xf0\x8f\xbf", "\xf4\x90", "\xf4\x90\x80"};

    assert_int_equal(cut_tail("\xe0\xa0"), 2);
    assert_int_equal(cut_tail("\xed\x9f"), 2);
    assert_int_equal(cut_tail("\xf0\x90"), 2);
    assert_int_equal(cut_tail("\xf4\x8f\xbf"), 3);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (cut_tail(bad[i]) != 0)
            fail_msg("%02x %02x at the end is cut off", (unsigned char)bad[i][0],
                     (unsigned char)bad[i][1]);
}

static size_t cut_head(const char *data)
{
    return utf8_cut_head(data, strlen(data));
}

CASE(text__cut_head)
{
    assert_int_equal(cut_head(""), 0);
    assert_int_equal(cut_head("a\x80"), 0);
    assert_int_equal(cut_head("\xc3\xa9"), 0);
    assert_int_equal(cut_head("\xa9z"), 1);
    assert_int_equal(cut_head("\x82\xacz"), 2);
    assert_int_equal(cut_head("\x9f\x98\x80z"), 3);
    assert_int_equal(cut_head("\x80\x80\x80\x80"), 3); /* a sequence has at most 3 of these */
    assert_int_equal(cut_head("\x80"), 1);
}

/* If valid text is cut anywhere, the text that remains on both sides is valid. */
CASE(text__cuts_leave_whole_characters)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\xf4\x8f\xbf\xbf\xed\x9f\xbf"
                               "\xe0\xa0\x80\xf0\x90\x80\x80\xc2\x80";
    const size_t length = sizeof text - 1;

    for (size_t at = 0; at <= length; at++) {
        const size_t tail = utf8_cut_tail(text, at);
        const size_t head = utf8_cut_head(text + at, length - at);
        CLEANUP_FREE char *left = string_format("%.*s", (int)(at - tail), text);

        check_utf8(text, at - tail, left);
        check_utf8(text + at + head, length - at - head, text + at + head);
        assert_true((tail > 0) == (head > 0));
    }
}

static void check_escaped(const char *data, size_t length, const char *expected)
{
    struct strbuf out = STRBUF_INIT;

    text_add_escaped(&out, data, length);
    assert_string_equal(strbuf_string(&out), expected);
    strbuf_release(&out);
}

CASE(text__escapes)
{
    check_escaped("", 0, "");
    check_escaped("plain 'text' \\ \"\"", 17, "plain 'text' \\ \"\"");
    check_escaped("a\nb\tc\r", 6, "a\\nb\\tc\\x0d");
    check_escaped("\0", 1, "\\x00");
    check_escaped("\x1b[2J\a\b", 6, "\\x1b[2J\\x07\\x08");
    check_escaped("\x1f \x7e\x7f", 4, "\\x1f ~\\x7f");
    check_escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 11,
                  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    check_escaped("\xc2\x80\xc2\x9b\xc2\x9f", 6, "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
    check_escaped("\xc2\xa0", 2, "\xc2\xa0"); /* U+00A0, the first past C1 */
    check_escaped("\xff\xfe", 2, "\\xff\\xfe");
    check_escaped("\x9b"
                  "2J",
                  3, "\\x9b2J");
    check_escaped("\xe2\x82", 2, "\\xe2\\x82");
    check_escaped("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
    check_escaped("cut\xc3\xa9", 4, "cut\\xc3"); /* not past the length */
}

CASE(text__escapes_every_byte_into_one_line)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        const char data = (char)byte;
        struct strbuf out = STRBUF_INIT;

        text_add_escaped(&out, &data, 1);
        for (size_t i = 0; i < out.length; i++)
            assert_in_range(out.data[i], 0x20, 0x7e);
        assert_int_equal(out.length, byte == '\n' || byte == '\t'   ? 2
                                     : byte >= 0x20 && byte <= 0x7e ? 1
                                                                    : 4);
        strbuf_release(&out);
    }
}

CASE(text__escape_of_a_string)
{
    CLEANUP_FREE char *escaped = text_escape("a\x01\xc3\xa9\n");
    CLEANUP_FREE char *empty = text_escape("");

    assert_string_equal(escaped, "a\\x01\xc3\xa9\\n");
    assert_string_equal(empty, "");
}

static const char *nearest(const char *word)
{
    static const char *const options[] = {"timeout", "memory", "cpus",    "language",
                                          "dir",     "image",  "verbose", "pids-limit"};

    return text_nearest(word, options, COUNT(options));
}

CASE(text__nearest)
{
    assert_string_equal(nearest("timeout"), "timeout");
    assert_string_equal(nearest("timeuot"), "timeout"); /* two letters swapped */
    assert_string_equal(nearest("timeot"), "timeout");
    assert_string_equal(nearest("timeoutt"), "timeout");
    assert_string_equal(nearest("imeout"), "timeout");
    assert_string_equal(nearest("Image"), "image");
    assert_string_equal(nearest("pidslimit"), "pids-limit");
    assert_string_equal(nearest("LANGUAGE"), "language");
    assert_string_equal(nearest("lang"), "language"); /* abbreviated */
    assert_string_equal(nearest("Lan"), "language");
    assert_string_equal(nearest("ver"), "verbose");
    assert_string_equal(nearest("memroy"), "memory");
    assert_null(nearest("completely-different"));
    assert_null(nearest("zzzzzz"));
    assert_null(nearest("la")); /* too short for an abbreviation */
    assert_null(nearest(""));
}

/* With as many errors as letters, a word could become any other. */
CASE(text__nearest_of_short_words)
{
    static const char *const words[] = {"gc"};

    assert_ptr_equal(text_nearest("gv", words, 1), words[0]);
    assert_ptr_equal(text_nearest("g", words, 1), words[0]);
    assert_null(text_nearest("mcp", words, 1));
}

CASE(text__nearest_takes_the_first_of_equals)
{
    static const char *const words[] = {"abcx", "abcy", "abcd"};

    assert_ptr_equal(text_nearest("abcz", words, 3), words[0]);
    assert_null(text_nearest("abcd", words, 0));
}

/* The word itself is nearer than one that is a letter away. */
CASE(text__nearest_is_the_word_itself)
{
    static const char *const words[] = {"abcx", "abcy", "abcd"};

    assert_string_equal(text_nearest("abcd", words, 3), "abcd");
}

CASE(text__nearest_of_long_words)
{
    char word[80], other[80];
    const char *const candidates[] = {other};

    memset(word, 'a', sizeof word);
    memset(other, 'a', sizeof other);
    word[63] = other[63] = '\0'; /* the longest that are compared */
    word[0] = 'b';
    assert_ptr_equal(text_nearest(word, candidates, 1), other);
    other[63] = 'a';
    other[64] = '\0';
    assert_null(text_nearest(word, candidates, 1));
    word[63] = 'a';
    word[64] = '\0';
    other[63] = '\0';
    assert_null(text_nearest(word, candidates, 1));
}

CASE(text__blank)
{
    assert_true(text_is_blank("", 0));
    assert_true(text_is_blank(" \t\r ", 4));
    assert_true(text_is_blank("  x", 2));
    assert_false(text_is_blank("  x", 3));
    assert_false(text_is_blank("\0", 1));
    assert_false(text_is_blank("\n", 1));
}

CASE(text__what_is_not_seen_is_escaped)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"a\xe2\x80\xae"
         "b",
         "a\\xe2\\x80\\xaeb"},                                    /* U+202E: right to left */
        {"\xd8\x9c", "\\xd8\\x9c"},                               /* U+061C: right to left */
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},                      /* U+2028: a line separator */
        {"\xe2\x80\x8b", "\\xe2\\x80\\x8b"},                      /* U+200B: a space of no width */
        {"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},                      /* U+FEFF: the byte order mark */
        {"\xf3\xa0\x81\xa8", "\\xf3\\xa0\\x81\\xa8"},             /* U+E0068: a tag */
        {"\xe2\x80\x8d\xe2\x80\x8c", "\xe2\x80\x8d\xe2\x80\x8c"}, /* joiners stay */
        {"\xe2\x80\xaf\xf0\x9f\x98\x80", "\xe2\x80\xaf\xf0\x9f\x98\x80"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP_FREE char *shown = text_escape(cases[i].text);

        assert_string_equal(shown, cases[i].expected);
    }
}

CASE(text__file_name)
{
    assert_string_equal(text_file_name("/a/b.c"), "b.c");
    assert_string_equal(text_file_name("b"), "b");
    assert_string_equal(text_file_name("a/"), "");
    assert_string_equal(text_file_name(""), "");
}
