#include "base/difference.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* A part of a text that consists of whole lines. */
struct part {
    const char *data;
    size_t length;
};

/* Returns the length of the first line of the part, with its end. */
static size_t first_line(struct part part)
{
    const char *feed = part.length > 0 ? memchr(part.data, '\n', part.length) : NULL;

    return feed ? (size_t)(feed + 1 - part.data) : part.length;
}

static size_t last_line(struct part part)
{
    size_t start = part.length > 0 ? part.length - 1 : 0;

    while (start > 0 && part.data[start - 1] != '\n')
        start--;
    return part.length - start;
}

static size_t count_lines(struct part part)
{
    size_t count = 0;

    for (size_t length; (length = first_line(part)) > 0; count++) {
        part.data += length;
        part.length -= length;
    }
    return count;
}

/* How many bytes both parts begin with that are whole lines. */
static size_t common_start(struct part one, struct part other)
{
    const size_t length = one.length;

    for (size_t line; (line = first_line(one)) > 0 && line == first_line(other) &&
                      memcmp(one.data, other.data, line) == 0;) {
        one.data += line, one.length -= line;
        other.data += line, other.length -= line;
    }
    return length - one.length;
}

/* How many bytes both parts end with that are whole lines. */
static size_t common_end(struct part one, struct part other)
{
    const size_t length = one.length;

    for (size_t line;
         (line = last_line(one)) > 0 && line == last_line(other) &&
         memcmp(one.data + one.length - line, other.data + other.length - line, line) == 0;) {
        one.length -= line;
        other.length -= line;
    }
    return length - one.length;
}

static void add_line(struct strbuf *out, const char *data, size_t length)
{
    const char *tab;

    while (length > 0 && (data[length - 1] == '\n' || data[length - 1] == '\r'))
        length--;
    while (length > 0 && (tab = memchr(data, '\t', length))) {
        text_add_escaped(out, data, (size_t)(tab - data));
        strbuf_addch(out, '\t');
        length -= (size_t)(tab + 1 - data);
        data = tab + 1;
    }
    text_add_escaped(out, data, length);
}

static void add_lines(struct strbuf *out, char sign, struct part part)
{
    for (size_t length; (length = first_line(part)) > 0;) {
        const bool ended = part.data[length - 1] == '\n';

        strbuf_addch(out, sign);
        add_line(out, part.data, length);
        strbuf_addstr(out, ended ? "\n" : "\n\\ No newline at end of file\n");
        part.data += length;
        part.length -= length;
    }
}

/* The first line of a hunk with these lines; one without lines is after the line before. */
static void add_range(struct strbuf *out, char sign, size_t lines_before, size_t lines)
{
    strbuf_addf(out, " %c%zu,%zu", sign, lines_before + (lines > 0), lines);
}

/* The last lines of the part, and the first ones, as context. */
static struct part context_before(struct part part)
{
    struct part context = {part.data + part.length, 0};

    for (int i = 0; i < DIFFERENCE_CONTEXT; i++) {
        const size_t line = last_line((struct part){part.data, (size_t)(context.data - part.data)});

        context.data -= line;
        context.length += line;
    }
    return context;
}

static struct part context_after(struct part part)
{
    struct part context = {part.data, 0};

    for (int i = 0; i < DIFFERENCE_CONTEXT; i++)
        context.length +=
            first_line((struct part){part.data + context.length, part.length - context.length});
    return context;
}

char *difference_of(const char *name, const struct strbuf *before, const struct strbuf *after)
{
    static const struct strbuf nothing = STRBUF_INIT;
    const struct strbuf *was = before ? before : &nothing;
    struct part old = {strbuf_string(was), was->length};
    struct part new = {strbuf_string(after), after->length};
    const size_t start = common_start(old, new);
    const struct part head = {old.data, start}, leading = context_before(head);
    const size_t skipped = count_lines((struct part){head.data, start - leading.length});
    CLEANUP_FREE char *shown = text_escape(name);
    struct strbuf out = STRBUF_INIT;
    struct part tail, following;
    size_t around;

    old.data += start, old.length -= start;
    new.data += start, new.length -= start;
    tail.length = common_end(old, new);
    old.length -= tail.length;
    new.length -= tail.length;
    tail.data = old.data + old.length;
    following = context_after(tail);
    around = count_lines(leading) + count_lines(following);
    strbuf_addf(&out, "--- %s\n+++ %s\n@@", before ? shown : "/dev/null", shown);
    add_range(&out, '-', skipped, count_lines(old) + around);
    add_range(&out, '+', skipped, count_lines(new) + around);
    strbuf_addstr(&out, " @@\n");
    add_lines(&out, ' ', leading);
    add_lines(&out, '-', old);
    add_lines(&out, '+', new);
    add_lines(&out, ' ', following);
    return strbuf_steal(&out);
}
