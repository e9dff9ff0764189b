#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * How this works: a pattern is a sequence of tokens, with places before, between and after them.
 * While a path is read, a set of bits holds the places that can be reached by the characters read
 * so far. A character that matches a token leads from the place before the token to the place after
 * it, which is one bit to the left. A star also keeps the place before it, and can be skipped.
 */

/* A byte that is not part of valid UTF-8 is a character of its own, after all others. */
enum { INVALID_BYTE = 0x110000 };

/* The maximum bytes of a pattern in the message that it is too long. */
enum { GLOB_SHOWN_MAX = 80 };

/* How many tokens in a row can be skipped: "**" and a slash, followed by one or two stars. */
enum { SKIPS_IN_A_ROW = 2 };

struct range {
    unsigned long first, last; /* characters */
};

struct token {
    enum {
        TOKEN_LITERAL,     /* the one character of its range */
        TOKEN_SET,         /* one in the ranges, never '/' */
        TOKEN_NEGATED_SET, /* one in none of them, never '/' */
        TOKEN_STAR,        /* any characters but '/' */
        TOKEN_STARS,       /* any characters */
        TOKEN_WHOLE_PARTS, /* any number of parts, each with its '/' */
    } kind;
    size_t first_range, range_count;
};

/* A parsed pattern; neither array gets longer than the pattern is in bytes. */
struct parsed {
    struct token *tokens; /* owned */
    struct range *ranges; /* owned */
    size_t token_count, range_count;
};

static void parsed_release(struct parsed *parsed)
{
    free(parsed->tokens);
    free(parsed->ranges);
}

static unsigned long next_character(const char **text)
{
    const size_t available = strnlen(*text, 4);
    unsigned long character = 0;
    const size_t length = utf8_read(*text, available, &character);

    if (length == 0)
        character = INVALID_BYTE + (unsigned char)**text;
    *text += length > 0 ? length : 1;
    return character;
}

static void add_range(struct parsed *parsed, struct token *token, unsigned long first,
                      unsigned long last)
{
    parsed->ranges[parsed->range_count++] = (struct range){first, last};
    token->range_count++;
}

/* ---- compiling: from the pattern to tokens */

/* Reads a set, after its '['. False if it has no end. */
static bool read_set(struct parsed *parsed, struct token *token, const char **at)
{
    token->kind = **at == '!' || **at == '^' ? TOKEN_NEGATED_SET : TOKEN_SET;
    *at += token->kind == TOKEN_NEGATED_SET;
    for (bool is_first = true; **at && (is_first || **at != ']'); is_first = false) {
        const unsigned long first = next_character(at);
        unsigned long last = first;

        if ((*at)[0] == '-' && (*at)[1] && (*at)[1] != ']') {
            ++*at;
            last = next_character(at);
        }
        add_range(parsed, token, first, last);
    }
    return *(*at)++ == ']';
}

/* Reads stars. `begins_part`: they are at the start of a part of the pattern. */
static void read_stars(struct token *token, const char **at, bool begins_part)
{
    const size_t stars = strspn(*at, "*");

    *at += stars;
    token->kind = stars == 1 ? TOKEN_STAR : TOKEN_STARS;
    if (stars > 1 && begins_part && **at == '/') {
        token->kind = TOKEN_WHOLE_PARTS;
        ++*at;
    }
}

/* False if a set has no end. */
static bool parse(const char *pattern, struct parsed *parsed)
{
    for (const char *at = pattern; *at;) {
        struct token token = {.kind = TOKEN_LITERAL, .first_range = parsed->range_count};
        const bool after_parts = parsed->token_count > 0 &&
                                 parsed->tokens[parsed->token_count - 1].kind == TOKEN_WHOLE_PARTS;

        if (*at == '*') {
            read_stars(&token, &at, at == pattern || at[-1] == '/');
        } else if (*at == '?') {
            token.kind = TOKEN_NEGATED_SET;
            at++;
        } else if (*at == '[') {
            at++;
            if (!read_set(parsed, &token, &at))
                return false;
        } else {
            const unsigned long character = next_character(&at);

            add_range(parsed, &token, character, character);
        }
        /* "**" and a slash twice match the same as once. */
        if (token.kind != TOKEN_WHOLE_PARTS || !after_parts)
            parsed->tokens[parsed->token_count++] = token;
    }
    return true;
}

