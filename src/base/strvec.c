#include "base/strvec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

void strvec_push_owned(struct strvec *vector, char *string)
{
    if (vector->count + 1 >= vector->capacity) {
        vector->capacity = vector->capacity ? vector->capacity * 2 : 16;
        vector->items = memory_resize(vector->items, vector->capacity * sizeof *vector->items);
    }
    vector->items[vector->count++] = string;
    vector->items[vector->count] = NULL;
}

void strvec_push(struct strvec *vector, const char *string)
{
    strvec_push_owned(vector, string_copy(string));
}

void strvec_pushf(struct strvec *vector, const char *format, ...)
{
    struct strbuf buffer = STRBUF_INIT;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&buffer, format, arguments);
    va_end(arguments);
    strvec_push_owned(vector, strbuf_steal(&buffer));
}

void strvec_push_each(struct strvec *vector, ...)
{
    va_list arguments;
    const char *string;

    va_start(arguments, vector);
    while ((string = va_arg(arguments, const char *)))
        strvec_push(vector, string);
    va_end(arguments);
}

void strvec_push_all(struct strvec *vector, const struct strvec *more)
{
    for (size_t i = 0; i < more->count; i++)
        strvec_push(vector, more->items[i]);
}

void strvec_push_once(struct strvec *vector, const char *string)
{
    if (!strvec_contains(vector, string))
        strvec_push(vector, string);
}

void strvec_push_all_once(struct strvec *vector, const struct strvec *more)
{
    for (size_t i = 0; i < more->count; i++)
        strvec_push_once(vector, more->items[i]);
}

bool strvec_contains(const struct strvec *vector, const char *string)
{
    for (size_t i = 0; i < vector->count; i++)
        if (strcmp(vector->items[i], string) == 0)
            return true;
    return false;
}

bool strvec_remove(struct strvec *vector, const char *string)
{
    size_t kept = 0;
    bool removed = false;

    for (size_t i = 0; i < vector->count; i++) {
        if (strcmp(vector->items[i], string) != 0) {
            vector->items[kept++] = vector->items[i];
            continue;
        }
        free(vector->items[i]);
        removed = true;
    }
    vector->count = kept;
    if (removed)
        vector->items[kept] = NULL;
    return removed;
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

void strvec_sort(struct strvec *vector)
{
    if (vector->count > 0)
        qsort(vector->items, vector->count, sizeof *vector->items, compare);
}

bool strvec_equal(const struct strvec *one, const struct strvec *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (strcmp(one->items[i], other->items[i]) != 0)
            return false;
    return true;
}

char *strvec_join(const struct strvec *vector, const char *separator)
{
    struct strbuf joined = STRBUF_INIT;

    for (size_t i = 0; i < vector->count; i++) {
        if (i > 0)
            strbuf_addstr(&joined, separator);
        strbuf_addstr(&joined, vector->items[i]);
    }
    return strbuf_steal(&joined);
}

void strvec_release(struct strvec *vector)
{
    for (size_t i = 0; i < vector->count; i++)
        free(vector->items[i]);
    free(vector->items);
    *vector = (struct strvec)STRVEC_INIT;
}
