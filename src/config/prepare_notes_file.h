/*
 * The file of the notes of `isolator prepare` as JSON: reading it, and replacing it while other
 * processes may do the same. What is in it is the business of config/prepare_notes.h.
 */
#ifndef CONFIG_PREPARE_NOTES_FILE_H
#define CONFIG_PREPARE_NOTES_FILE_H

#include <jansson.h>

#include "base/error.h"

/* The path of the file, owned. */
char *prepare_notes_path(void);

/* Returns the JSON of the file, a new reference; {} without a file; NULL with ERROR_CONFIG. */
json_t *prepare_notes_load(const char *path, struct error *error);

/*
 * Locks the directory of the notes, so that two processes that prepare at once do not lose each
 * other's notes. Closing the descriptor releases the lock. Returns -1 if there is no directory yet,
 * or another process keeps the lock; then the work goes on without it.
 */
int prepare_notes_lock(const char *path);

/*
 * Writes a new file and renames it, so that readers never see half of it. ERROR_SYSTEM, also if
 * the file would be too large to be read again.
 */
int prepare_notes_replace(const char *path, const json_t *root, struct error *error);

#endif