static bool token_matches(const struct parsed *parsed, const struct token *token,
                          unsigned long character)
{
    bool found = false;

    if (token->kind > TOKEN_NEGATED_SET || (character == '/' && token->kind != TOKEN_LITERAL))
        return false;
    for (size_t i = 0; i < token->range_count; i++) {
        const struct range *range = &parsed->ranges[token->first_range + i];

        found |= character >= range->first && character <= range->last;
    }
    return found != (token->kind == TOKEN_NEGATED_SET);
}

/* ---- compiling: from tokens to sets of places */

static int compare(const void *a, const void *b)
{
    const unsigned long left = *(const unsigned long *)a, right = *(const unsigned long *)b;

    return (left > right) - (left < right);
}

/* A class starts at the start of a range and after its end; '/' is always a class of its own. */
static void find_classes(struct glob *glob, const struct parsed *parsed)
{
    const size_t max_count = 3 + 2 * parsed->range_count;
    unsigned long *starts = memory_allocate(max_count * sizeof *starts);
    size_t count = 3;

    starts[0] = 0;
    starts[1] = '/';
    starts[2] = '/' + 1;
    for (size_t i = 0; i < parsed->range_count; i++) {
        starts[count++] = parsed->ranges[i].first;
        starts[count++] = parsed->ranges[i].last + 1;
    }
    qsort(starts, count, sizeof *starts, compare);
    glob->class_starts = starts;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || starts[i] != starts[i - 1])
            starts[glob->class_count++] = starts[i];
}

