#include "test.h"

#include <signal.h>

#include "base/memory.h"
#include "run/output_sink.h"
#include "run/run_stats.h"

static const struct comparison_rule exact = {.mode = COMPARE_EXACT};

/* An output sink that keeps 8 bytes of each stream. */
struct fixture {
    struct run_stats stats;
    struct run_observer observer;
    struct output_sink output;
    struct result result;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.result = RESULT_INIT};
    fixture->observer = (struct run_observer)RUN_OBSERVER_INIT;
    fixture->observer.stats = &fixture->stats;
}

static void begin(struct fixture *fixture)
{
    output_sink_init(&fixture->output, 8, &fixture->observer);
    output_sink_begin(&fixture->output);
}

static void add(struct fixture *fixture, int stream, const char *text)
{
    output_sink_add(&fixture->output, stream, text, strlen(text));
}

static unsigned long long watched(struct fixture *fixture)
{
    return atomic_load(&fixture->stats.output_bytes);
}

static void tear_down(struct fixture *fixture)
{
    output_sink_finish(&fixture->output, &fixture->result);
    result_release(&fixture->result);
}

CASE_WITH(output_sink__watch_counts_both_streams, set_up(fixture))
{
    begin(fixture);
    assert_int_equal(watched(fixture), 0);
    add(fixture, 0, "four");
    assert_int_equal(watched(fixture), 4);
    add(fixture, 1, "and more than is kept");
    assert_int_equal(watched(fixture), 25);
    add(fixture, 0, "");
    assert_int_equal(watched(fixture), 25);
}

CASE_WITH(output_sink__watch_tells_when_the_program_runs, set_up(fixture))
{
    output_sink_init(&fixture->output, 8, &fixture->observer);
    assert_false(atomic_load(&fixture->stats.running));
    output_sink_begin(&fixture->output);
    assert_true(atomic_load(&fixture->stats.running));
}

CASE_WITH(output_sink__without_stats, set_up(fixture))
{
    fixture->observer.stats = NULL;
    begin(fixture);
    add(fixture, 0, "text");
    assert_false(atomic_load(&fixture->stats.running));
    assert_int_equal(watched(fixture), 0);
}

CASE_WITH(output_sink__is_kept_and_counted, set_up(fixture))
{
    begin(fixture);
    add(fixture, 0, "12345678");
    add(fixture, 1, "abc");
    add(fixture, 1, "defghi");
    assert_false(output_sink_must_end(&fixture->output));
    output_sink_finish(&fixture->output, &fixture->result);
    assert_int_equal(fixture->result.bytes[0], 8);
    assert_int_equal(fixture->result.bytes[1], 9);
    assert_false(fixture->result.truncated[0]);
    assert_true(fixture->result.truncated[1]);
    assert_string_equal(strbuf_string(&fixture->result.text[0]), "12345678");
    assert_string_equal(strbuf_string(&fixture->result.text[1]),
                        "abcd\n[... 1 bytes left out ...]\nfghi");
    result_release(&fixture->result);
    fixture->result = (struct result)RESULT_INIT;
}

CASE(output_sink__is_passed_on)
{
    struct fixture fixture;
    int ends[2];
    char got[8] = "";

    assert_int_equal(pipe(ends), 0);
    set_up(&fixture);
    fixture.observer.live[1] = ends[1];
    begin(&fixture);
    add(&fixture, 0, "not this");
    add(&fixture, 1, "this");
    assert_int_equal(read(ends[0], got, sizeof got), 4);
    assert_string_equal(got, "this");
    assert_false(output_sink_must_end(&fixture.output));
    close(ends[0]); /* no reader remains */
    add(&fixture, 1, "more");
    assert_true(output_sink_must_end(&fixture.output));
    assert_int_equal(watched(&fixture), 16);
    close(ends[1]);
    tear_down(&fixture);
}

/* What goes to another program: a transcript has it, and that may have ended. */
CASE(output_sink__piped)
{
    struct transcript transcript;
    struct fixture fixture;
    struct strbuf text;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    transcript_init(&transcript, 100, 0);
    set_up(&fixture);
    fixture.observer.live[0] = ends[1];
    begin(&fixture);
    fixture.output.is_piped = true;
    fixture.output.transcript = &transcript;
    fixture.output.side = SAID_BY_INTERACTOR;
    add(&fixture, 0, "one\n");
    add(&fixture, 1, "error\n");
    close(ends[0]);
    add(&fixture, 0, "two\n");
    add(&fixture, 0, "three\n");
    assert_false(output_sink_must_end(&fixture.output));
    assert_true(output_sink_is_flushed(&fixture.output));
    assert_int_equal(output_sink_take(&fixture.output, 0), 14);
    close(ends[1]);
    text = transcript_finish(&transcript);
    assert_string_equal(strbuf_string(&text), "<one\n<two\n<three\n");
    strbuf_release(&text);
    tear_down(&fixture);
}

