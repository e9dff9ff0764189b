/*
 * The files of promptsDir: small programs by name. Only regular files that lie in it themselves, with
 * the extension of a language and a name that is UTF-8 and does not begin with a dot, count; no link
 * is followed.
 */
#ifndef CONFIG_SNIPPETS_H
#define CONFIG_SNIPPETS_H

#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"

/* Whether the directory can be read: 0, or -1 with ERROR_INPUT. */
int snippets_check(const struct config *config, struct error *error);

/* The names, sorted; none where the directory cannot be read. */
void snippets_list(const struct config *config, struct strvec *names);

/*
 * What is in the snippet, owned by the caller, with a NUL behind it that does not count. NULL:
 * ERROR_USAGE where the name cannot be one or there is none of it (with those that there are),
 * ERROR_INPUT where it cannot be read or is larger than 512 KiB.
 */
char *snippet_read(const struct config *config, const char *name, size_t *length,
                   struct error *error);

/*
 * The words of the comment that the snippet begins with ("# ..." or "// ..."), on one line; owned by the
 * caller; NULL where there is none.
 */
char *snippet_description(const struct config *config, const char *name);

/* The type by the file's extension, "text/x-python"; borrowed. */
const char *snippet_mime_type(const char *name);

#endif
