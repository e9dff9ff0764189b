/*
 * What the frames carry that have a payload of their own form (supervisor/protocol.h), and the
 * version of all that.
 */
#ifndef SUPERVISOR_FRAME_PAYLOADS_H
#define SUPERVISOR_FRAME_PAYLOADS_H

#include <stdint.h>

/*
 * HELLO is longer than two pages on purpose: a pipe keeps the pages of what was read from it, so
 * that a later frame needs no new ones when the container is out of memory.
 */
#define FRAME_HELLO_MAGIC "isolator supervisor"
enum { FRAME_VERSION = 20, FRAME_LOG_VERSION = 7, FRAME_HELLO_SIZE = 3 * 4096 };

/* The payload of HELLO starts so; the rest are zeros. */
struct frame_hello {
    char magic[20]; /* FRAME_HELLO_MAGIC with its NUL */
    uint32_t version;
    uint32_t is_gvisor; /* the kernel is gVisor's: it does not say by itself what limits it keeps */
};

/* The keys of the lines to the supervisor and from it: texts that end with a NUL. */
struct frame_seal {
    char to[33], from[33];
};

struct frame_run {
    uint64_t timer_ms;   /* so long after its start the container ends itself; 0: never */
    uint64_t late_ms;    /* and the program is killed, if STOP came too late; 0: never */
    uint64_t linger_ms;  /* so long after END the container ends itself; 0: never */
    uint64_t output_max; /* the program is ended if it writes more bytes to one stream */
    uint64_t cpu_max_us; /* and if its processes use more CPU time; 0: no limit */
    uint64_t stack_max;  /* bytes that its stack may have; 0: the limit of the container stays */
    uint32_t flags;      /* of enum frame_run_flag */
    uint32_t report_max; /* bytes of a cell's report, of which the rest is discarded, or a value */
    /* In a script: so many first and last bytes of each stream are sent. 0 elsewhere. */
    uint64_t head_max, tail_max;
    /* Of the proxy and of tools, what its relay carries (base/mux.h). Both 0: it has none. */
    uint32_t connections, tools;
    uint64_t wait_state_ms; /* so long after its start WAIT_STATE is sent, if it runs; 0: never */
};

enum frame_run_flag {
    FRAME_RUN_CELL = 1,
    FRAME_RUN_KEEP_PROCESSES = 2,
    /* The program may open sockets of netlink, for routes. For cells the first one decides. */
    FRAME_RUN_NETLINK = 4,
    FRAME_RUN_SAMPLE_MEMORY = 8, /* for used_bytes of struct frame_end */
    FRAME_RUN_MUST_SUCCEED = 16, /* in a script: if its status is not 0, nothing follows */
    FRAME_RUN_AT_ONCE = 32,      /* output is sent as it comes, since an answer is waited for */
    FRAME_RUN_JOINED = 64,
    FRAME_RUN_INTERACTOR = 128,
    FRAME_RUN_VALUE = 256,       /* descriptor 3 of the program carries a value, see "Values" */
    FRAME_RUN_FRESH = 512,       /* no program that was made ready goes on */
    FRAME_RUN_FORK = 1024,       /* the program may be a fork of one that was made ready */
    FRAME_RUN_LAST = 2048,       /* no other request follows: END may come a little early */
    FRAME_RUN_STDIN_FILE = 4096, /* its stdin is a file; see "Standard input" */
    FRAME_RUN_ALL = 8191,
    FRAME_RUN_NOT_IN_SCRIPTS = FRAME_RUN_AT_ONCE | FRAME_RUN_JOINED | FRAME_RUN_INTERACTOR |
                               FRAME_RUN_VALUE | FRAME_RUN_FRESH | FRAME_RUN_FORK | FRAME_RUN_LAST,
    /* A RUN with one of these does not continue a ready program; one with a value can be a fork. */
    FRAME_RUN_NOT_READY =
        FRAME_RUN_JOINED | FRAME_RUN_INTERACTOR | FRAME_RUN_VALUE | FRAME_RUN_FRESH,
    /* These are not about how a program is started, in which a ready one must be the same. */
    FRAME_RUN_NOT_START = FRAME_RUN_KEEP_PROCESSES | FRAME_RUN_SAMPLE_MEMORY |
                          FRAME_RUN_MUST_SUCCEED | FRAME_RUN_AT_ONCE | FRAME_RUN_LAST
};

/* What a program waits for, all of whose threads sleep: input, or room for its output. */
enum frame_wait { FRAME_WAIT_NOTHING, FRAME_WAIT_INPUT, FRAME_WAIT_OUTPUT };

struct frame_wait_state {
    uint64_t idle_ms; /* since something was written to either FIFO, if it is joined */
    uint32_t wait;    /* enum frame_wait */
    uint32_t zero;
};

struct frame_ready {
    uint64_t bytes; /* memory that the container uses */
};

struct frame_extend {
    uint64_t ms; /* by so much later `timer_ms` and `late_ms` are over */
};

/* So many more bytes of a stream may be sent. */
struct frame_credit {
    uint32_t stream; /* enum frame_type */
    uint32_t bytes;
};

