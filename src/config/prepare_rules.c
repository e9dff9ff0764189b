#include "config/prepare_rules.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/sandbox_policy.h"

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

enum { NAME_MAX_BYTES = 64, HASH_DIGITS = 16 };

/* Each string with the NUL that ends it. */
static void add_strings(struct sha256 *hash, const struct strvec *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        sha256_update(hash, strings->items[i], strlen(strings->items[i]) + 1);
}

char *prepare_tag(const char *language, const char *base, const struct strvec *steps,
                  const struct strvec *files)
{
    CLEANUP_FREE char *name = string_format("%.*s", NAME_MAX_BYTES, language);
    char digits[SHA256_HEX_SIZE];
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, language, strlen(language) + 1); /* the NUL ends it */
    sha256_update(&hash, base, strlen(base) + 1);
    add_strings(&hash, steps);
    if (files->count > 0)
        sha256_update(&hash, "", 1); /* no step is empty */
    add_strings(&hash, files);
    sha256_hex(&hash, digits);
    for (char *at = name; *at; at++)
        if (!strchr(LETTERS_AND_DIGITS "_", *at) && (at == name || !strchr(".-", *at)))
            *at = '_';
    return string_format("%s:%s-%.*s", PREPARE_REPOSITORY, name, HASH_DIGITS, digits);
}

int prepare_check_steps(const struct strvec *steps, struct error *error)
{
    size_t bytes = 0;

    if (steps->count > PREPARE_STEPS_MAX)
        return error_set(error, ERROR_USAGE, "more than %d steps", PREPARE_STEPS_MAX);
    for (size_t i = 0; i < steps->count; i++) {
        const char *step = steps->items[i];
        const size_t length = strlen(step);

        if (text_is_blank(step, length))
            return error_set(error, ERROR_USAGE, "a step is empty");
        if (!text_is_utf8(step))
            return error_set(error, ERROR_USAGE, "a step is not valid UTF-8");
        bytes += length;
    }
    if (bytes > PREPARE_STEPS_BYTES_MAX)
        return error_set(error, ERROR_USAGE, "steps of more than %d bytes",
                         PREPARE_STEPS_BYTES_MAX);
    return 0;
}

static int check_file(const struct strvec *files, size_t at, struct error *error)
{
    const char *path = files->items[at], *name = text_file_name(path);
    CLEANUP_FREE char *shown = text_escape(path);

    if (!text_is_utf8(path))
        return error_set(error, ERROR_USAGE, "the path '%s' is not valid UTF-8", shown);
    if (path[0] != '/')
        return error_set(error, ERROR_USAGE, "the path '%s' is not absolute", shown);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return error_set(error, ERROR_USAGE, "the path '%s' does not end in a name", shown);
    for (size_t i = 0; i < at; i++)
        if (strcmp(text_file_name(files->items[i]), name) == 0)
            return error_set(error, ERROR_USAGE, "'%s' has the same name as another file", shown);
    return 0;
}

int prepare_check_files(const struct strvec *files, struct error *error)
{
    if (files->count > PREPARE_FILES_MAX)
        return error_set(error, ERROR_USAGE, "more than %d files and directories",
                         PREPARE_FILES_MAX);
    for (size_t i = 0; i < files->count; i++)
        if (check_file(files, i, error) != 0)
            return -1;
    return 0;
}

int prepare_check_network(const char *network, struct error *error)
{
    CLEANUP(sandbox_policy_release) struct sandbox_policy policy;

    sandbox_policy_init(&policy);
    return sandbox_policy_set_network(&policy, network, error);
}

bool prepare_is_package(const char *name)
{
    const size_t length = strlen(name);

    return length > 0 && length <= PREPARE_PACKAGE_MAX &&
           strchr(LETTERS_AND_DIGITS "@_", name[0]) &&
           strspn(name, LETTERS_AND_DIGITS "@._/+=-") == length;
}
