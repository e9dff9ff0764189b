#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * How this works: a pattern is a row of tokens, and between them are places. While a path is read,
 * the set of places that its characters so far may have led to is kept as bits. A character leads
 * from the place before a token that it matches to the next place, that is one bit to the left; a
 * star keeps the place before it, and can also be left without a character.
 */

/* A byte that is not part of valid UTF-8 is a character of its own, past all others. */
enum { INVALID_BYTE = 0x110000 };

/* A star or two may follow whole parts: so often in a row a token is left without a character. */
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

/* A pattern that is taken to pieces; neither array gets longer than the pattern is in bytes. */
struct pieces {
    struct token *tokens; /* owned */
    struct range *ranges; /* owned */
    size_t token_count, range_count;
};

static void pieces_release(struct pieces *pieces)
{
    free(pieces->tokens);
    free(pieces->ranges);
}

static unsigned long next_character(const char **text)
{
    const size_t most = strnlen(*text, 4);
    unsigned long character = 0;
    const size_t length = utf8_read(*text, most, &character);

    if (length == 0)
        character = INVALID_BYTE + (unsigned char)**text;
    *text += length > 0 ? length : 1;
    return character;
}

static void add_range(struct pieces *pieces, struct token *token, unsigned long first,
                      unsigned long last)
{
    pieces->ranges[pieces->range_count++] = (struct range){first, last};
    token->range_count++;
}

/* ---- compiling: from the pattern to tokens */

/* Reads a set, after its '['. False if it has no end. */
static bool read_set(struct pieces *pieces, struct token *token, const char **at)
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
        add_range(pieces, token, first, last);
    }
    return *(*at)++ == ']';
}

/* Reads stars. `begins_part`: they stand at the start of a part of the pattern. */
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
static bool take_to_pieces(const char *pattern, struct pieces *pieces)
{
    for (const char *at = pattern; *at;) {
        struct token token = {.kind = TOKEN_LITERAL, .first_range = pieces->range_count};
        const bool behind_parts = pieces->token_count > 0 &&
                                  pieces->tokens[pieces->token_count - 1].kind == TOKEN_WHOLE_PARTS;

        if (*at == '*') {
            read_stars(&token, &at, at == pattern || at[-1] == '/');
        } else if (*at == '?') {
            token.kind = TOKEN_NEGATED_SET;
            at++;
        } else if (*at == '[') {
            at++;
            if (!read_set(pieces, &token, &at))
                return false;
        } else {
            const unsigned long character = next_character(&at);

            add_range(pieces, &token, character, character);
        }
        /* Any number of parts, and again any number of parts, are any number of parts. */
        if (token.kind != TOKEN_WHOLE_PARTS || !behind_parts)
            pieces->tokens[pieces->token_count++] = token;
    }
    return true;
}

static bool token_matches(const struct pieces *pieces, const struct token *token,
                          unsigned long character)
{
    bool found = false;

    if (token->kind > TOKEN_NEGATED_SET || (character == '/' && token->kind != TOKEN_LITERAL))
        return false;
    for (size_t i = 0; i < token->range_count; i++) {
        const struct range *range = &pieces->ranges[token->first_range + i];

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
static void find_classes(struct glob *glob, const struct pieces *pieces)
{
    const size_t most = 3 + 2 * pieces->range_count;
    unsigned long *starts = memory_allocate(most * sizeof *starts);
    size_t count = 3;

    starts[0] = 0;
    starts[1] = '/';
    starts[2] = '/' + 1;
    for (size_t i = 0; i < pieces->range_count; i++) {
        starts[count++] = pieces->ranges[i].first;
        starts[count++] = pieces->ranges[i].last + 1;
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

    while (high - low > 1) { /* low is a class that starts at the character or before it */
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

static void fill_places(struct glob *glob, const struct pieces *pieces)
{
    const size_t words = glob->words;
    uint64_t *const star = glob->memory, *const stars = star + words, *const parts = stars + words;
    uint64_t *const dots = parts + words, *const classes = dots + words;

    for (size_t place = 0; place < pieces->token_count; place++) {
        const struct token *token = &pieces->tokens[place];

        if (token->kind == TOKEN_STAR)
            add_place(star, place);
        else if (token->kind == TOKEN_STARS)
            add_place(stars, place);
        else if (token->kind == TOKEN_WHOLE_PARTS)
            add_place(parts, place);
        else if (token->kind == TOKEN_LITERAL && token_matches(pieces, token, '.') &&
                 (place == 0 || (token[-1].kind != TOKEN_STAR && token[-1].kind != TOKEN_STARS)))
            add_place(dots, place);
        for (size_t class = 0; class < glob->class_count; class ++)
            if (token_matches(pieces, token, glob->class_starts[class]))
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
    CLEANUP(pieces_release)
    struct pieces pieces = {.tokens = memory_allocate(size * sizeof *pieces.tokens),
                            .ranges = memory_allocate(size * sizeof *pieces.ranges)};
    size_t sets;

    *glob = (struct glob)GLOB_INIT;
    if (!take_to_pieces(pattern, &pieces)) {
        CLEANUP_FREE char *shown = text_escape(pattern);

        return error_set(error, ERROR_USAGE,
                         "the pattern '%s' has a '[' without a ']'; '[[]' is the character itself",
                         shown);
    }
    glob->last_part = !strchr(pattern, '/');
    glob->end = pieces.token_count;
    glob->words = pieces.token_count / 64 + 1;
    find_classes(glob, &pieces);
    sets = 4 + glob->class_count;
    glob->memory = memory_allocate(sets * glob->words * sizeof *glob->memory);
    memset(glob->memory, 0, sets * glob->words * sizeof *glob->memory);
    fill_places(glob, &pieces);
    for (unsigned long character = 0; character < 128; character++)
        glob->ascii[character] = (unsigned short)class_of(glob, character);
    return 0;
}

/* ---- matching */

/* Adds the places to which stars are left without a character. */
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

/* From some places over one character to others. False if it leads nowhere. */
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
