/*
 * What a user's isolator keeps of a job on this host, in $XDG_STATE_HOME/isolator/jobs (or below
 * ~/.local/state): a file of mode 0600, whose name is the job's id or "ID.NAME", with what is
 * needed to compute its result from the log. The outputs that its tests expect are there and
 * nowhere else.
 *
 * Who works on a job has its file locked (flock(2)), so a result is fetched once. A job whose
 * file is gone has been fetched or removed.
 */
#ifndef SERVICE_JOB_NOTE_H
#define SERVICE_JOB_NOTE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/manifest.h"
#include "base/strvec.h"
#include "request/plan.h"

enum { JOB_NAME_MAX = 64, JOB_KEY_SIZE = 33 };

struct job_note {
    char id[JOB_ID_SIZE]; /* 16 digits, those of its container */
    char *name;           /* given by hand; owned; NULL: none */
    char key[JOB_KEY_SIZE];
    struct plan plan; /* what plan_note_read() gives of it; the image is the one that is used */
    struct manifest sent;
    struct strvec warnings; /* of the start */
    char *artifacts;        /* absolute path of the directory for its files; owned; NULL: none */
    long long ends;         /* seconds since 1970: at its timeout at the latest; 0: not known */
    long long expires;      /* seconds since 1970: no one is expected to want it after that */
    bool force;             /* existing files in it are replaced */
    char *path;             /* of the file; owned */
    int lock;               /* the locked file; owned; -1: it is not */
};

#define JOB_NOTE_INIT                                                                              \
    {                                                                                              \
        .plan = PLAN_INIT, .lock = -1                                                              \
    }

/* ERROR_USAGE if this cannot be the name of a job: letters, digits and "_.-", no id. */
int job_note_check_name(const char *name, struct error *error);

/* ERROR_USAGE if a job has this name. */
int job_note_check_free(const char *name, struct error *error);

/* Writes the file of a new job, whose plan is another one, and locks it. ERROR_SYSTEM. */
int job_note_write(struct job_note *note, const struct plan *plan, struct error *error);

/*
 * Finds the job by its name, its id or the start of that, and reads its file. ERROR_USAGE if there
 * is none or several, ERROR_SYSTEM if the file cannot be read. The second one also locks it, and
 * fails if it is locked.
 */
int job_note_open(struct job_note *note, const char *word, struct error *error);
int job_note_lock(struct job_note *note, const char *word, struct error *error);

/* Adds the ids and the names of all jobs, for completion. */
void job_notes_list(struct strvec *words);

/*
 * Remove the files of a job with this id, if it is not locked; of jobs that have expired before
 * `now` (seconds since 1970), which leave the files of those that failed to start.
 */
void job_note_forget(const char *id);
void job_notes_prune(long long now);

/* Removes the file. */
void job_note_remove(const struct job_note *note);

void job_note_release(struct job_note *note);

#endif
