#include "cli/table.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/print.h"

/* The number of characters: bytes that do not continue a character of UTF-8. */
static size_t width_of(const char *cell)
{
    size_t width = 0;

    for (; *cell; cell++)
        width += ((unsigned char)*cell & 0xc0) != 0x80;
    return width;
}

static void add_row(struct strbuf *text, char *const *cells, const size_t *widths, size_t columns)
{
    size_t blanks = 0; /* that come before the next cell with text */

    for (size_t column = 0; column < columns; column++) {
        if (*cells[column])
            strbuf_addf(text, "%*s%s", (int)blanks, "", cells[column]);
        blanks = (*cells[column] ? 0 : blanks) + widths[column] - width_of(cells[column]) + 2;
    }
    strbuf_addch(text, '\n');
}

void table_add(struct strbuf *text, const struct strvec *cells, size_t columns)
{
    CLEANUP_FREE size_t *widths = memory_allocate(columns * sizeof *widths);

    memset(widths, 0, columns * sizeof *widths);
    for (size_t i = 0; i < cells->count; i++) {
        const size_t width = width_of(cells->items[i]);

        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    for (size_t i = 0; i + columns <= cells->count; i += columns)
        add_row(text, cells->items + i, widths, columns);
}

void table_print(const struct strvec *cells, size_t columns)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    table_add(&text, cells, columns);
    print_bytes(text.data, text.length);
}
