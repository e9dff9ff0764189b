/*
 * A growing byte string, and functions that copy and format plain strings. The data may contain NUL
 * bytes and is always followed by a NUL that is not counted. It is never NULL after the first
 * addition. Running out of memory aborts.
 *
 * A buffer for what comes from elsewhere has a maximum, which its declaration shows: what does not
 * fit is left out, and `is_cut` says so.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *data; /* owned */
    size_t length;
    size_t capacity;
    size_t max;  /* bytes; 0: as many as are added */
    bool is_cut; /* more than that were added */
};

#define STRBUF_INIT STRBUF_MAX(0)
#define STRBUF_MAX(bytes)                                                                          \
    {                                                                                              \
        .data = NULL, .max = (bytes)                                                               \
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

/* Gives back the memory that the text does not need. */
void strbuf_shrink(struct strbuf *buffer);

/* Returns the string, "" if nothing was ever added; borrowed until the next change. */
const char *strbuf_string(const struct strbuf *buffer) __attribute__((returns_nonnull));

/* Returns the string, never NULL and owned by the caller. The buffer is as after its declaration.
 */
char *strbuf_steal(struct strbuf *buffer) __attribute__((returns_nonnull));

/* Frees the string. The buffer is as after its declaration. */
void strbuf_release(struct strbuf *buffer);

/* Return a new string, owned by the caller: a copy, and the output of printf(3). */
char *string_copy(const char *string) __attribute__((returns_nonnull));
char *string_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

#endif
