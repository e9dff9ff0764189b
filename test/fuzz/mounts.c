/*
 * Fuzz target: the table of mounts that the supervisor reads. The input is a line of it. These
 * properties are checked:
 *
 * - The line is read as a simple reader does that splits it into words first.
 * - A path is absolute and has no NUL. Written with escapes it is read as the same one.
 * - What comes after the line does not count.
 */
#include "fuzz.h"

#include "supervisor/mounts.h"

enum { WORDS_MAX = 64 };

struct words {
    char *items[WORDS_MAX]; /* owned */
    size_t count;
};

/* Splits the text at each blank. */
static struct words split(const char *text)
{
    struct words words = {.count = 0};

    for (;;) {
        const size_t length = strcspn(text, " ");

        words.items[words.count++] = string_format("%.*s", (int)length, text);
        if (text[length] == '\0' || words.count == WORDS_MAX)
            return words;
        text += length + 1;
    }
}

static void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
}

/* The path with its escapes replaced, owned; NULL: it is none. */
static char *read_path(const char *word)
{
    struct strbuf path = STRBUF_INIT;
    unsigned value;

    for (; *word; word++) {
        if (*word != '\\') {
            strbuf_addch(&path, *word);
            continue;
        }
        if (strspn(word + 1, "01234567") < 3 || sscanf(word + 1, "%3o", &value) != 1 ||
            value == 0 || value > 255) {
            strbuf_release(&path);
            return NULL;
        }
        strbuf_addch(&path, (char)value);
        word += 3;
    }
    if (strbuf_string(&path)[0] == '/' && path.length < PATH_MAX)
        return strbuf_steal(&path);
    strbuf_release(&path);
    return NULL;
}

static bool has_rw(const char *options)
{
    CLEANUP_FREE char *text = string_format(",%s,", options);

    return strstr(text, ",rw,") != NULL;
}

/* "PATH TYPE WRITABLE", owned; NULL: it is no line. */
static char *read_plainly(const struct words *words)
{
    CLEANUP_FREE char *path = words->count > 5 ? read_path(words->items[4]) : NULL;
    size_t hyphen = 6;

    while (hyphen < words->count && strcmp(words->items[hyphen], "-") != 0)
        hyphen++;
    if (!path || hyphen + 3 >= words->count || words->items[hyphen + 1][0] == '\0')
        return NULL;
    return string_format("%s %.31s %d", path, words->items[hyphen + 1],
                         has_rw(words->items[5]) && has_rw(words->items[hyphen + 3]));
}

static char *read_line(const char *line, size_t length)
{
    struct mount mount;

    if (!mount_parse(line, length, &mount))
        return NULL;
    fuzz_require(mount.path[0] == '/', "'%s'", mount.path);
    return string_format("%s %s %d", mount.path, mount.type, mount.writable);
}

static void check_equal(const char *got, const char *expected)
{
    fuzz_require(strcmp(got ? got : "", expected ? expected : "") == 0, "'%s', not '%s'", got,
                 expected);
}

/* Every byte of a path may be written as an escape. */
static void check_escapes(const char *path)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    struct mount mount;

    strbuf_addstr(&line, "1 1 0:1 / ");
    for (const char *byte = path; *byte; byte++)
        strbuf_addf(&line, "\\%03o", (unsigned char)*byte);
    strbuf_addstr(&line, " rw - tmpfs x rw");
    fuzz_require(mount_parse(strbuf_string(&line), line.length, &mount), "'%s'",
                 strbuf_string(&line));
    fuzz_require(strcmp(mount.path, path) == 0 && mount.writable, "'%s'", mount.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *text = fuzz_string(data, size);
    const size_t length = strlen(text);
    CLEANUP_FREE char *longer = string_format("%s - tmpfs x rw", text);
    CLEANUP_FREE char *got = read_line(text, length);
    CLEANUP_FREE char *again = read_line(longer, length);
    CLEANUP(words_release) struct words words = split(text);
    CLEANUP_FREE char *expected = NULL;
    struct mount mount;

    mount_parse((const char *)data, size, &mount); /* with its NULs */
    check_equal(again, got);
    if (words.count < WORDS_MAX) {
        expected = read_plainly(&words);
        check_equal(got, expected);
    }
    if (mount_parse(text, length, &mount))
        check_escapes(mount.path);
    return 0;
}
