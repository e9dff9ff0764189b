/*
 * Parses JSON from outside, one text a line, within bounds, and tolerates what real clients send.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* The limits of a line in bytes and in values: far more than a request has, and far below GBs. */
enum { JSON_TEXT_MAX = 64 << 20, JSON_TEXT_VALUES_MAX = 200000 };

/* The levels of a message of MCP between a program and a server of tools: as serde_json has it. */
enum { JSON_TEXT_LEVELS_MAX = 128 };

/*
 * Flags for json_dumps(): compact, with the fewest digits, from 15 on, with which each real number
 * in the value comes back the same. 15 are enough for what people write, and 17 for any double.
 */
size_t json_text_flags(const json_t *value);

/*
 * Returns how many values json_text_parse() would create for the line, or a few more, so that a
 * line of brackets can be refused before it takes a hundred times its size in memory.
 */
size_t json_text_count(const char *line, size_t length);

/*
 * Returns how deep the arrays and objects of the line are nested: 0 for a number, 1 for "[7]". What
 * reads the text of a value by recursion, as Python does, has a limit of some hundred levels.
 */
size_t json_text_levels(const char *line, size_t length);

/*
 * Returns the value of a line as a new reference. If it is not JSON, returns NULL, and `where` (may
 * be NULL) says at which column and why; its text may end in the middle of a character.
 *
 * Half a surrogate pair ("\ud83d" alone), which hosts send when they cut a text in two, becomes
 * U+FFFD instead of making the whole line unreadable. jansson also refuses: a NUL in the name of a
 * member, integers past 64 bits, numbers that do not fit a double, and more than 2048 levels.
 */
json_t *json_text_parse(const char *line, size_t length, json_error_t *where);

/*
 * The same, but refuses an object that has a member twice (json_error_duplicate_key), of which
 * json_text_parse() takes the last one.
 */
json_t *json_text_parse_unique(const char *line, size_t length, json_error_t *where);

/*
 * Why a text that is not JSON may be none, in the words of a person who has written it: comments,
 * single quotes, a comma too many, or nothing at all. A literal; NULL: none of these.
 */
const char *json_text_hint(const char *text, size_t length);

#endif
