/*
 * What the supervisor of a job has written, read from its log: lines (base/sealed_lines.h) that
 * carry the frames it would have sent to isolator. Knows no docker command. The log is untrusted: a
 * line that is not the next one of this job ends it.
 */
#ifndef CONTAINER_JOB_LOG_H
#define CONTAINER_JOB_LOG_H

#include <stdbool.h>

#include "base/sealed_reader.h"
#include "base/strbuf.h"
#include "container/supervisor_link.h"

struct job_log {
    struct sealed_reader reader;
    struct strbuf frames; /* bytes of frames, of which `done` were handled */
    size_t done;
};

/* `key` is that of the job. job_log_release() frees it. */
void job_log_init(struct job_log *log, const char *key);
void job_log_release(struct job_log *log);

/* Takes the next bytes of the log. */
void job_log_add(struct job_log *log, const char *data, size_t length);

/* Whether job_log_next() has a frame. */
bool job_log_has_frame(const struct job_log *log);

/* The next frame, borrowed until the next call. False: none is complete, or it has a bad header. */
bool job_log_take(struct job_log *log, enum frame_type *type, const char **payload, size_t *length);

/* Hands the next frame to the link. False: none is complete. */
bool job_log_next(struct job_log *log, struct supervisor_link *link,
                  const struct supervisor_handler *handler, void *context);

#endif
