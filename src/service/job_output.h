/*
 * What a job has written so far, from its log: for people who watch it. The result does not come
 * from here (judge/job_run.h).
 */
#ifndef SERVICE_JOB_OUTPUT_H
#define SERVICE_JOB_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "service/job_note.h"

struct job_output {
    /* Takes bytes of stdout (0) or stderr (1). What a build writes is stderr, as with --stream. */
    void (*take)(void *context, int stream, const char *data, size_t length);
    /* So many bytes of the stream are left out here. */
    void (*omitted)(void *context, int stream, unsigned long long bytes);
    /* Whether more is wanted. */
    bool (*go_on)(void *context);
    void *context;
};

/*
 * Passes on the output of a job and, with `follow`, what it writes until it ends. ERROR_ENGINE if
 * the engine does not give the log, or if it was changed; ERROR_CANCELLED.
 */
int job_output_read(const struct docker *docker, const struct job_note *note, bool follow,
                    const struct job_output *output, const struct notifier *cancel,
                    struct error *error);

#endif
