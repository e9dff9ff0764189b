#include "supervisor/mounts.h"

#include <string.h>

/* A line that is split into words, with one blank between two of them. */
struct words {
    const char *at, *end; /* at == NULL: there are no more */
};

/* A word, which may be empty. False: there is none. */
static bool next_word(struct words *words, const char **word, size_t *length)
{
    const char *blank;

    if (!words->at)
        return false;
    blank = memchr(words->at, ' ', (size_t)(words->end - words->at));
    *word = words->at;
    *length = (size_t)((blank ? blank : words->end) - words->at);
    words->at = blank ? blank + 1 : NULL;
    return true;
}

static bool is_octal(char digit)
{
    return digit >= '0' && digit <= '7';
}

/* The kernel writes blanks, tabs, line ends and backslashes of a path as \ooo. */
static bool copy_path(char *to, size_t size, const char *word, size_t length)
{
    size_t filled = 0;

    for (size_t i = 0; i < length; i++) {
        char byte = word[i];

        if (byte == '\\') {
            if (length - i < 4 || word[i + 1] > '3' || !is_octal(word[i + 1]) ||
                !is_octal(word[i + 2]) || !is_octal(word[i + 3]))
                return false;
            byte =
                (char)((word[i + 1] - '0') << 6 | (word[i + 2] - '0') << 3 | (word[i + 3] - '0'));
            i += 3;
        }
        if (byte == '\0' || filled + 1 >= size)
            return false;
        to[filled++] = byte;
    }
    to[filled] = '\0';
    return filled > 0 && to[0] == '/';
}

/* Whether "rw" is one of the options, which have commas between them. */
static bool has_rw(const char *options, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *comma = memchr(options + at, ',', length - at);
        const size_t end = comma ? (size_t)(comma - options) : length;

        if (end - at == 2 && memcmp(options + at, "rw", 2) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

bool mount_parse(const char *line, size_t length, struct mount *mount)
{
    struct words words = {line, line + length};
    const char *word;
    size_t size;
    bool mount_rw, words_left;

    for (int i = 0; i < 5; i++) /* its number, its parent, the device, the root there, the path */
        if (!next_word(&words, &word, &size))
            return false;
    if (!copy_path(mount->path, sizeof mount->path, word, size) || !next_word(&words, &word, &size))
        return false;
    mount_rw = has_rw(word, size);
    do /* optional words, and a hyphen after them */
        words_left = next_word(&words, &word, &size);
    while (words_left && !(size == 1 && *word == '-'));
    if (!next_word(&words, &word, &size) || size == 0)
        return false;
    size = size < sizeof mount->type ? size : sizeof mount->type - 1;
    memcpy(mount->type, word, size);
    mount->type[size] = '\0';
    if (!next_word(&words, &word, &size) || !next_word(&words, &word, &size))
        return false; /* the source, the options of the file system */
    mount->writable = mount_rw && has_rw(word, size);
    return true;
}
