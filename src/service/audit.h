/*
 * The audit file: a line for each run, with what an administrator wants to know later, and nothing
 * that may be secret: no code, no names of files, no output, no errors, no variables, no id of a
 * session. A line is one JSON object:
 *
 *   {"time": "2026-11-26T10:43:32.123Z",        when the run had ended
 *    "caller": {"uid": 1000, "user": "ann", "pid": 4711, "program": "isolator-mcp"},
 *    "container": "isolator-0b1d...", "language": "python",
 *    "codeSha256": "9f86d0...",                  of the program as it was sent, or of the cell
 *    "image": "python:3.11-alpine", "imageId": "sha256:...",
 *    "limits": {"timeoutSeconds": 60, ...},
 *    "network": "none",                          or, with a proxy, as in the result
 *    "hosts": ["example.com:443"],               if the request has asked for some, or for none
 *    "tests": 0,
 *    "status": "error", "reason": "timeout", "exitCode": 137, "signal": "SIGKILL",
 *    "durationMs": 60000, "cpuMs": 30000, "peakMemoryBytes": 4700000,
 *    "checker": {"image": "...", "container": "isolator-94f2..."}}    if its tests have one
 *
 * A job has two lines: the first one, when it starts, has the status "started" and no figures, and
 * the other one, when its result is fetched, no codeSha256.
 *
 * Members that are not known are null: codeSha256 if the program could not be read, imageId if
 * there was no container or the engine does not answer. The id of an image is asked for once a
 * minute.
 *
 * Several processes may write to one file: it is opened for each line, which is appended by one
 * write(2). So it can be renamed at any time.
 */
#ifndef SERVICE_AUDIT_H
#define SERVICE_AUDIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "request/plan.h"
#include "run/result.h"

enum { AUDIT_IMAGES = 16 };

struct audit {
    const char *file; /* borrowed; NULL: there is no audit file */
    pthread_mutex_t lock;
    bool torn; /* the last write was incomplete; with the lock */
    struct audit_image {
        char *name, *id; /* owned */
        long long asked; /* clock_now_ms() */
    } images[AUDIT_IMAGES];
    size_t oldest; /* of the images: the one to replace next */
};

/*
 * Borrows the path, which may be NULL, and creates the file unless it exists, for its owner alone.
 * ERROR_CONFIG if it cannot be written, or is not a regular file.
 */
int audit_open(struct audit *audit, const char *file, struct error *error);

/* Adds the first line of a job; otherwise as below. */
int audit_add_start(struct audit *audit, const struct docker *docker, const struct plan *plan,
                    const char *container, const char *image, const struct notifier *cancel,
                    struct error *error);

/*
 * Adds the line of a run that has ended; `plan` still has its program. Does nothing without an
 * audit file, or if `audit` is NULL. If `cancel` is raised, the engine is not asked. ERROR_SYSTEM
 * if the line is not written.
 */
int audit_add(struct audit *audit, const struct docker *docker, const struct plan *plan,
              const struct result *result, const struct notifier *cancel, struct error *error);

void audit_close(struct audit *audit);

#endif
