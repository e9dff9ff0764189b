/*
 * Text from outside: makes bytes valid UTF-8, makes text safe for one line of a terminal, and finds
 * what a misspelt name stands for.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/*
 * Returns the length of the UTF-8 sequence at the start of data (1 to 4), or 0 if there is no valid
 * one by RFC 3629 (no surrogates, no overlong forms, nothing past U+10FFFF).
 */
size_t utf8_sequence(const unsigned char *data, size_t length);

/* True if the string is valid UTF-8. */
bool text_is_utf8(const char *text);

/* Adds the bytes, with U+FFFD in place of each byte that is not part of valid UTF-8. */
void text_add_utf8(struct strbuf *out, const char *data, size_t length);

/*
 * For a stream that was cut in two: how many bytes at the end of data are the start of an
 * incomplete UTF-8 sequence (0 to 3), and how many at its start can only be the rest of one (0 to
 * 3).
 */
size_t utf8_cut_tail(const char *data, size_t length);
size_t utf8_cut_head(const char *data, size_t length);

/*
 * Reads the character at the start of data. Returns its length as utf8_sequence() does; *code_point
 * is set unless that is 0.
 */
size_t utf8_read(const char *data, size_t length, unsigned long *code_point);

/*
 * True for a character that is invisible or changes how others are displayed, by the Unicode
 * Character Database: controls (C0, DEL, C1), zero-width spaces, marks and overrides of direction,
 * separators of lines, the byte order mark and tags. False for joiners, which scripts and emojis
 * need.
 */
bool text_is_invisible(unsigned long code_point);

/*
 * Adds the bytes as text for one line of a terminal, without escape sequences: as valid UTF-8 in
 * which invisible characters (text_is_invisible()) and invalid bytes are written as \n, \t or, byte
 * by byte, \xNN.
 */
void text_add_escaped(struct strbuf *out, const char *data, size_t length);

/* Returns the result of text_add_escaped() for a string; owned by the caller. */
char *text_escape(const char *string);

/* Bytes that a message shows of a name from a request. */
enum { TEXT_SHOWN_MAX = 80 };

/*
 * The same for the first `max_length` bytes of a string; no character is cut in two, and "..." is
 * added if the string is longer.
 */
char *text_escape_short(const char *string, size_t max_length);

/*
 * Returns the candidate that is nearest to a misspelt or abbreviated word (by edit distance,
 * ignoring case), borrowed; NULL if none of the `count` candidates is near enough.
 */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* True if there is nothing but spaces, tabs and carriage returns. */
bool text_is_blank(const char *data, size_t length);

/* Returns the value of a hexadecimal digit, or -1. */
int text_hex_digit(char digit);

/* The last part of a path: what follows its last slash, borrowed from it. */
const char *text_file_name(const char *path);

#endif
