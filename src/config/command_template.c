#include "config/command_template.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/drivers.h"

/* The path without the extension of its last part; owned. */
static char *stem_of(const char *path)
{
    const char *name = text_file_name(path);
    const char *dot = strrchr(name, '.');

    return dot && dot > name ? string_format("%.*s", (int)(dot - path), path) : string_copy(path);
}

struct mark {
    const char *text, *value;
    bool is_path; /* a name like "-c" would be an option of the interpreter, so it gets a "./" */
};

/* The mark that the word has next, and where; NULL: none. */
static const struct mark *next_mark(const struct mark *marks, const char *word, const char **at)
{
    const struct mark *first = NULL;

    for (const struct mark *mark = marks; mark->text; mark++) {
        const char *found = strstr(word, mark->text);

        if (found && (!first || found < *at)) {
            first = mark;
            *at = found;
        }
    }
    return first;
}

/* Returns the word with the marks replaced; owned. */
static char *fill_in(const char *word, const struct mark *marks)
{
    const char *rest = word, *at = NULL;
    struct strbuf filled = STRBUF_INIT;
    const struct mark *mark;

    while ((mark = next_mark(marks, rest, &at))) {
        strbuf_add(&filled, rest, (size_t)(at - rest));
        if (mark->is_path && at == word && mark->value[0] == '-')
            strbuf_addstr(&filled, "./");
        strbuf_addstr(&filled, mark->value);
        rest = at + strlen(mark->text);
    }
    strbuf_addstr(&filled, rest);
    return strbuf_steal(&filled);
}

/* Whether the word needs the value of a mark that has none. */
static bool is_left_out(const char *word, const struct mark *marks)
{
    for (; marks->text; marks++)
        if (!marks->value && strstr(word, marks->text))
            return true;
    return false;
}

static void fill_words(struct strvec *command, const struct strvec *words, const struct mark *marks)
{
    for (size_t i = 0; i < words->count; i++)
        if (!is_left_out(words->items[i], marks))
            strvec_push_owned(command, fill_in(words->items[i], marks));
}

void command_fill(struct strvec *command, const struct strvec *words, const char *entrypoint,
                  const char *workdir, const char *standard)
{
    CLEANUP_FREE char *stem = stem_of(entrypoint);
    const struct mark marks[] = {
        {COMMAND_ENTRYPOINT, entrypoint, true},
        {"{stem}", stem, true},
        {"{workdir}", workdir, false},
        {COMMAND_STANDARD, standard && *standard ? standard : NULL, false},
        {NULL, NULL, false},
    };

    fill_words(command, words, marks);
}

void command_fill_session(struct strvec *command, const struct strvec *words, const char *workdir)
{
    static const char python[] = "{python_driver}", javascript[] = "{javascript_driver}";
    const struct mark marks[] = {
        {python, driver_text(python), false},
        {javascript, driver_text(javascript), false},
        {"{workdir}", workdir, false},
        {python, driver_text(python), false},
        {javascript, driver_text(javascript), false},
        {NULL, NULL, false},
    };

    fill_words(command, words, marks);
}

bool command_has(const struct strvec *words, const char *mark)
{
    for (size_t i = 0; i < words->count; i++)
        if (strstr(words->items[i], mark))
            return true;
    return false;
}
