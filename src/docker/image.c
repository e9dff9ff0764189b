#include "docker/image.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

enum { REFERENCE_MAX = 512, NAME_MAX_LENGTH = 255, TAG_MAX = 128 };

int image_check_reference(const char *reference, struct error *error)
{
    const size_t length = strlen(reference);

    if (length == 0 || length > REFERENCE_MAX || !strchr(LOWER UPPER DIGIT, reference[0]) ||
        strspn(reference, LOWER UPPER DIGIT "._-/:@") != length) {
        CLEANUP_FREE char *shown = text_escape_short(reference, 80);
        return error_set(error, ERROR_USAGE, "'%s' is not an image; write it like name:tag", shown);
    }
    return 0;
}

/* Words of lower case letters and digits, separated by ".", "_", "__" or any number of "-". */
static bool is_name(const char *name, size_t length)
{
    size_t at = 0;

    for (;;) {
        const size_t word = strspn(name + at, LOWER DIGIT);
        size_t gap;

        if (word == 0 || at + word > length)
            return false;
        at += word;
        if (at == length)
            return true;
        gap = strspn(name + at, "-");
        if (gap == 0)
            gap = name[at] == '.' ? 1 : strncmp(name + at, "__", 2) == 0 ? 2 : name[at] == '_';
        if (gap == 0)
            return false;
        at += gap;
    }
}

/* The first part is a host if it has a dot or a port, or is "localhost". */
static bool is_host(const char *part, size_t length)
{
    const size_t name = strcspn(part, ":/");

    if (name == 0 || strspn(part, LOWER UPPER DIGIT ".-") < name || strchr(".-", part[0]) ||
        strchr(".-", part[name - 1]))
        return false;
    for (size_t i = 1; i < name; i++)
        if (part[i] == '.' && part[i - 1] == '.')
            return false;
    if (name < length) /* a port */
        return length > name + 1 && strspn(part + name + 1, DIGIT) == length - name - 1;
    return memchr(part, '.', length) != NULL || (length == 9 && strncmp(part, "localhost", 9) == 0);
}

static bool is_tag(const char *tag)
{
    const size_t length = strlen(tag);

    return length > 0 && length <= TAG_MAX && !strchr(".-", tag[0]) &&
           strspn(tag, LOWER UPPER DIGIT "_.-") == length;
}

/* Whether the engine takes this name for the id of an image. */
static bool is_id(const char *name, size_t length)
{
    return length == 64 && strspn(name, DIGIT "abcdef") >= length;
}

static bool is_taggable(const char *reference)
{
    const char *part = reference;

    for (;;) {
        const size_t length = strcspn(part, "/");
        const bool last = part[length] == '\0';
        const size_t name = last ? strcspn(part, ":") : length;

        if (part + name - reference > NAME_MAX_LENGTH ||
            (last && part == reference && is_id(part, name)))
            return false;
        if (!is_name(part, name) && !(part == reference && !last && is_host(part, length)))
            return false;
        if (last)
            return part[name] == '\0' || is_tag(part + name + 1);
        part += length + 1;
    }
}

int image_check_tag(const char *reference, struct error *error)
{
    if (strlen(reference) > REFERENCE_MAX || !is_taggable(reference)) {
        CLEANUP_FREE char *shown = text_escape_short(reference, 80);
        return error_set(error, ERROR_USAGE,
                         "'%s' is not a tag for an image; write it like name:tag, the name in "
                         "lower case",
                         shown);
    }
    return 0;
}