/* Nothing keeps the pipe open after that. */
CASE(output_sink__detached_from_a_pipe)
{
    struct fixture fixture;
    int ends[2];
    char got[8];

    assert_int_equal(pipe(ends), 0);
    set_up(&fixture);
    fixture.observer.live[0] = ends[1];
    begin(&fixture);
    add(&fixture, 0, "text");
    output_sink_detach(&fixture.output);
    close(ends[1]);
    assert_int_equal(read(ends[0], got, sizeof got), 4);
    assert_int_equal(read(ends[0], got, sizeof got), 0);
    close(ends[0]);
    tear_down(&fixture);
}

/* A reader that takes nothing for a while: the rest waits, and counts as dealt with only later. */
CASE(output_sink__reader_that_is_slow)
{
    enum { SIZE = 200000 };
    CLEANUP_FREE char *large = memory_allocate(SIZE);
    struct fixture fixture;
    size_t got = 0, taken;
    int ends[2];

    memset(large, 'x', SIZE);
    assert_int_equal(pipe(ends), 0);
    set_up(&fixture);
    fixture.observer.live[1] = ends[1];
    begin(&fixture);
    assert_true(output_sink_is_flushed(&fixture.output));
    output_sink_add(&fixture.output, 1, large, SIZE);
    assert_false(output_sink_is_flushed(&fixture.output));
    assert_int_equal(fixture.output.destinations[0], -1);
    assert_int_equal(fixture.output.destinations[1], ends[1]);
    taken = output_sink_take(&fixture.output, 1);
    assert_in_range(taken, 1, SIZE - 1);
    assert_int_equal(output_sink_take(&fixture.output, 1), 0);
    while (!output_sink_is_flushed(&fixture.output)) {
        const ssize_t length = read(ends[0], large, SIZE);

        assert_true(length > 0);
        got += (size_t)length;
        output_sink_flush(&fixture.output, 1);
    }
    taken += output_sink_take(&fixture.output, 1);
    assert_int_equal(taken, SIZE);
    assert_int_equal(fixture.output.destinations[1], -1);
    close(ends[1]);
    output_sink_detach(&fixture.output);
    while (got < SIZE) {
        const ssize_t length = read(ends[0], large, SIZE);

        assert_true(length > 0);
        got += (size_t)length;
    }
    assert_int_equal(got, SIZE);
    assert_false(output_sink_must_end(&fixture.output));
    close(ends[0]);
    tear_down(&fixture);
}

/* Bytes that are passed on nowhere are dealt with at once. */
CASE_WITH(output_sink__take_without_a_reader, set_up(fixture))
{
    begin(fixture);
    add(fixture, 0, "12345");
    add(fixture, 0, "678");
    assert_int_equal(output_sink_take(&fixture->output, 0), 8);
    assert_int_equal(output_sink_take(&fixture->output, 0), 0);
    assert_int_equal(output_sink_take(&fixture->output, 1), 0);
}

/* What follows after the end of passing on is still kept and counted, and nothing waits for room.
 */
CASE(output_sink__detached)
{
    enum { SIZE = 200000 };
    CLEANUP_FREE char *large = memory_allocate(SIZE);
    struct fixture fixture;
    int ends[2];

    memset(large, 'x', SIZE);
    assert_int_equal(pipe(ends), 0);
    set_up(&fixture);
    fixture.observer.live[0] = ends[1];
    begin(&fixture);
    output_sink_add(&fixture.output, 0, large, SIZE);
    output_sink_detach(&fixture.output);
    assert_true(output_sink_is_flushed(&fixture.output));
    assert_int_equal(fixture.output.destinations[0], -1);
    assert_int_equal(output_sink_take(&fixture.output, 0), SIZE);
    add(&fixture, 0, "more");
    assert_int_equal(output_sink_take(&fixture.output, 0), 4);
    assert_int_equal(watched(&fixture), SIZE + 4);
    assert_false(output_sink_must_end(&fixture.output));
    close(ends[0]);
    close(ends[1]);
    tear_down(&fixture);
}

