/*
 * Text that came from somewhere else: bytes made into valid UTF-8, made safe for one line of a
 * terminal, and misspelt names.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/*
 * The length of the UTF-8 sequence at the start of data (1 to 4), or 0 if there is none that is
 * valid by RFC 3629 (no surrogates, no overlong forms, nothing past U+10FFFF).
 */
size_t utf8_sequence(const unsigned char *data, size_t length);

/* Whether all of the string is that. */
bool text_is_utf8(const char *text);

/* Adds the bytes with each one that is not part of valid UTF-8 replaced by U+FFFD. */
void text_add_utf8(struct strbuf *out, const char *data, size_t length);

/*
 * How many bytes at the end of data begin a UTF-8 sequence that the end cuts off (0 to 3), and how
 * many at its start can only be the rest of one (0 to 3): what a cut through a stream leaves
 * behind.
 */
size_t utf8_cut_tail(const char *data, size_t length);
size_t utf8_cut_head(const char *data, size_t length);

/*
 * Reads the character at the start of data. Returns its length as utf8_sequence() does; *code_point
 * is set unless that is 0.
 */
size_t utf8_read(const char *data, size_t length, unsigned long *code_point);

/*
 * True for a character that nobody sees or that changes how others are seen, by the Unicode
 * Character Database: controls (C0, DEL, C1), zero-width spaces, marks and overrides of direction,
 * separators of lines, the byte order mark, tags. Not for joiners, which scripts and emojis need.
 */
bool text_is_invisible(unsigned long code_point);

/*
 * Adds the bytes so that they fit one line of a terminal and can do nothing to it: valid UTF-8 in
 * which invisible characters (text_is_invisible()) are written as \n, \t or, byte by byte, \xNN.
 */
void text_add_escaped(struct strbuf *out, const char *data, size_t length);

/* text_add_escaped() of a string as a new string; owned by the caller. */
char *text_escape(const char *string);

/*
 * The same of at most `most` bytes of the string, without cutting a character in two; "..." is
 * added if there are more.
 */
char *text_escape_short(const char *string, size_t most);

/*
 * Of the `count` candidates the one nearest to the misspelt or abbreviated word (edit distance,
 * upper and lower case alike), borrowed, or NULL if none is near enough.
 */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* Whether there is nothing but spaces, tabs and carriage returns. */
bool text_is_blank(const char *data, size_t length);

/* The value of a hexadecimal digit, or -1. */
int text_hex_digit(char digit);

#endif
