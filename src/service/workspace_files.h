/*
 * Files of a workspace: copied in, copied out and listed by a visit, which runs the file of its
 * supervisor as a program (supervisor/files.h). So what has hostile files to do with it is bounded
 * as a program is, and what it says is as little trusted.
 *
 * In each function false means that the result, which is empty before, says what failed.
 */
#ifndef SERVICE_WORKSPACE_FILES_H
#define SERVICE_WORKSPACE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "service/job_note.h"
#include "service/service.h"

/* All is borrowed. */
struct workspace_files {
    struct service *service;
    const struct config *config;
    const struct job_note *note;
    const struct notifier *cancel; /* or NULL */
};

enum workspace_entry_type { ENTRY_FILE, ENTRY_DIRECTORY, ENTRY_LINK, ENTRY_OTHER };

struct workspace_entry {
    enum workspace_entry_type type;
    unsigned mode; /* permissions */
    unsigned long long bytes;
    long long modified; /* seconds since 1970 */
    const char *name;   /* any bytes but slashes; in the `text` of the list */
};

struct workspace_list {
    struct workspace_entry *items; /* owned; sorted by name */
    size_t count;
    char *text; /* owned */
};

#define WORKSPACE_LIST_INIT                                                                        \
    {                                                                                              \
        .items = NULL                                                                              \
    }

void workspace_list_release(struct workspace_list *list);

/*
 * Reads what came from a workspace, `length` bytes with a NUL after them, into an empty list, which
 * takes over the text. False: it is not a list.
 */
bool workspace_list_read(struct workspace_list *list, char *text, size_t length);

/*
 * Lists what is in the directory, or the file itself. Paths in a workspace are relative to its
 * working directory, or absolute.
 */
bool workspace_files_list(const struct workspace_files *files, const char *path,
                          struct workspace_list *list, struct result *result);

/*
 * Copies files and directories of this host, "DIR/." for what is in a directory, to the path: into
 * it, if it is a directory or ends with a slash or there are several; else the one gets this name.
 */
bool workspace_files_put(const struct workspace_files *files, const struct strvec *sources,
                         const char *path, struct result *result);

/*
 * Copies the files, and those below the directories, to the artifacts of the result, under the last
 * names of the paths, which lose slashes at their end; "DIR/." is what is in a directory, but what
 * begins with a dot. What cannot be copied is in artifacts.missing.
 */
bool workspace_files_get(const struct workspace_files *files, struct strvec *paths,
                         struct result *result);

#endif
