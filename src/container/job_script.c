#include "container/job_script.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/linux.h"

/*
 * The pieces of a stream that may be shorter than SHORT_BYTES (supervisor/output_stream.c), and
 * what one piece costs in the log in addition to its bytes: the headers of its frame and of its
 * line, and what an engine writes with each line.
 */
enum { SHORT_PIECES = 16384, SHORT_BYTES = 1024, PIECE_BYTES = 160 };

/* Frames of a program that carry no output: BEGUN, END, FAILED with a path, and others. */
enum { FRAMES_BYTES = 16384 };

/* HELLO and the frames of KEEP and DETACH, and what an engine has at the start of a log. */
enum { LOG_EXTRA = 1 << 20 };

int job_script_open(struct job_script *script, struct error *error)
{
    *script = (struct job_script){.file = linux_unnamed_disk_file()};
    return script->file >= 0
               ? 0
               : error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
}

void job_script_release(struct job_script *script)
{
    cleanup_fd(&script->file);
}

void job_script_add(struct job_script *script, struct strbuf *frames)
{
    if (script->error == 0 && io_write_all(script->file, frames->data, frames->length) != 0)
        script->error = errno;
    strbuf_release(frames);
}

void job_script_add_request(struct job_script *script, struct supervisor_link *link)
{
    CLEANUP(strbuf_release) struct strbuf frames = STRBUF_INIT;

    do {
        job_script_add(script, &frames);
        link->input_credit = FRAME_STDIN_WINDOW; /* the supervisor reads as it has room */
        supervisor_link_send(link, &frames);
    } while (frames.length > 0 && script->error == 0);
}

void job_script_count_program(struct job_script *script, const struct program_request *request)
{
    const size_t head = program_request_head_max(request);
    const size_t tail = program_request_tail_max(request);

    script->output_bytes += 2 * ((unsigned long long)head + tail) + FRAMES_BYTES;
    script->output_pieces += 2 * (SHORT_PIECES + (head + tail) / SHORT_BYTES);
}

void job_script_count_files(struct job_script *script, long long max)
{
    script->output_bytes += (unsigned long long)max + FRAMES_BYTES;
    script->output_pieces += (unsigned long long)max / SHORT_BYTES;
}

void job_script_detach(struct job_script *script, const struct container_limits *limits,
                       long long max_ms)
{
    CLEANUP(strbuf_release) struct strbuf frames = STRBUF_INIT;
    struct frame_detach order = {.max_ms = (uint64_t)max_ms};

    if (limits) {
        order.memory_max = (uint64_t)limits->memory_mb << 20;
        order.cpu_max_us = (uint64_t)ceil(limits->cpus * 1e6);
        order.pids_max = (uint64_t)limits->pids;
    }
    supervisor_link_detach(&order, &frames);
    job_script_add(script, &frames);
}

unsigned long long job_script_log_max(const struct job_script *script)
{
    const unsigned long long bytes =
        script->output_bytes + script->output_pieces * PIECE_BYTES + LOG_EXTRA;

    return bytes / 3 * 4 + LOG_EXTRA;
}
