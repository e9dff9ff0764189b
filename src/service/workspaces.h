/*
 * Workspaces: containers that outlive the isolator that made them, and in which commands run, one
 * visit after the other, from any process of the user. As a job, a workspace is found by its id or
 * name, has a file of the user (service/job_note.h), and is listed, stopped and removed as one; its
 * container, "isolator-workspace-ID", ends by itself when its lifetime is over, or it was not
 * used for a while.
 *
 *     create, cp, start, exec     makes one, and unpacks its files by a first visit
 *     exec                        each visit: a command, as a run has it, with its result
 *     cp, rm                      stop (an order) and removal, as of jobs
 */
#ifndef SERVICE_WORKSPACES_H
#define SERVICE_WORKSPACES_H

#include <stdbool.h>

#include "service/job_note.h"
#include "service/service.h"

struct workspace_start {
    struct service *service; /* all is borrowed */
    const struct plan *plan; /* without a program; its paths are the files */
    const char *name;        /* NULL: none */
    long long lifetime_seconds, idle_seconds;
    int keep_hours;  /* after its lifetime, after which what is left of it is removed */
    int max_running; /* no more workspaces of the user than this one may run then; 0: any number */
    const struct notifier *cancel; /* or NULL */
};

/*
 * Makes a workspace, and fills in its note, which is empty; the caller releases it. False: there is
 * none, and the result, which is empty, says why. It gets the warnings in either case.
 */
bool workspaces_create(const struct workspace_start *start, struct job_note *note,
                       struct result *result);

/*
 * Opens the note of a workspace, by its name, its id or the start of that. ERROR_USAGE also if this
 * is a job.
 */
int workspaces_open(struct job_note *note, const char *word, struct error *error);

/*
 * Completes a request for a command in the workspace, before it is resolved: language, image,
 * working directory, network and the limits of the container are those of the workspace. Code for
 * its shell becomes the command.
 */
void workspaces_complete(const struct job_note *note, struct request *request);

/*
 * Lets a request that names a workspace (request->workspace_name) run its command there: the same,
 * and the id. Without a command nothing runs; its files are written, and those that it asks for are
 * read, also those that commands before it were given or have returned. ERROR_USAGE.
 */
int workspaces_find(struct request *request, struct error *error);

/*
 * Runs the command of a plan in the workspace, after other visits that have begun before, and fills
 * in the result, which is empty, whatever happens. What it leaves running is killed.
 */
void workspaces_exec(struct service *service, const struct job_note *note, const struct plan *plan,
                     const struct run_observer *observer, const struct notifier *cancel,
                     struct result *result);

#endif
