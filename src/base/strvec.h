/*
 * A growing vector of strings that owns its members and ends with a NULL pointer, so that `items`
 * can be used as an argv. `items` is NULL if nothing was ever added.
 */
#ifndef BASE_STRVEC_H
#define BASE_STRVEC_H

#include <stdbool.h>
#include <stddef.h>

struct strvec {
    char **items; /* owned, and so is each item */
    size_t count;
    size_t capacity;
};

#define STRVEC_INIT                                                                                \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

/* Copies the string. */
void strvec_push(struct strvec *vector, const char *string);
void strvec_pushf(struct strvec *vector, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Copies each of the arguments up to a NULL pointer. */
void strvec_push_each(struct strvec *vector, ...) __attribute__((sentinel));
void strvec_push_all(struct strvec *vector, const struct strvec *more);
/* Copies the string, or each of the strings, unless the vector has the same one. */
void strvec_push_once(struct strvec *vector, const char *string);
void strvec_push_all_once(struct strvec *vector, const struct strvec *more);
/* Takes ownership of the string. */
void strvec_push_owned(struct strvec *vector, char *string);

bool strvec_contains(const struct strvec *vector, const char *string);

/* Removes and frees the strings that equal this one. Returns whether there was one. */
bool strvec_remove(struct strvec *vector, const char *string);

/* Sorts the strings by their bytes. */
void strvec_sort(struct strvec *vector);

/* True if they have the same strings in the same order. */
bool strvec_equal(const struct strvec *one, const struct strvec *other);

/* Returns the items joined by the separator; owned by the caller. */
char *strvec_join(const struct strvec *vector, const char *separator);

void strvec_release(struct strvec *vector);

#endif
