/*
 * The gate: the few lines of POSIX shell that are process 1 of a sandbox, and how we talk to it.
 *
 * What goes in, on the container's stdin: one line with the size of a tar stream in bytes, then the
 * tar stream, then nothing; stdin stays open. The stream holds a directory ".isolator-NONCE" with
 * the program to run (command, environment) and its stdin, and the files of the workdir. Three things
 * may follow: the line "stop", the line "files" when the program has ended, or the end of stdin.
 *
 * What comes out, between the bytes of the program: marks. A mark is a NUL, the nonce, a space,
 * words and a newline.
 *   ready       on stderr, when the gate waits for the request: the image has a shell and the tools
 *   fail WORD   on stderr, instead of "ready": "tools" (one of tar, head, rm, sleep is missing),
 *               "workdir"; or behind it, when the program could not be started: "unpack"
 *   begin       on both streams, right before the program runs
 *   end         on stdout, when the program has ended
 *   end STATUS OOM PEAK CPU
 *               on stderr: exit status, processes that the OOM killer ended, the most memory used
 *               in bytes, CPU time in microseconds; "-" for what the kernel does not say
 *   files       on stdout, when the line "files" was read: a tar of the workdir follows, and nothing else
 * What stands before "begin" is not the program's: it is the docker command's or the gate's own
 * complaint. What follows "end", but for the tar, was written by processes that the program left
 * behind; it is dropped.
 *
 * The stdin is the lifeline. Process 1 does nothing but wait on it, and a signal from inside the
 * container cannot kill or stop process 1: when the tool dies for whatever reason the pipe closes,
 * process 1 exits, and the kernel ends every process of the container. "stop" asks for the same
 * with the end marks, so that what a timed-out program used is known. Where the gate could not make
 * itself unreadable (see gate.c), a hostile program can hold the pipe open; so the gate also keeps a
 * timer, which ends the container some seconds after the timeout whatever the program does. A shell
 * whose `read` a trap does not interrupt (bash) has no such timer.
 *
 * The gate runs as the program's user in the program's container. Its word is the program's word:
 * it is parsed as hostile, and no safety rests on it.
 */
#ifndef RUN_SUPERVISOR_H
#define RUN_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/archive.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "config/plan.h"

enum { SUPERVISOR_NONCE_SIZE = 33 }; /* 32 hexadecimal digits and a NUL */

/* The argv of a container whose process 1 is the gate. The caller releases it. */
struct strvec supervisor_command(const char *nonce, const char *workdir);

/*
 * Fills the archive, which is open and empty, with the gate's directory: the plan's command,
 * environment and stdin. It is left unfinished: the files of the workdir follow as a second one.
 */
int supervisor_control(const struct plan *plan, const char *nonce, struct archive *archive,
                       struct error *error);

enum supervisor_state {
    SUPERVISOR_WAITING, /* before "begin" */
    SUPERVISOR_RUNNING, /* between "begin" and "end": the program's bytes */
    SUPERVISOR_ENDED,
    SUPERVISOR_FILES, /* behind "files": the tar */
};

/* One output stream of a container, taken apart into the program's bytes and marks. */
struct supervisor_stream {
    const char *nonce; /* borrowed */
    enum supervisor_state state;
    bool ready;
    bool
        wants_files; /* set by the caller where "files" was sent: without, nothing behind the end counts */
    struct strbuf pending;  /* the start of what may become a mark */
    struct strbuf preamble; /* what stood before "begin", at most SUPERVISOR_PREAMBLE_MAX bytes */
    char failure[16];       /* WORD of "fail", "" where none came */
    /* of "end"; -1: not known */
    int status;
    long long oom_kills, peak_bytes, cpu_us;
};

enum { SUPERVISOR_PREAMBLE_MAX = 4096 };

void supervisor_stream_init(struct supervisor_stream *stream, const char *nonce);
void supervisor_stream_release(struct supervisor_stream *stream);

/* Takes bytes as they arrive and passes on those of the program (SUPERVISOR_RUNNING) and of the tar (SUPERVISOR_FILES). */
typedef void supervisor_sink(void *context, enum supervisor_state state, const char *data,
                             size_t length);
void supervisor_stream_feed(struct supervisor_stream *stream, const char *data, size_t length,
                            supervisor_sink *sink, void *context);

#endif
