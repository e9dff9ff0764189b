#include "cli/table.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/print.h"

/* The number of characters: bytes that do not continue a character of UTF-8. */
size_t table_width(const char *cell)
{
    size_t width = 0;

    for (; *cell; cell++)
        width += ((unsigned char)*cell & 0xc0) != 0x80;
    return width;
}

void table_add_row(struct strbuf *text, char *const *cells, const size_t *widths, size_t columns)
{
    size_t blanks = 0; /* that come before the next cell with text */

    for (size_t column = 0; column < columns; column++) {
        const size_t width = table_width(cells[column]);

        if (width > 0) {
            strbuf_addf(text, "%*s%s", (int)blanks, "", cells[column]);
            blanks = 0;
        }
        blanks += (width < widths[column] ? widths[column] - width : 0) + 2;
    }
    strbuf_addch(text, '\n');
}

void table_add(struct strbuf *text, const struct strvec *cells, size_t columns)
{
    CLEANUP_FREE size_t *widths = memory_allocate(columns * sizeof *widths);

    memset(widths, 0, columns * sizeof *widths);
    for (size_t i = 0; i < cells->count; i++) {
        const size_t width = table_width(cells->items[i]);

        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    for (size_t i = 0; i + columns <= cells->count; i += columns)
        table_add_row(text, cells->items + i, widths, columns);
}

void table_print(const struct strvec *cells, size_t columns)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    table_add(&text, cells, columns);
    print_bytes(text.data, text.length);
}

char *table_last_line(const struct strbuf *text, size_t max_length)
{
    const char *data = strbuf_string(text);
    size_t end = text->length, start;
    CLEANUP_FREE char *line = NULL;

    while (end > 0 && (data[end - 1] == '\n' || text_is_blank(data + end - 1, 1)))
        end--;
    for (start = end; start > 0 && data[start - 1] != '\n';)
        start--;
    line = string_format("%.*s", (int)(end - start), data + start);
    return text_escape_short(line, max_length);
}

char *table_milliseconds(long long milliseconds)
{
    return milliseconds < 0 ? string_format("%9s", "-") : string_format("%6lld ms", milliseconds);
}

char *table_megabytes(long long bytes)
{
    return bytes < 0 ? string_format("%9s", "-")
                     : string_format("%6.1f MB", (double)bytes / (1 << 20));
}

char *table_score(double score, double max_score)
{
    CLEANUP_FREE char *text = isnan(score) ? string_copy("-") : string_format("%.10g", score);

    return isfinite(max_score) ? string_format("%s of %.10g", text, max_score)
                               : steal_pointer(&text);
}
