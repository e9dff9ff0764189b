/*
 * The script of a job (supervisor/protocol.h): the frames that isolator would send to a supervisor
 * that it is connected to, in a file. An instance with a script (container/instance.h) writes it in
 * place of sending, and takes each request to succeed: so what writes a script is what runs a
 * program, and the two cannot differ.
 */
#ifndef CONTAINER_JOB_SCRIPT_H
#define CONTAINER_JOB_SCRIPT_H

#include "base/error.h"
#include "container/supervisor_link.h"
#include "docker/container_limits.h"

struct job_script {
    int file; /* owned, without a name; -1: not open */
    /* What the program may make the supervisor write, in bytes and in pieces. */
    unsigned long long output_bytes, output_pieces;
    int error; /* errno: why it could not be written; 0: it was */
};

#define JOB_SCRIPT_INIT                                                                            \
    {                                                                                              \
        .file = -1                                                                                 \
    }

/* ERROR_SYSTEM. */
int job_script_open(struct job_script *script, struct error *error);
void job_script_release(struct job_script *script);

/* Writes frames. A failure is in script->error. */
void job_script_add(struct job_script *script, struct strbuf *frames);

/* Writes what the link has to send of its request. */
void job_script_add_request(struct job_script *script, struct supervisor_link *link);

/* Counts what a program may write; what the files of COLLECT may have, in bytes. */
void job_script_count_program(struct job_script *script, const struct program_request *request);
void job_script_count_files(struct job_script *script, long long max);

/* Writes DETACH: the container has to have these limits then. NULL: any. */
void job_script_detach(struct job_script *script, const struct container_limits *limits,
                       long long max_ms);

/* The most bytes that the log of the job can have on the engine. */
unsigned long long job_script_log_max(const struct job_script *script);

#endif
