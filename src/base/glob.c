#include "base/glob.h"

#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
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

/*
 * The places in a pattern at which the text read so far may have arrived. A star is left for what follows it
 * without a character; two stars that are a part of the pattern stand for whole parts with their '/', so that
 * they are left at the start of a part alone.
 */
struct places {
    const char *pattern;
    bool *at; /* owned; one for each byte of the pattern and for its end */
};

static size_t stars_at(const struct places *places, size_t place)
{
    return strspn(places->pattern + place, "*");
}

static bool are_parts(const struct places *places, size_t place)
{
    const char *pattern = places->pattern;

    return stars_at(places, place) > 1 && (place == 0 || pattern[place - 1] == '/') &&
           pattern[place + stars_at(places, place)] == '/';
}

static void arrive(struct places *places, size_t place, bool part_starts)
{
    while (!places->at[place]) {
        const size_t stars = stars_at(places, place);

        places->at[place] = true;
        if (stars > 0 && !are_parts(places, place))
            place += stars;
        else if (stars > 0 && part_starts)
            place += stars + 1;
    }
}

/* From one place over the character at the start of the text, which may be that of a part. */
static void move(const struct places *from, size_t place, const char *text, bool part_starts,
                 struct places *to)
{
    const char *pattern = from->pattern + place;
    const size_t stars = stars_at(from, place);
    const char *behind;

    if (part_starts && *text == '.' &&
        (*pattern != '.' || (place > 0 && from->pattern[place - 1] == '*')))
        return;
    if (stars > 1 || (stars == 1 && *text != '/'))
        arrive(to, place, *text == '/');
    else if (stars == 0 && *pattern && matches_one(pattern, text, &behind))
        arrive(to, (size_t)(behind - from->pattern), *text == '/');
}

static bool matches(const char *pattern, const char *text)
{
    const size_t length = strlen(pattern);
    CLEANUP_FREE bool *memory = memory_allocate(2 * (length + 1) * sizeof *memory);
    struct places now = {pattern, memory}, next = {pattern, memory + length + 1};

    memset(memory, 0, 2 * (length + 1) * sizeof *memory);
    arrive(&now, 0, true);
    for (bool part_starts = true; *text; part_starts = *text == '/', text += character(text)) {
        bool *const used = now.at;

        memset(next.at, 0, (length + 1) * sizeof *next.at);
        for (size_t place = 0; place < length; place++)
            if (now.at[place])
                move(&now, place, text, part_starts, &next);
        now.at = next.at;
        next.at = used;
    }
    return now.at[length];
}

bool glob_matches(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');

    return matches(pattern, !strchr(pattern, '/') && slash ? slash + 1 : path);
}
