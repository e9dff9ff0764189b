/*
 * A growing byte string. The data is always followed by a NUL that does not count, may hold NUL
 * bytes itself, and is never NULL after the first addition. Out of memory aborts. Plain strings
 * that are copied or formatted stand here too.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
    char *data; /* owned */
    size_t length;
    size_t capacity;
};

#define STRBUF_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

void strbuf_add(struct strbuf *buffer, const void *data, size_t length);
void strbuf_addstr(struct strbuf *buffer, const char *string);
void strbuf_addch(struct strbuf *buffer, char character);
void strbuf_addf(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *buffer, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Removes the first `length` bytes; `length` is at most buffer->length. */
void strbuf_drop(struct strbuf *buffer, size_t length);

/* The string, "" for one that never got anything; borrowed until the next change. */
const char *strbuf_string(const struct strbuf *buffer) __attribute__((returns_nonnull));

/* The string, never NULL, now the caller's; the buffer is empty afterwards. */
char *strbuf_steal(struct strbuf *buffer) __attribute__((returns_nonnull));

void strbuf_release(struct strbuf *buffer);

/* New strings of the caller's: strdup(3), and what printf(3) would print. */
char *string_copy(const char *string) __attribute__((returns_nonnull));
char *string_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

#endif
