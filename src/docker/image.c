#include "docker/image.h"

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

/* ---- references in full, and patterns for them */

static const char HUB[] = "docker.io/", LEGACY_HUB[] = "index.docker.io/", OFFICIAL[] = "library/";
static const char DIGEST[] = "sha256:";

static bool is_digest(const char *digest)
{
    return strncmp(digest, DIGEST, strlen(DIGEST)) == 0 && strlen(digest + strlen(DIGEST)) == 64 &&
           strspn(digest + strlen(DIGEST), DIGIT "abcdef") == 64;
}

/* Whether the first part of a name is a host, by the rule of the docker command. */
static bool begins_with_host(const char *name)
{
    const size_t length = strcspn(name, "/");

    return name[length] == '/' && (memchr(name, '.', length) || memchr(name, ':', length) ||
                                   (length == 9 && strncmp(name, "localhost", 9) == 0));
}

/* The tag in a reference without a digest, with its colon; "" if there is none. */
static const char *find_tag(const char *reference)
{
    const char *slash = strrchr(reference, '/');
    const char *colon = strchr(slash ? slash : reference, ':');

    return colon ? colon : reference + strlen(reference);
}

/* Adds what is missing in front of a name. */
static char *complete_name(const char *name)
{
    if (strncmp(name, LEGACY_HUB, strlen(LEGACY_HUB)) == 0)
        name += strlen(LEGACY_HUB);
    else if (strncmp(name, HUB, strlen(HUB)) == 0)
        name += strlen(HUB);
    else if (begins_with_host(name))
        return string_copy(name);
    return string_format("%s%s%s", HUB, strchr(name, '/') ? "" : OFFICIAL, name);
}

/* Returns a reference of the right form in full, with `tag` if it has neither tag nor digest. */
static char *complete(const char *reference, const char *tag)
{
    const char *digest = strchr(reference, '@');
    CLEANUP_FREE char *tagged = string_format("%.*s", (int)strcspn(reference, "@"), reference);
    const char *own_tag = find_tag(tagged);
    CLEANUP_FREE char *name = string_format("%.*s", (int)(own_tag - tagged), tagged);
    CLEANUP_FREE char *full = complete_name(name);

    return string_format("%s%s", full, digest ? digest : *own_tag ? own_tag : tag);
}

/* Whether this is a reference that names a repository, and not the id of an image. */
static bool is_reference(const char *reference)
{
    const char *digest = strchr(reference, '@');
    CLEANUP_FREE char *tagged = string_format("%.*s", (int)strcspn(reference, "@"), reference);

    return strlen(reference) <= REFERENCE_MAX && is_taggable(tagged) &&
           (!digest || is_digest(digest + 1));
}

char *image_normalize(const char *reference, struct error *error)
{
    if (!is_reference(reference)) {
        CLEANUP_FREE char *shown = text_escape_short(reference, 80);
        error_set(error, ERROR_USAGE, "'%s' is not an image; write it like name:tag", shown);
        return NULL;
    }
    return complete(reference, ":latest");
}

char *image_pattern_normalize(const char *pattern, struct error *error)
{
    CLEANUP_FREE char *example = string_copy(pattern);
    const char *digest = strchr(pattern, '@');

    for (char *star = example; (star = strchr(star, '*'));)
        *star = '0'; /* can stand everywhere: in a host, a port, a name and a tag */
    if (strstr(pattern, "**") || (digest && strchr(digest, '*')) || !is_reference(example)) {
        CLEANUP_FREE char *shown = text_escape_short(pattern, 80);
        error_set(error, ERROR_USAGE,
                  "'%s' is not a pattern for images, like team/* or python:3.*; * does not match "
                  "a '/'",
                  shown);
        return NULL;
    }
    return complete(pattern, "");
}

/* Whether the pattern matches all of the text. "*" matches any characters but "/". */
static bool matches(const char *pattern, size_t pattern_length, const char *text, size_t length)
{
    const char *pattern_end = pattern + pattern_length, *end = text + length;
    const char *star = NULL, *after = NULL;

    while (text < end) {
        if (pattern < pattern_end && *pattern == '*') {
            star = pattern++;
            after = text;
        } else if (pattern < pattern_end && *pattern == *text) {
            pattern++;
            text++;
        } else if (star && *after != '/') { /* the last star takes one more */
            pattern = star + 1;
            text = ++after;
        } else {
            return false;
        }
    }
    while (pattern < pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

/* The tag or digest, with the character before it; "" if there is none. */
static const char *find_version(const char *full)
{
    const char *digest = strchr(full, '@');

    return digest ? digest : find_tag(full);
}

bool image_matches(const char *pattern, const char *reference)
{
    const char *pattern_version = find_version(pattern);
    const char *version = find_version(reference);

    if (!matches(pattern, (size_t)(pattern_version - pattern), reference,
                 (size_t)(version - reference)))
        return false;
    return *pattern_version == '\0' ||
           (*pattern_version == *version &&
            matches(pattern_version, strlen(pattern_version), version, strlen(version)));
}
