/*
 * Which file of a directory is the program, if no one has said so: a solution of several files,
 * such as solutions/alice with Main.java in it.
 */
#ifndef CLI_PROGRAM_DIRECTORY_H
#define CLI_PROGRAM_DIRECTORY_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"

/* Files of a directory that have the extension of a language; more are an error. */
enum { PROGRAM_DIRECTORY_FILES_MAX = 10000 };

/*
 * Returns the name of the program in a directory, owned by the caller: of the files whose extension
 * belongs to a language (`language`, or any if it is NULL), the only one; else the only one that is
 * called like a program; else, if all are of one language that builds all sources together, the
 * first. NULL with ERROR_INPUT, which says what to do.
 *
 * Called like a program is, best first: __main__.py (problem package format 2025-09, "Other
 * programs" and the table of languages; python3 DIRECTORY runs it, too), the default file name of
 * the language, and main.* in any case of letters (problemtools 1.20260620, languages.py).
 */
char *program_directory_find(const char *directory, const char *language,
                             const struct config *config, struct error *error);

/* Whether a directory, which can be read, has no file whose extension belongs to such a language.
 */
bool program_directory_has_none(const char *directory, const char *language,
                                const struct config *config);

/* Returns the name of the only program that is called so, owned by the caller; NULL: there is none.
 */
char *program_directory_default(const char *directory, const char *language,
                                const struct config *config);

/* The first program, owned by the caller; NULL: there is none, or they are of several languages. */
char *program_directory_any(const char *directory, const char *language,
                            const struct config *config);

#endif
