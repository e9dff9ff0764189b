/*
 * The snippets: small programs that are built in (prompts/), or those in the directory promptsDir
 * if the configuration has one. There a snippet is a regular file directly in it, with a name in
 * UTF-8 that does not begin with a dot. Links are not followed. A snippet has the extension of a
 * language.
 *
 * A snippet is called by its file name or by its base name, which is the file name up to its last
 * dot. A file name goes before a base name.
 */
#ifndef REQUEST_SNIPPETS_H
#define REQUEST_SNIPPETS_H

#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"

/* Whether the directory, if there is one, can be read: 0, or -1 with ERROR_INPUT. */
int snippets_check(const struct config *config, struct error *error);

/* Adds the file names of all snippets, sorted; none if the directory cannot be read. */
void snippets_list(const struct config *config, struct strvec *files);

/*
 * Adds for each of these file names, sorted as snippets_list() adds them, the shortest name that
 * stands for this snippet alone: its base name, or else its file name.
 */
void snippets_shortest_names(const struct strvec *files, struct strvec *names);

/*
 * Returns the file name of the snippet that a name stands for; owned by the caller. NULL with
 * ERROR_USAGE if there is none (the message lists all snippets) or if it is the base name of
 * several (the message lists these).
 */
char *snippet_find(const struct config *config, const char *name, struct error *error);

/*
 * Returns the content of the snippet in a file, owned by the caller; a NUL that does not count
 * follows it. NULL: ERROR_USAGE if there is no such snippet, ERROR_INPUT if it cannot be read or is
 * larger than 512 KiB.
 */
char *snippet_read(const struct config *config, const char *file, size_t *length,
                   struct error *error);

/*
 * Returns the text of the comment that the snippet begins with ("# ..." or "// ..."), on one line;
 * owned by the caller; NULL if there is none.
 */
char *snippet_description(const struct config *config, const char *file);

/* Returns the type by the file's extension, "text/x-python"; borrowed. */
const char *snippet_mime_type(const char *file);

#endif
