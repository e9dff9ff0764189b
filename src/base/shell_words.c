#include "base/shell_words.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "@%+,./:_-";

    return *word && word[strspn(word, plain)] == '\0';
}

static void add_quoted(struct strbuf *out, const char *word)
{
    strbuf_addch(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            strbuf_addstr(out, "'\\''");
        else
            strbuf_addch(out, *word);
    strbuf_addch(out, '\'');
}

void shell_words_add(struct strbuf *out, const struct strvec *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            strbuf_addch(out, ' ');
        if (is_plain(words->items[i]))
            strbuf_addstr(out, words->items[i]);
        else
            add_quoted(out, words->items[i]);
    }
}
