#include "base/diagnostics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/output.h"
#include "base/strbuf.h"
#include "base/thread.h"

enum { WAIT_MS = 100 };

/* The state of the module, one for the process. The lock is held during each write. */
static struct {
    pthread_mutex_t lock;
    const char *program;
    bool open;
    struct output output;
    struct strbuf rest; /* the rest of a text that was written in part; written first */
    long long dropped;  /* lines dropped since the last one that fitted */
    long long omitted;  /* bytes of copied texts, dropped since then */
    bool stuck;         /* the last text did not fit, so the next one does not wait for room */
    bool drawn;         /* the last line is one of diagnostics_draw() */
    bool incomplete;    /* the last line has no end */
} diagnostics = {.lock = PTHREAD_MUTEX_INITIALIZER, .program = "isolator", .rest = STRBUF_INIT};

void diagnostics_set_program(const char *name)
{
    diagnostics.program = name;
}

const char *diagnostics_program(void)
{
    return diagnostics.program;
}

/* ---- functions that have the lock */

static void open_once(void)
{
    if (!diagnostics.open)
        output_open(&diagnostics.output, STDERR_FILENO);
    diagnostics.open = true;
}

static void set_stuck(size_t written, size_t length)
{
    /* A write that fails for another reason, such as a closed pipe, fails later too. */
    diagnostics.stuck = written < length;
}

/* Writes the rest of the last text. False if some of it is still left. */
static bool write_rest(long long deadline, const struct notifier *cancel)
{
    struct strbuf *rest = &diagnostics.rest;
    const size_t written =
        output_write(&diagnostics.output, strbuf_string(rest), rest->length, deadline, cancel);

    set_stuck(written, rest->length);
    strbuf_drop(rest, written);
    return rest->length == 0;
}

/* Adds what erases the line that is drawn. */
static void add_erasure(struct strbuf *text)
{
    if (diagnostics.drawn)
        strbuf_addstr(text, "\r\033[K");
}

/*
 * Writes the text, which begins with the erasure, after the rest of the last one. False if no byte
 * of it was written.
 */
static bool write_text(const struct strbuf *text, long long deadline, const struct notifier *cancel)
{
    size_t written;

    if (!write_rest(deadline, cancel))
        return false;
    written =
        output_write(&diagnostics.output, strbuf_string(text), text->length, deadline, cancel);
    set_stuck(written, text->length);
    if (written == 0)
        return false;
    strbuf_add(&diagnostics.rest, text->data + written, text->length - written);
    diagnostics.drawn = false;
    return true;
}

/* Returns until when the next text may wait for room. */
static long long moment_end(void)
{
    return clock_now_ms() + (diagnostics.stuck ? 0 : WAIT_MS);
}

static void write_line(const char *text, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf lines = STRBUF_INIT;

    add_erasure(&lines);
    if (diagnostics.dropped == 1)
        strbuf_addf(&lines, "%s: 1 line of diagnostics was dropped\n", diagnostics.program);
    else if (diagnostics.dropped > 1)
        strbuf_addf(&lines, "%s: %lld lines of diagnostics were dropped\n", diagnostics.program,
                    diagnostics.dropped);
    strbuf_add(&lines, text, length);
    if (write_text(&lines, moment_end(), NULL)) {
        diagnostics.dropped = 0;
        diagnostics.incomplete = false;
    } else {
        diagnostics.dropped++;
    }
}

void diagnostics_line(const char *format, ...)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    const int saved = errno;
    va_list arguments;

    strbuf_addf(&line, "%s: ", diagnostics.program);
    va_start(arguments, format);
    strbuf_vaddf(&line, format, arguments);
    va_end(arguments);
    strbuf_addch(&line, '\n');
    THREAD_LOCK(&diagnostics.lock);
    open_once();
    write_line(line.data, line.length);
    errno = saved;
}

/* DECAWM (\033[?7l) keeps the line from wrapping, since only one line can be erased. */
void diagnostics_draw(const char *line)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    bool is_drawn;

    THREAD_LOCK(&diagnostics.lock);
    open_once();
    is_drawn = *line != '\0' && !diagnostics.incomplete;
    add_erasure(&text);
    if (is_drawn)
        strbuf_addf(&text, "\033[?7l%s\033[?7h", line);
    if (write_text(&text, moment_end(), NULL))
        diagnostics.drawn = is_drawn;
}

/*
 * Writes the text for as long as some of it is taken every `wait` ms. Returns how many bytes were
 * written.
 */
static size_t write_while_taken(const char *text, size_t length, long long wait,
                                const struct notifier *cancel)
{
    size_t done = 0, written = length;

    while (written > 0 && done < length && !notifier_raised(cancel)) {
        written = output_write(&diagnostics.output, text + done, length - done,
                               clock_now_ms() + wait, cancel);
        done += written;
    }
    set_stuck(done, length);
    return done;
}

void diagnostics_copy(const char *text, size_t length, const struct notifier *cancel)
{
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT;
    struct strbuf *rest = &diagnostics.rest;
    long long wait;
    size_t written;

    THREAD_LOCK(&diagnostics.lock);
    open_once();
    wait = diagnostics.stuck ? 0 : DIAGNOSTICS_COPY_MS;
    strbuf_drop(rest, write_while_taken(strbuf_string(rest), rest->length, wait, cancel));
    add_erasure(&all);
    if (diagnostics.omitted > 0)
        strbuf_addf(&all, "%s: %lld bytes of output were dropped, since stderr took nothing\n",
                    diagnostics.program, diagnostics.omitted);
    strbuf_add(&all, text, length);
    written = rest->length > 0 ? 0 : write_while_taken(all.data, all.length, wait, cancel);
    if (written == 0) {
        diagnostics.omitted += (long long)length;
    } else {
        strbuf_add(rest, all.data + written, all.length - written);
        diagnostics.omitted = 0;
        diagnostics.drawn = false;
        diagnostics.incomplete = all.data[all.length - 1] != '\n';
    }
}
