/*
 * A child process and its three streams. This module does not know what the child does.
 *
 * process_start() starts the child with posix_spawnp(3), in a process group of its own, so that
 * Ctrl-C on a terminal does not reach it, and with all signals at their defaults. process_pump() is
 * the one loop that moves bytes: from the queue to stdin, and from stdout and stderr to the
 * caller's sink. The same poll() waits for the deadline and the cancel descriptor, so that no child
 * can block its caller. It returns when the caller has to decide something, and can be called
 * again.
 *
 * Only waiting for the end of the child is specific to Linux (pidfd, Linux 5.3).
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/strbuf.h"
#include "base/strvec.h"

enum process_stdin {
    PROCESS_STDIN_NULL, /* /dev/null */
    PROCESS_STDIN_FILE, /* a file, which the child reads itself, from its start */
    PROCESS_STDIN_PIPE, /* a pipe, for process_write() and a source */
};

enum process_stream { PROCESS_STDOUT, PROCESS_STDERR };

/*
 * Adds the next bytes for stdin to the queue, which is empty, or none if there are none now. Called
 * whenever all that was queued is written.
 */
typedef void process_source(void *context, struct strbuf *queue);

struct process_options {
    const struct strvec *arguments; /* argv; [0] is looked up on PATH */
    enum process_stdin stdin_kind;
    int stdin_file; /* for PROCESS_STDIN_FILE; borrowed */
    /*
     * The child writes its stdout to our stderr, for a command that shows its progress. Then
     * process_pump() gets only what it writes to its stderr.
     */
    bool show_stdout;
    int extra_file;       /* the child has it as PROCESS_EXTRA_FILE; borrowed; not above 0: none */
    const char *variable; /* "NAME=VALUE", added to our environment; NULL: none */
    const struct strvec *environment; /* all of its variables; NULL: ours, with `variable` */
    /* Its working directory, from which a relative path in argv[0] or PATH starts; NULL: ours. */
    const char *directory;
};

/* The descriptor of an extra file in the child. */
#define PROCESS_EXTRA_FILE 3

struct process {
    pid_t pid; /* 0 while there is no child */
    int pidfd;
    int in, out[2];         /* our ends; -1 if closed. out[] is indexed by enum process_stream */
    struct strbuf queue;    /* for stdin, not yet written */
    process_source *source; /* of more; NULL: none */
    void *source_context;
    bool exited;
    int status; /* once exited: 0-255, or 128 + the signal that ended it */
};

#define PROCESS_INIT                                                                               \
    {                                                                                              \
        .pid = 0, .pidfd = -1, .in = -1, .out = {-1, -1}, .queue = STRBUF_INIT                     \
    }

/*
 * Keeps an environment variable of ours from every child that starts from now on, for example one
 * that has a secret. Threads may call it at any time.
 */
void process_withhold(const char *variable);

/*
 * Starts the child. ERROR_SYSTEM; ERROR_ENGINE if the program does not exist or cannot be executed
 * (ENOENT, EACCES, ENOTDIR), as that of the engine: a caller that starts another program changes
 * the kind. After a failure no descriptor stays open.
 */
int process_start(struct process *process, const struct process_options *options,
                  struct error *error);

/* Queues bytes for stdin. */
void process_write(struct process *process, const char *data, size_t length);

/* Closes the child's stdin, drops what is still queued, and forgets the source. */
void process_close_stdin(struct process *process);

/*
 * Takes bytes of the child's output. If it returns false, process_pump() returns PROCESS_PAUSED
 * after it has passed on all bytes that it has read.
 */
typedef bool process_sink(void *context, enum process_stream stream, const char *data,
                          size_t length);

/* Another child whose output is read at the same time. The result of its sink is ignored. */
struct process_drain {
    struct process *process;
    process_sink *sink; /* NULL: read and discard */
    void *context;
};

struct process_pump {
    process_sink *sink; /* NULL: read and discard */
    void *context;
    long long deadline; /* clock_now_ms(); 0: none */
    int cancel;         /* a descriptor that becomes readable to cancel; -1: none */
    /*
     * Called before each wait: adds descriptors of the caller's own (base/loop.h). They come after
     * the output of the child. NULL: none.
     */
    void (*watch)(void *context, struct loop *loop);
    const struct process_drain *drain; /* NULL: none */
    /* Looked at after each wait: true ends it with PROCESS_PAUSED, whichever descriptor that came
     * by. NULL: the sink alone pauses. */
    bool (*is_done)(const void *context);
    bool needs_pipes; /* PROCESS_PAUSED too when stdin or stdout is closed and the child goes on */
};

#define PROCESS_PUMP_INIT                                                                          \
    {                                                                                              \
        .cancel = -1                                                                               \
    }

enum process_event {
    PROCESS_EXITED,   /* the child has ended, and the sink got all of its output */
    PROCESS_PAUSED,   /* the sink returned false, is_done() true, or a pipe that is needed is closed
                       */
    PROCESS_DEADLINE, /* the deadline has passed */
    PROCESS_CANCELLED, /* the cancel descriptor is readable */
};

/* Moves bytes until one of the events. Does not change the child. */
enum process_event process_pump(struct process *process, const struct process_pump *pump);

/*
 * Kills the child if it still runs, waits for its end, and closes and frees everything. Legal after
 * PROCESS_INIT alone.
 */
void process_release(struct process *process);

#endif
