/*
 * What a program is executed with. The other half is in supervisor/program.c.
 */
#include "supervisor/program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* More than the kernel takes: three quarters of the stack it gives to a program (execve(2)). */
enum { WORDS_MAX = 8 << 20 };

/* A copy of the text; NULL if all the words together become too long, or if it has a NUL. */
static char *copy_word(struct program *program, const char *text, size_t length)
{
    program->bytes += length + 1 + sizeof(char *);
    if (program->bytes > WORDS_MAX || memchr(text, '\0', length))
        return NULL;
    return string_format("%.*s", (int)length, text);
}

bool program_add_argument(struct program *program, const char *text, size_t length)
{
    char *word = copy_word(program, text, length);

    if (word)
        strvec_push_owned(&program->arguments, word);
    return word != NULL;
}

/* The length of the name in "NAME=VALUE" or "NAME". */
static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

bool program_set_variable(struct program *program, const char *text, size_t length)
{
    struct strvec *environment = &program->environment;
    char *word = copy_word(program, text, length);
    struct strvec kept = STRVEC_INIT;

    if (!word)
        return false;
    for (size_t i = 0; i < environment->count; i++)
        if (name_length(environment->items[i]) != name_length(word) ||
            strncmp(environment->items[i], word, name_length(word)) != 0)
            strvec_push(&kept, environment->items[i]);
    strvec_release(environment);
    *environment = kept;
    if (strchr(word, '='))
        strvec_push_owned(environment, word);
    else
        free(word);
    return true;
}

void program_extend_path(struct program *program, const char *directory)
{
    for (size_t i = 0; i < program->environment.count; i++) {
        char *variable = program->environment.items[i];

        if (strncmp(variable, "PATH=", 5) != 0)
            continue;
        program->environment.items[i] = string_format("%s:%s", variable, directory);
        free(variable);
    }
}

bool program_set_directory(struct program *program, const char *text, size_t length)
{
    if (program->directory || length == 0 || length >= PATH_MAX)
        return false;
    program->directory = copy_word(program, text, length);
    return program->directory != NULL;
}
