#include "config/manual.h"

#include <stddef.h>
#include <string.h>

const char *manual_find(const char *name)
{
    static const char prefix[] = "isolator-";
    const size_t length = strlen(prefix);

    for (const struct manual_page *page = manual_pages; page->name; page++)
        if (strcmp(page->name, name) == 0 ||
            (strncmp(page->name, prefix, length) == 0 && strcmp(page->name + length, name) == 0))
            return page->text;
    return NULL;
}
