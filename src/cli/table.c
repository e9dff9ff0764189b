#include "cli/table.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "cli/print.h"

static void print_row(char *const *cells, const int *widths, size_t columns)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;

    for (size_t column = 0; column < columns; column++)
        strbuf_addf(&line, "%-*s  ", widths[column], cells[column]);
    while (line.length > 0 && line.data[line.length - 1] == ' ')
        line.data[--line.length] = '\0';
    strbuf_addch(&line, '\n');
    print_bytes(line.data, line.length);
}

void table_print(const struct strvec *cells, size_t columns)
{
    CLEANUP_FREE int *widths = memory_allocate(columns * sizeof *widths);

    memset(widths, 0, columns * sizeof *widths);
    for (size_t i = 0; i < cells->count; i++)
        if ((int)strlen(cells->items[i]) > widths[i % columns])
            widths[i % columns] = (int)strlen(cells->items[i]);
    for (size_t i = 0; i + columns <= cells->count; i += columns)
        print_row(cells->items + i, widths, columns);
}
