/*
 * The names of the files of jobs (service/job_note.h). Knows nothing of what is in them.
 */
#ifndef SERVICE_JOB_FILES_H
#define SERVICE_JOB_FILES_H

#include <stdbool.h>

#include "base/strvec.h"
#include "request/request.h"

/* The digits of an id. */
#define JOB_ID_DIGITS "0123456789abcdef"

/* The path of the directory, which may not exist; owned. */
char *job_files_directory(void);

/* Splits the name of a file; `*name`, borrowed, is NULL if the job has none. False: it is of no
 * job. */
bool job_file_split(const char *file, char id[JOB_ID_SIZE], const char **name);

/*
 * Adds the names of the files of jobs, or of those that begin with a dot since their jobs are not
 * started yet.
 */
void job_files_list(struct strvec *files, bool unfinished);

/*
 * Adds the names of those that a word may mean: that of the job with this name, or those of the ids
 * that begin with it.
 */
void job_files_find(const char *word, bool unfinished, struct strvec *found);

#endif
