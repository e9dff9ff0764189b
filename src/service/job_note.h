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

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/manifest.h"
#include "base/strvec.h"
#include "request/plan.h"
#include "service/job_files.h"
#include "supervisor/protocol.h"

enum { JOB_NAME_MAX = 64 };

struct job_note {
    char id[JOB_ID_SIZE];   /* 16 digits, those of its container */
    char *name;             /* given by hand; owned; NULL: none */
    char key[JOB_KEY_SIZE]; /* of its log */
    struct plan plan; /* what plan_note_read() gives of it; the image is the one that is used */
    struct manifest sent;
    struct strvec warnings; /* of the start */
    char *artifacts;        /* absolute path of the directory for its files; owned; NULL: none */
    long long ends;         /* seconds since 1970: at its timeout at the latest; 0: not known */
    long long expires;      /* seconds since 1970: no one is expected to want it after that */
    bool force;             /* existing files in it are replaced */
    bool of_model;          /* a model has started it, and waits for it */
    bool is_workspace;      /* and no job (service/workspaces.h) */
    json_t *batch_id;       /* of the request of a batch; a reference; NULL: none */
    long long batch_line;   /* its line, from 1; 0: the job is not of a batch */
    char *path;             /* of the file; owned */
    int lock;               /* the locked file; owned; -1: it is not */
    bool busy;              /* job_note_lock() has failed since it is locked */
    const char *sought;     /* what is looked for, in messages; a literal */
};

#define JOB_NOTE_INIT                                                                              \
    {                                                                                              \
        .plan = PLAN_INIT, .lock = -1, .sought = "job"                                                              \
    }

/* ERROR_USAGE if this cannot be the name of a job or workspace (`kind`): letters, digits and "_.-", no
 * id. */
int job_note_check_name(const char *name, const char *kind, struct error *error);

/*
 * Creates the file of a new job, whose id and name are set, and locks it; then writes it, with the
 * plan, which is another one than the note's; then renames it. Before that it begins with a dot, so
 * that the job is not found: it is started when the file is renamed, and was never started if
 * isolator is killed before. ERROR_SYSTEM.
 */
int job_note_create(struct job_note *note, struct error *error);
int job_note_write(struct job_note *note, const struct plan *plan, struct error *error);
int job_note_publish(struct job_note *note, struct error *error);

/*
 * Finds the job by its name, its id or the start of that, and reads its file. ERROR_USAGE if there
 * is none or several, ERROR_SYSTEM if the file cannot be read. The second one also locks it, and
 * fails if it is locked for half a second.
 */
int job_note_open(struct job_note *note, const char *word, struct error *error);
int job_note_lock(struct job_note *note, const char *word, struct error *error);

/* ERROR_USAGE if this is a workspace, which has no result of its own. */
int job_note_check_job(const struct job_note *note, struct error *error);

/* Adds the ids of all jobs, and with `names` their names, for completion. */
void job_notes_list(struct strvec *words, bool names);

/* What the file of the job with this id tells: that it is started, or begins with a dot. */
enum job_stage { JOB_STAGE_NONE, JOB_STAGE_STARTING, JOB_STAGE_STARTED };
enum job_stage job_note_stage(const char *id);

/* Adds "ID" or "ID.NAME" of each job that an isolator is starting now, which has its file locked.
 */
void job_notes_starting(struct strvec *names);

/*
 * Locks the file of the job with this id and reads nothing, so that it may be damaged; a job
 * without a file needs no lock. False: another isolator works on the job.
 */
bool job_note_claim(struct job_note *note, const char *id);

/*
 * Removes the files of jobs that have expired before `now` (seconds since 1970), and those that an
 * isolator was killed in writing, if no one has them locked.
 */
void job_notes_prune(long long now);

/* Removes the file. */
void job_note_remove(const struct job_note *note);

void job_note_release(struct job_note *note);

#endif