/* An exact copy of the directory, as KEEP makes it. What does not fit is still reported. */
#define FRAME_COLLECT_EXACT UINT64_MAX

struct frame_collect {
    uint64_t file_max; /* a file of more bytes is reported by TOO_LARGE; or FRAME_COLLECT_EXACT */
    uint64_t max;      /* bytes of the whole archive; what is beyond is reported by TOO_LARGE */
};

/*
 * The copy that KEEP makes is an archive in the memory of the supervisor, which counts against the
 * memory of the container. No program runs when it is made, and none can reach it. It has what
 * FILES can bring: directories, files with their times of modification, executable or not, and
 * symbolic links. Other kinds of files are left out. A second KEEP replaces it.
 *
 * While KEEP and RESTORE are handled, no other frame is, but the end of stdin ends the supervisor.
 * Both switch off the timer of the request before.
 */
struct frame_keep {
    uint64_t max;    /* bytes that the copy may have; 0: there is none, and the files stay */
    uint64_t max_ms; /* how long KEEP may take */
};

struct frame_kept {
    uint64_t bytes; /* that the copy has */
};

struct frame_restore {
    uint64_t max_ms;  /* how long RESTORE may take */
    uint64_t forgets; /* 1: nothing is laid out, and a copy of KEEP is given up; else 0 */
};

/* Waits until the limits, which isolator sets after a build, are no higher. 0: any will do. */
struct frame_detach {
    uint64_t memory_max; /* bytes; on top come, and must come, whole MiB for KEEP's copy */
    uint64_t cpu_max_us; /* CPU time in a second; 1 % comes on top */
    uint64_t pids_max;   /* processes and threads */
    uint64_t max_ms;     /* how long to wait */
};

/* They come after the head of a stream and before its tail, at the end of the program. */
struct frame_omitted {
    uint64_t bytes;
    uint32_t stream; /* FRAME_STDOUT or FRAME_STDERR */
    uint32_t zero;
};

/* What could not be done. The text after it is the path concerned. ETIME: it took too long. */
enum frame_step {
    FRAME_STEP_WORKDIR = 1,
    FRAME_STEP_UNPACK,
    FRAME_STEP_START,
    FRAME_STEP_EXEC,
    /*
     * Copying the working directory. EFBIG: the copy would be larger than `max`; E2BIG: there are
     * too many files; ENAMETOOLONG: too many levels, or a path is too long.
     */
    FRAME_STEP_KEEP,
    /*
     * Emptying what a program can write to. EPERM: the program's user can change what the path
     * names, and the supervisor cannot bring it back; "/": the root file system is writable.
     */
    FRAME_STEP_CLEAN,
    FRAME_STEP_CPU,    /* limit the CPU time: the kernel does not say how much is used */
    FRAME_STEP_LIMITS, /* DETACH. ETIME: they were not set; ENOTSUP: the kernel has no word */
    FRAME_STEP_JOIN,   /* open the FIFOs */
    FRAME_STEP_DIRECTORY /* enter the one in which the program is to start */
};

struct frame_failed {
    uint32_t step;  /* enum frame_step */
    uint32_t error; /* errno of Linux; 0: the archive is damaged */
};

/*
 * Why the program ended. FRAME_CAUSE_CPU comes also if the program ended by itself before it was
 * found to have used too much. FRAME_CAUSE_LATE: `late_ms` of struct frame_run were over.
 */
enum frame_cause {
    FRAME_CAUSE_ITSELF,
    FRAME_CAUSE_STOP,
    FRAME_CAUSE_OUTPUT,
    FRAME_CAUSE_CPU,
    FRAME_CAUSE_LATE
};

/* A figure is FRAME_UNKNOWN if the kernel does not give it. */
#define FRAME_UNKNOWN UINT64_MAX

struct frame_end {
    uint32_t cause;  /* enum frame_cause */
    uint32_t signal; /* that ended the program; 0: it exited with `status` */
    uint32_t status;
    uint16_t stays;      /* 1: the interpreter of a cell waits for the next one; 0: it has ended */
    uint8_t was_ready;   /* 1: it was started before the request, see "Ready programs"; 0: after */
    uint8_t is_full;     /* 1: a place where it could write had no room at its end; else 0 */
    uint64_t wall_us;    /* from the program's start to its end */
    uint64_t cpu_us;     /* CPU time of all its processes */
    uint64_t peak_bytes; /* the container's maximum use of memory, since it was started */
    /* The most that the program was seen to use: the largest resident set of one of its processes
     * that were waited for, or if memory was sampled what it added to the container's, if more.
     * With FRAME_RUN_LAST it may be unknown. */
    uint64_t used_bytes;
    uint64_t oom_kills;   /* processes that the kernel killed for memory meanwhile */
    uint64_t memory_full; /* how often the memory of the container was full meanwhile */
    uint64_t refused;     /* processes and threads that the kernel did not start, for their limit */
    uint64_t written[2];  /* bytes that were read from its stdout and stderr */
};

/* The architectures that isolator runs on store numbers in this order. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

#endif
