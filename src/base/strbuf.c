#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct strbuf *buffer, size_t more)
{
    size_t capacity = buffer->capacity ? buffer->capacity : 64;

    if (buffer->length + more < buffer->capacity)
        return;
    while (capacity <= buffer->length + more)
        capacity += capacity / 2;
    buffer->data = memory_resize(buffer->data, capacity);
    buffer->capacity = capacity;
}

/* How many of so many more bytes fit. */
static size_t fitting(struct strbuf *buffer, size_t more)
{
    if (buffer->max == 0 || more <= buffer->max - buffer->length)
        return more;
    buffer->is_cut = true;
    return buffer->max - buffer->length;
}

void strbuf_add(struct strbuf *buffer, const void *data, size_t length)
{
    length = fitting(buffer, length);
    reserve(buffer, length);
    if (length > 0)
        memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void strbuf_addstr(struct strbuf *buffer, const char *string)
{
    strbuf_add(buffer, string, strlen(string));
}

void strbuf_addch(struct strbuf *buffer, char character)
{
    strbuf_add(buffer, &character, 1);
}

void strbuf_addf(struct strbuf *buffer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(buffer, format, arguments);
    va_end(arguments);
}

void strbuf_vaddf(struct strbuf *buffer, const char *format, va_list arguments)
{
    va_list copy;
    size_t length;
    int formatted;

    va_copy(copy, arguments);
    formatted = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (formatted < 0)
        abort();
    length = fitting(buffer, (size_t)formatted);
    reserve(buffer, length);
    vsnprintf(buffer->data + buffer->length, length + 1, format, arguments);
    buffer->length += length;
}

void strbuf_drop(struct strbuf *buffer, size_t length)
{
    if (length == 0)
        return;
    buffer->length -= length;
    memmove(buffer->data, buffer->data + length, buffer->length + 1);
}

void strbuf_shrink(struct strbuf *buffer)
{
    if (!buffer->data)
        return;
    buffer->capacity = buffer->length + 1;
    buffer->data = memory_resize(buffer->data, buffer->capacity);
}

const char *strbuf_string(const struct strbuf *buffer)
{
    return buffer->data ? buffer->data : "";
}

char *strbuf_steal(struct strbuf *buffer)
{
    char *data = buffer->data ? buffer->data : string_copy("");

    *buffer = (struct strbuf)STRBUF_MAX(buffer->max);
    return data;
}

void strbuf_release(struct strbuf *buffer)
{
    free(buffer->data);
    *buffer = (struct strbuf)STRBUF_MAX(buffer->max);
}

char *string_copy(const char *string)
{
    size_t size = strlen(string) + 1;

    return memcpy(memory_allocate(size), string, size);
}

char *string_format(const char *format, ...)
{
    struct strbuf buffer = STRBUF_INIT;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&buffer, format, arguments);
    va_end(arguments);
    strbuf_shrink(&buffer);
    return strbuf_steal(&buffer);
}
