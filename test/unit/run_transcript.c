#include "test.h"

#include "base/clock.h"
#include "run/transcript.h"

static void say(struct transcript *transcript, enum transcript_side side, const char *text)
{
    transcript_add(transcript, side, text, strlen(text));
}

static void check_text(struct transcript *transcript, const char *expected)
{
    struct strbuf text = transcript_finish(transcript);

    assert_string_equal(strbuf_string(&text), expected);
    strbuf_release(&text);
}

CASE(transcript__lines_in_the_order_of_their_ends)
{
    struct transcript transcript;

    transcript_init(&transcript, 100, clock_now_ms() + 60000);
    say(&transcript, SAID_BY_PROGRAM, "? 1");
    say(&transcript, SAID_BY_INTERACTOR, "4\n5");
    say(&transcript, SAID_BY_PROGRAM, "\n\n! 2");
    assert_true(transcript.last_ms > 0);
    assert_false(transcript.truncated);
    check_text(&transcript, "<4\n>? 1\n>\n>! 2\n<5\n");
}

CASE(transcript__bytes_that_are_not_utf8)
{
    struct transcript transcript;

    transcript_init(&transcript, 100, 0);
    say(&transcript, SAID_BY_PROGRAM, "a\xff\n");
    assert_int_equal(transcript.last_ms, 0); /* it came after the time that is looked at */
    check_text(&transcript, ">a\xef\xbf\xbd\n");
}

/* Whole lines, as long as they fit. */
CASE(transcript__bound)
{
    struct transcript transcript;
    CLEANUP_FREE char *much = string_format("%5000s", "");

    transcript_init(&transcript, 10, 0);
    say(&transcript, SAID_BY_PROGRAM, "12345678\n");
    assert_false(transcript.truncated);
    say(&transcript, SAID_BY_INTERACTOR, "\n");
    assert_true(transcript.truncated);
    say(&transcript, SAID_BY_PROGRAM, "");
    check_text(&transcript, ">12345678\n");
    transcript_init(&transcript, 10, 0);
    for (int i = 0; i < 9; i++)
        say(&transcript, SAID_BY_INTERACTOR, much);
    assert_int_equal(transcript.lines[SAID_BY_INTERACTOR].length, 10);
    check_text(&transcript, "");
    assert_true(transcript.truncated);
}
