/*
 * Completion in shells: what fits in the place of the last word of a command line. The scripts in
 * share/completions ask `PROGRAM complete -- WORD...`, with the words after the program's name, of
 * which the last is the one being typed, maybe empty. The program prints a line for each candidate:
 * the whole word, and after a tab its description if it has one. The line ":files" or
 * ":directories" stands for paths, which the shell completes itself.
 *
 * Names of images, networks and languages are untrusted, and a shell could execute them. So a
 * candidate is only offered if none of its characters has a meaning to a shell.
 *
 * This module knows the tables of options. Values that come from elsewhere, for example from the
 * engine, are added by the caller.
 */
#ifndef CONFIG_OPTION_COMPLETION_H
#define CONFIG_OPTION_COMPLETION_H

#include <stddef.h>

#include "base/strbuf.h"
#include "config/options.h"

struct option_completion {
    struct strbuf lines;       /* to print */
    const char *word;          /* the one being typed; borrowed */
    size_t value_at;           /* where in it the value begins: 0, or after "--option=" */
    enum option_values values; /* that the caller has to add; VALUES_UNKNOWN: none */
    const char *config;        /* the value of an earlier --config; NULL: none; borrowed */
};

#define OPTION_COMPLETION_INIT                                                                     \
    {                                                                                              \
        .lines = STRBUF_INIT, .word = ""                                                           \
    }

/*
 * Returns the words of `PROGRAM complete -- WORD...`, up to a NULL, of which there is at least one;
 * NULL if argv is another command line.
 */
char **option_completion_words(char **argv);

/*
 * Adds what fits. `words` are those after the command, up to a NULL; the last is the one being
 * typed.
 */
void option_completion_find(struct option_completion *completion, const struct option_table *table,
                            char *const *words);

/* Adds the candidate if it fits and is safe. `description` may be NULL. */
void option_completion_add(struct option_completion *completion, const char *candidate,
                           const char *description);

/* The same for each candidate of a list, with spaces or commas between them. */
void option_completion_add_list(struct option_completion *completion, const char *list);

void option_completion_release(struct option_completion *completion);

#endif