static size_t class_of(const struct glob *glob, unsigned long character)
{
    size_t low = 0, high = glob->class_count;

    while (high - low > 1) { /* the class `low` starts at the character or before it */
        const size_t middle = low + (high - low) / 2;

        if (glob->class_starts[middle] <= character)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_place(uint64_t *places, size_t place)
{
    places[place / 64] |= (uint64_t)1 << place % 64;
}

static void fill_places(struct glob *glob, const struct parsed *parsed)
{
    const size_t words = glob->words;
    uint64_t *const star = glob->memory, *const stars = star + words, *const parts = stars + words;
    uint64_t *const dots = parts + words, *const classes = dots + words;

    for (size_t place = 0; place < parsed->token_count; place++) {
        const struct token *token = &parsed->tokens[place];

        if (token->kind == TOKEN_STAR)
            add_place(star, place);
        else if (token->kind == TOKEN_STARS)
            add_place(stars, place);
        else if (token->kind == TOKEN_WHOLE_PARTS)
            add_place(parts, place);
        else if (token->kind == TOKEN_LITERAL && token_matches(parsed, token, '.') &&
                 (place == 0 || (token[-1].kind != TOKEN_STAR && token[-1].kind != TOKEN_STARS)))
            add_place(dots, place);
        for (size_t class = 0; class < glob->class_count; class ++)
            if (token_matches(parsed, token, glob->class_starts[class]))
                add_place(classes + class * words, place);
    }
    glob->stars_in_part = star;
    glob->stars_over_parts = stars;
    glob->whole_parts = parts;
    glob->dots = dots;
    glob->class_places = classes;
}

int glob_compile(struct glob *glob, const char *pattern, struct error *error)
{
    const size_t size = strlen(pattern) + 1;
    CLEANUP(parsed_release)
    struct parsed parsed = {.tokens = memory_allocate(size * sizeof *parsed.tokens),
                            .ranges = memory_allocate(size * sizeof *parsed.ranges)};
    size_t sets;

    *glob = (struct glob)GLOB_INIT;
    if (size > GLOB_PATTERN_MAX + 1) {
        CLEANUP_FREE char *escaped = text_escape_short(pattern, GLOB_SHOWN_MAX);

        return error_set(error, ERROR_USAGE, "the pattern '%s' is longer than %d bytes", escaped,
                         GLOB_PATTERN_MAX);
    }
    if (!parse(pattern, &parsed)) {
        CLEANUP_FREE char *escaped = text_escape(pattern);

        return error_set(error, ERROR_USAGE,
                         "the pattern '%s' has a '[' without a ']'; '[[]' is the character itself",
                         escaped);
    }
    glob->last_part = !strchr(pattern, '/');
    glob->end = parsed.token_count;
    glob->words = parsed.token_count / 64 + 1;
    find_classes(glob, &parsed);
    sets = 4 + glob->class_count;
    glob->memory = memory_allocate(sets * glob->words * sizeof *glob->memory);
    memset(glob->memory, 0, sets * glob->words * sizeof *glob->memory);
    fill_places(glob, &parsed);
    for (unsigned long character = 0; character < 128; character++)
        glob->ascii[character] = (unsigned short)class_of(glob, character);
    return 0;
}

/* ---- matching */

/* Adds the places that are reached by skipping stars. */
static void skip_stars(const struct glob *glob, uint64_t *places, bool part_starts)
{
    for (int i = 0; i < SKIPS_IN_A_ROW; i++) {
        uint64_t carry = 0;

        for (size_t word = 0; word < glob->words; word++) {
            const uint64_t skipped =
                places[word] & (glob->stars_in_part[word] | glob->stars_over_parts[word] |
                                (part_starts ? glob->whole_parts[word] : 0));

            places[word] |= skipped << 1 | carry;
            carry = skipped >> 63;
        }
    }
}

/* Sets `to` to the places that one character leads to. False if there are none. */
static bool read_character(const struct glob *glob, const uint64_t *from, unsigned long character,
                           bool part_starts, uint64_t *to)
{
    const size_t class = character < 128 ? glob->ascii[character] : class_of(glob, character);
    const uint64_t *matching = glob->class_places + class * glob->words;
    const bool is_hidden = part_starts && character == '.';
    uint64_t carry = 0, any = 0;

    for (size_t word = 0; word < glob->words; word++) {
        const uint64_t next = from[word] & matching[word] & (is_hidden ? glob->dots[word] : ~0ULL);
        const uint64_t stars = glob->stars_over_parts[word] | glob->whole_parts[word] |
                               (character == '/' ? 0 : glob->stars_in_part[word]);

        to[word] = next << 1 | carry | (is_hidden ? 0 : from[word] & stars);
        carry = next >> 63;
        any |= to[word];
    }
    skip_stars(glob, to, character == '/');
    return any != 0;
}

bool glob_match(const struct glob *glob, const char *path)
{
    const size_t size = glob->words * sizeof(uint64_t);
    CLEANUP_FREE uint64_t *memory = memory_allocate(2 * size);
    uint64_t *now = memory, *next = memory + glob->words;
    const char *slash = strrchr(path, '/');
    const char *rest = glob->last_part && slash ? slash + 1 : path;
    bool part_starts = true;

    memset(now, 0, size);
    add_place(now, 0);
    skip_stars(glob, now, true);
    while (*rest) {
        const unsigned long character = next_character(&rest);
        uint64_t *const used = now;

        if (!read_character(glob, now, character, part_starts, next))
            return false;
        now = next;
        next = used;
        part_starts = character == '/';
    }
    return now[glob->end / 64] >> glob->end % 64 & 1;
}

void glob_release(struct glob *glob)
{
    free(glob->memory);
    free(glob->class_starts);
    *glob = (struct glob)GLOB_INIT;
}