CASE(output_sink__flood_ends_the_run)
{
    enum { MEGABYTE = 1 << 20 };
    CLEANUP_FREE char *chunk = memory_allocate(MEGABYTE);
    struct fixture fixture;

    memset(chunk, 'f', MEGABYTE);
    set_up(&fixture);
    begin(&fixture);
    add(&fixture, 1, "little");
    for (int i = 0; i < 64; i++)
        output_sink_add(&fixture.output, 0, chunk, MEGABYTE);
    assert_false(output_sink_must_end(&fixture.output));
    add(&fixture, 0, "1");
    assert_true(output_sink_must_end(&fixture.output));
    add(&fixture, 0, "dropped");
    assert_int_equal(watched(&fixture), 67108871);
    tear_down(&fixture);
}

/* The result is the same as that of the whole output. */
CASE(output_sink__output_that_is_left_out)
{
    struct fixture whole, cut;

    set_up(&whole);
    set_up(&cut);
    begin(&whole);
    begin(&cut);
    add(&whole, 0, "head, and so on, tail");
    add(&whole, 1, "abcdefghi");
    add(&cut, 0, "head");
    output_sink_skip(&cut.output, 0, 13);
    add(&cut, 0, "tail");
    add(&cut, 1, "abcd");
    output_sink_skip(&cut.output, 1, 1);
    add(&cut, 1, "fghi");
    assert_false(output_sink_must_end(&cut.output));
    output_sink_finish(&whole.output, &whole.result);
    output_sink_finish(&cut.output, &cut.result);
    assert_int_equal(cut.result.bytes[0], 21);
    assert_int_equal(cut.result.bytes[1], 9);
    assert_true(cut.result.truncated[0] && cut.result.truncated[1]);
    assert_string_equal(strbuf_string(&cut.result.text[0]),
                        "head\n[... 13 bytes left out ...]\ntail");
    assert_string_equal(strbuf_string(&cut.result.text[1]),
                        "abcd\n[... 1 bytes left out ...]\nfghi");
    for (int i = 0; i < 2; i++)
        assert_string_equal(strbuf_string(&cut.result.text[i]),
                            strbuf_string(&whole.result.text[i]));
    result_release(&whole.result);
    result_release(&cut.result);
}

/* Only the supervisor has seen what is left out, so it alone ends a program for its output. */
CASE(output_sink__left_out_output_is_no_flood)
{
    struct fixture fixture;

    set_up(&fixture);
    begin(&fixture);
    add(&fixture, 0, "head");
    output_sink_skip(&fixture.output, 0, 70 << 20);
    add(&fixture, 0, "tail");
    assert_false(output_sink_must_end(&fixture.output));
    output_sink_finish(&fixture.output, &fixture.result);
    assert_int_equal(fixture.result.bytes[0], (70 << 20) + 8);
    assert_string_equal(strbuf_string(&fixture.result.text[0]),
                        "head\n[... 73400320 bytes left out ...]\ntail");
    result_release(&fixture.result);
}

/* What stdout is compared with has to know; stderr is not compared. */
CASE(output_sink__comparison_of_output_that_is_left_out)
{
    for (int stream = 0; stream < 2; stream++) {
        struct comparison comparison;
        struct fixture fixture;

        comparison_init(&comparison, &exact, "head", 4);
        set_up(&fixture);
        begin(&fixture);
        fixture.output.comparison = &comparison;
        add(&fixture, 0, "head");
        output_sink_skip(&fixture.output, stream, 10);
        assert_int_equal(comparison_finish(&comparison), stream);
        tear_down(&fixture);
    }
}

/* What the instance calls reaches the stream of the channel. */
CASE(output_sink__channel_of_a_stream)
{
    struct fixture fixture;
    struct channel channel;

    set_up(&fixture);
    begin(&fixture);
    channel = output_sink_channel(&fixture.output, 1);
    channel.take(channel.context, channel.number, "ab", 2);
    channel.omitted(channel.context, channel.number, 100);
    output_sink_finish(&fixture.output, &fixture.result);
    assert_int_equal(fixture.result.bytes[0], 0);
    assert_int_equal(fixture.result.bytes[1], 102);
    result_release(&fixture.result);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
