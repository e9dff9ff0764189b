/*
 * The place of a new job among those of its user: its name, and its number of those that run at
 * once. Both are decided, and its file is created, while no other start of this user decides, so
 * that two starts at the same moment cannot get the same one.
 */
#ifndef SERVICE_JOB_PLACE_H
#define SERVICE_JOB_PLACE_H

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "service/job_note.h"

struct job_place {
    const struct docker *docker;
    int max_running;       /* no more jobs, with this one, may run or be started; 0: any number */
    const char *when_full; /* what to do then, for the message; NULL: nothing is added */
    long long deadline;    /* clock_now_ms(); another start may be slow */
    const struct notifier *cancel; /* or NULL */
};

/*
 * Creates the file of the note, whose id and name are set (job_note_create()). ERROR_USAGE if
 * another one has its name, ERROR_INPUT if too many run, ERROR_SYSTEM, ERROR_ENGINE.
 */
int job_place_take(const struct job_place *place, struct job_note *note, struct error *error);

#endif
