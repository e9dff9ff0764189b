#include "compare/difference_excerpt.h"

#include <string.h>

#include "base/text.h"

bool difference_excerpt_is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool ends_unit(const struct difference_excerpt *found, char byte)
{
    return found->unit == EXCERPT_WORD ? difference_excerpt_is_space(byte) : byte == '\n';
}

void difference_excerpt_add_equal(struct difference_excerpt *found, const char *data, size_t length)
{
    size_t start = length, drop;

    while (start > 0 && !ends_unit(found, data[start - 1]))
        start--;
    if (start > 0)
        found->length = found->skipped = 0;
    data += start;
    length -= start;
    if (length > DIFFERENCE_EXCERPT_BEFORE) {
        found->skipped += found->length + length - DIFFERENCE_EXCERPT_BEFORE;
        found->length = 0;
        data += length - DIFFERENCE_EXCERPT_BEFORE;
        length = DIFFERENCE_EXCERPT_BEFORE;
    }
    drop = found->length + length > DIFFERENCE_EXCERPT_BEFORE
               ? found->length + length - DIFFERENCE_EXCERPT_BEFORE
               : 0;
    memmove(found->data, found->data + drop, found->length - drop);
    found->skipped += drop;
    found->length -= drop;
    memcpy(found->data + found->length, data, length);
    found->length += length;
}

void difference_excerpt_add_rest(struct difference_excerpt *found, const char *data, size_t length)
{
    for (size_t i = 0; i < length && !found->ended; i++) {
        found->ended = ends_unit(found, data[i]);
        if (found->ended && found->unit != EXCERPT_WHOLE_LINE)
            return;
        if (found->length == DIFFERENCE_EXCERPT_MAX) {
            found->ended = found->is_cut = true;
            return;
        }
        found->data[found->length++] = data[i];
    }
}

/* Unicode's spaces but U+0020: they look like it, or like nothing. */
static bool is_like_space(unsigned long code_point)
{
    return code_point == 0xa0 || code_point == 0x1680 ||
           (code_point >= 0x2000 && code_point <= 0x200a) || code_point == 0x202f ||
           code_point == 0x205f || code_point == 0x3000;
}

static void add_visible(struct strbuf *message, const char *text, size_t length)
{
    unsigned long code_point;
    size_t size;

    for (size_t at = 0; at < length; at += size) {
        size = utf8_read(text + at, length - at, &code_point);
        if (size > 0 && is_like_space(code_point)) {
            for (size_t i = 0; i < size; i++)
                strbuf_addf(message, "\\x%02x", (unsigned char)text[at + i]);
            continue;
        }
        if (size == 0)
            size = 1; /* an invalid byte */
        text_add_escaped(message, text + at, size);
    }
}

/* No character is cut in two. */
static void show(struct strbuf *message, const char *text, size_t length, bool cut_before,
                 bool cut_after)
{
    const size_t head = cut_before ? utf8_cut_head(text, length) : 0;
    const size_t tail = cut_after ? utf8_cut_tail(text, length) : 0;

    strbuf_addf(message, "'%s", cut_before ? "..." : "");
    if (head + tail < length)
        add_visible(message, text + head, length - head - tail);
    strbuf_addf(message, "%s'", cut_after ? "..." : "");
}

void difference_excerpt_show(struct strbuf *message, const char *text, size_t length, size_t skip)
{
    size_t rest;

    if (skip >= length)
        skip = length > DIFFERENCE_EXCERPT_BEFORE ? length - DIFFERENCE_EXCERPT_BEFORE : 0;
    rest = length - skip;
    show(message, text + skip, rest < DIFFERENCE_EXCERPT_MAX ? rest : DIFFERENCE_EXCERPT_MAX,
         skip > 0, rest > DIFFERENCE_EXCERPT_MAX);
}

void difference_excerpt_show_found(struct strbuf *message, const struct difference_excerpt *found,
                                   bool trim)
{
    size_t length = found->length;

    while (trim && !found->is_cut && length > 0 &&
           difference_excerpt_is_space(found->data[length - 1]))
        length--;
    show(message, found->data, length, found->skipped > 0, found->is_cut);
}
