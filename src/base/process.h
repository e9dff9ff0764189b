/*
 * A child process with its three streams: started, pumped, ended. Knows nothing of what it runs.
 *
 * How it works. process_start() spawns the child with posix_spawnp, in a process group of its own
 * (the terminal's Ctrl-C must not reach it) and with the signals at their defaults. process_pump()
 * is the one loop that moves all bytes: what is queued for stdin goes in, stdout and stderr come
 * out to the caller's sink, and deadline and cancel descriptor are watched in the same poll, so
 * that nothing the child does can hold the caller up. It returns whenever the caller has to decide
 * something; the caller calls it again to go on.
 *
 * Only waiting for the end of the child is specific to Linux (pidfd, Linux 5.3).
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"

enum process_stdin {
    PROCESS_STDIN_NULL, /* /dev/null */
    PROCESS_STDIN_FILE, /* the child reads the given descriptor itself, from its start */
    PROCESS_STDIN_PIPE, /* what process_write() and process_write_file() queue */
};

enum process_stream { PROCESS_STDOUT, PROCESS_STDERR };

struct process_options {
    const struct strvec *arguments; /* argv; [0] is looked up on PATH */
    enum process_stdin stdin_kind;
    int stdin_file; /* for PROCESS_STDIN_FILE; borrowed */
    /*
     * Whether stdout and stderr of the child are our own stderr, for what shows a person its
     * progress: then nothing comes out of a pump.
     */
    bool inherit_stderr;
};

struct process {
    pid_t pid; /* 0 while there is no child */
    int pidfd;
    int in, out[2];      /* our ends; -1 if closed. out[] is indexed by enum process_stream */
    struct strbuf queue; /* for stdin, not yet written */
    int files[2];        /* go to stdin after the queue, one after the other; borrowed, -1: none */
    off_t file_at;       /* in files[0] */
    bool exited;
    int status; /* once exited: 0-255, or 128 + the signal that ended it */
};

#define PROCESS_INIT                                                                               \
    {                                                                                              \
        .pid = 0, .pidfd = -1, .in = -1, .out = {-1, -1}, .queue = STRBUF_INIT, .files = {         \
            -1,                                                                                    \
            -1                                                                                     \
        }                                                                                          \
    }

/*
 * Starts the child. Fails with ERROR_SYSTEM, or with ERROR_ENGINE if the program does not exist
 * or cannot be executed (errno ENOENT, EACCES): the only program this project starts is the
 * engine's command. It then holds nothing: what is left of the descriptors may be needed to clean
 * up.
 */
int process_start(struct process *process, const struct process_options *options,
                  struct error *error);

/*
 * Queue for stdin: bytes, which go before any file, or everything in a file (read with pread from
 * its start; borrowed; at most two).
 */
void process_write(struct process *process, const char *data, size_t length);
void process_write_file(struct process *process, int file);

/* Ends the child's stdin, whatever is still queued. */
void process_close_stdin(struct process *process);

/*
 * Takes bytes from the child. Returning false makes process_pump() return PROCESS_PAUSED as soon as
 * it has handed over what it has read.
 */
typedef bool process_sink(void *context, enum process_stream stream, const char *data,
                          size_t length);

/* Another child, whose output is taken meanwhile, whatever the sink returns. */
struct process_drain {
    struct process *process;
    process_sink *sink; /* NULL: read and discard */
    void *context;
};

struct process_pump {
    process_sink *sink; /* NULL: read and discard */
    void *context;
    long long deadline; /* clock_now_ms(); 0: none */
    int cancel;         /* descriptor that becomes readable to cancel; -1: none */
    /*
     * Descriptors that the sink writes to, by stream; -1: none. The child is read only while they
     * are writable, at most PIPE_BUF bytes at a time, so that one of them that takes nothing holds
     * up neither the other stream nor the deadline.
     */
    int throttle[2];
    size_t most[2];                    /* bytes that one read of a stream takes; 0: no limit */
    const struct process_drain *drain; /* NULL: none */
};

#define PROCESS_PUMP_INIT                                                                          \
    {                                                                                              \
        .cancel = -1, .throttle = { -1, -1 }                                                       \
    }

enum process_event {
    PROCESS_EXITED,    /* the child has ended and everything it wrote was handed over */
    PROCESS_PAUSED,    /* the sink asked for it */
    PROCESS_DEADLINE,  /* the deadline has passed */
    PROCESS_CANCELLED, /* the cancel descriptor is readable */
};

/* Moves bytes until one of the events; the child is left as it is. */
enum process_event process_pump(struct process *process, const struct process_pump *pump);

/* Kills the child if it still runs, waits for it, closes and frees everything. Legal after INIT. */
void process_release(struct process *process);

#endif
