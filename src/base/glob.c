#include "base/glob.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

/* The length of the character at the start of the text, which is not empty; of bytes that are none: 1. */
static size_t character(const char *text)
{
    const size_t length = utf8_sequence((const unsigned char *)text, strnlen(text, 4));

    return length > 0 ? length : 1;
}

static int compare(const char *left, size_t left_length, const char *right, size_t right_length)
{
    const size_t least = left_length < right_length ? left_length : right_length;
    const int order = memcmp(left, right, least); /* of UTF-8 it is that of the characters */

    return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

/*
 * Whether the set at the start of the pattern, "[...]", has the character. *end is what stands behind it, or
 * NULL where it has no end: then the bracket stands for itself.
 */
static bool in_set(const char *pattern, const char *text, const char **end)
{
    const size_t length = character(text);
    const char *at = pattern + 1;
    const bool negated = *at == '!' || *at == '^';
    bool found = false;

    at += negated;
    for (bool first = true; *at && (first || *at != ']'); first = false) {
        const char *low = at, *high = at;
        const size_t low_length = character(low);
        size_t high_length = low_length;

        at += low_length;
        if (at[0] == '-' && at[1] && at[1] != ']') {
            high = at + 1;
            high_length = character(high);
            at = high + high_length;
        }
        found |= compare(text, length, low, low_length) >= 0 &&
                 compare(text, length, high, high_length) <= 0;
    }
    *end = *at ? at + 1 : NULL;
    return found != negated;
}

/* Whether what stands at the start of the pattern, and is no star, is for the character; *end: behind it. */
static bool matches_one(const char *pattern, const char *text, const char **end)
{
    const char *behind;

    if (*pattern == '?' && *text != '/') {
        *end = pattern + 1;
        return true;
    }
    if (*pattern == '[' && *text != '/') {
        const bool matches = in_set(pattern, text, &behind);

        if (behind) {
            *end = behind;
            return matches;
        }
    }
    *end = pattern + character(pattern);
    return compare(pattern, character(pattern), text, character(text)) == 0;
}

/* Where to go on when the rest does not match: the star then stands for one character or part more. */
struct retry {
    const char *pattern; /* behind the star; NULL: there is none */
    const char *text;
    bool
        parts; /* of two stars that are a part of the pattern: they stand for whole parts, with the '/' */
};

static bool more(struct retry *retry)
{
    const char *slash;

    if (!retry->pattern || *retry->text == '\0')
        return false;
    slash = strchr(retry->text, '/');
    if (retry->parts && !slash)
        return false;
    retry->text = retry->parts ? slash + 1 : retry->text + character(retry->text);
    return true;
}

/*
 * The last star of each kind is enough to come back to: what an earlier one could take more, a later one
 * can take as well, but for a '/', which only two stars can.
 */
static bool matches(const char *const whole, const char *text)
{
    static const struct retry none = {NULL, "", false};
    struct retry star = none, stars = none;
    const char *pattern = whole;

    while (*text || *pattern) {
        const char *behind;

        if (pattern[0] == '*' && pattern[1] == '*') {
            const bool starts = pattern == whole || pattern[-1] == '/';

            pattern += strspn(pattern, "*");
            stars = (struct retry){pattern, text, starts && *pattern == '/'};
            stars.pattern = pattern += stars.parts;
            star = none;
        } else if (pattern[0] == '*') {
            star = (struct retry){++pattern, text, false};
        } else if (*text && *pattern && matches_one(pattern, text, &behind)) {
            pattern = behind;
            text += character(text);
        } else if (*star.text != '/' && more(&star)) {
            text = star.text;
            pattern = star.pattern;
        } else if (more(&stars)) {
            text = stars.text;
            pattern = stars.pattern;
            star = none;
        } else {
            return false;
        }
    }
    return true;
}

bool glob_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');

    return matches(pattern, !strchr(pattern, '/') && slash ? slash + 1 : path);
}
