/*
 * The supervisor script: the few lines of POSIX shell that are process 1 of an instance, and how
 * isolator talks to it.
 *
 * What goes in, on the container's stdin: one line with the size of a tar stream in bytes, then the
 * tar stream. After that stdin stays open. The stream holds a directory ".isolator-NONCE" with the
 * program to run (command, environment) and its stdin, and the files of the workdir. Three things
 * may follow: the line "stop", the line "files" when the program has ended, or the end of stdin.
 *
 * What comes out, between the bytes of the program: frames. A frame is a NUL, the nonce, a space,
 * words and a newline.
 *
 * - "ready", on stderr: the supervisor waits for the request; the image has a shell and the tools.
 * - "fail WORD", on stderr. Instead of "ready", WORD is "tools" (one of tar, head, rm, sleep is
 *   missing) or "workdir". After "ready" it is "unpack": the program could not be started.
 * - "begin", on both streams: the program runs from now on.
 * - "end", on stdout: the program has ended.
 * - "end STATUS OOM PEAK CPU", on stderr: exit status, number of processes that the OOM killer
 *   ended, peak memory in bytes, CPU time in microseconds; "-" for a figure that the kernel does
 *   not give.
 * - "files", on stdout, after the line "files" was read: a tar of the workdir follows, and nothing
 *   else.
 *
 * Bytes before "begin" do not come from the program: they are messages of the docker command or of
 * the supervisor. Bytes after "end", except for the tar, come from processes that the program left
 * running; they are dropped.
 *
 * The stdin is the lifeline. Process 1 does nothing but wait on it, and no signal from inside the
 * container can kill or stop process 1. When isolator ends, for whatever reason, the pipe closes,
 * process 1 exits, and the kernel ends every process of the container. "stop" asks for the same,
 * but the "end" frames are sent first, so that the figures of a program that timed out are known.
 *
 * If the supervisor could not make itself unreadable (see supervisor.c), a hostile program can hold
 * the pipe open. So the supervisor also keeps a timer, which ends the container some seconds after
 * the timeout, whatever the program does. A shell whose `read` is not interrupted by a trap (bash)
 * has no such timer.
 *
 * The supervisor runs as the program's user in the program's container, so a program can forge what
 * the supervisor says. Everything that arrives is parsed as hostile input, and no safety rests on
 * it.
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

/* The argv of a container whose process 1 is the supervisor. The caller releases it. */
struct strvec supervisor_command(const char *nonce, const char *workdir);

/*
 * Fills the archive, which is open and empty, with the supervisor's directory: the plan's command,
 * environment and stdin. The archive is not finished, since the archive of the workdir follows it
 * in the same stream. ERROR_SYSTEM if the host refuses memory or the stdin of the plan cannot be
 * read.
 */
int supervisor_control(const struct plan *plan, const char *nonce, struct archive *archive,
                       struct error *error);

enum supervisor_state {
    SUPERVISOR_WAITING, /* before "begin" */
    SUPERVISOR_RUNNING, /* between "begin" and "end": bytes of the program */
    SUPERVISOR_ENDED,   /* after "end" */
    SUPERVISOR_FILES    /* after "files": bytes of the tar */
};

/* One output stream of a container, parsed into frames and the bytes of the program. */
struct supervisor_stream {
    const char *nonce; /* borrowed */
    enum supervisor_state state;
    bool ready;
    bool wants_files; /* set by the caller that sends "files"; else all after "end" is dropped */
    struct strbuf pending;  /* the start of what may become a frame */
    struct strbuf preamble; /* the first SUPERVISOR_PREAMBLE_MAX bytes that came before "begin" */
    char failure[16];       /* WORD of "fail"; "" if there was none */
    /* Of "end"; -1: not known. */
    int status;
    long long oom_kills, peak_bytes, cpu_us;
};

enum { SUPERVISOR_PREAMBLE_MAX = 4096 };

void supervisor_stream_init(struct supervisor_stream *stream, const char *nonce);
void supervisor_stream_release(struct supervisor_stream *stream);

/* Takes bytes of the program (SUPERVISOR_RUNNING) or of the tar (SUPERVISOR_FILES). */
typedef void supervisor_sink(void *context, enum supervisor_state state, const char *data,
                             size_t length);

/* Parses bytes as they arrive, and passes those that are not frames to the sink. */
void supervisor_stream_feed(struct supervisor_stream *stream, const char *data, size_t length,
                            supervisor_sink *sink, void *context);

#endif
