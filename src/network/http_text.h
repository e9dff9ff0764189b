/*
 * The words of a head of HTTP: parts of what has come, which are neither copied nor terminated.
 * What they are does not depend on the locale, and their case never matters.
 */
#ifndef NETWORK_HTTP_TEXT_H
#define NETWORK_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Borrowed bytes; `at` is not NULL. */
struct span {
    const char *at;
    size_t length;
};

bool http_is_digit(char c);

/* Part of a token (RFC 9110, 5.6.2), such as a method or the name of a field. */
bool http_is_token_byte(char c);

/* Part of the value of a field: no control character. Others than ASCII are opaque (ibid., 5.5). */
bool http_is_value_byte(char c);

bool span_has_only(struct span text, bool (*is_good)(char));
bool span_is_token(struct span text);
bool span_equal(struct span one, struct span other);
bool span_starts_with(struct span text, const char *word);
bool span_is(struct span text, const char *word);

/* The text without blanks and tabs at its ends. */
struct span span_trim(struct span text);

/*
 * Moves what is before the first such byte into `part`, and drops the byte. False, and nothing is
 * changed: the text does not have it.
 */
bool span_cut(struct span *text, char byte, struct span *part);

/*
 * Reads decimal digits, of a number that is at most `max`. False: there are others or none, it is
 * larger, or has a zero in front, which some readers take for an octal one.
 */
bool span_read_number(struct span text, unsigned long long max, unsigned long long *number);

#endif
