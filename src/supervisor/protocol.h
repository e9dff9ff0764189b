/*
 * The protocol between isolator and the supervisor, which is process 1 of each container. It runs
 * over the attached stdin and stdout of the container.
 *
 * A frame is a header of FRAME_HEADER bytes and a payload. All numbers are little-endian.
 *
 *     offset  0  4 bytes  length of the payload, at most FRAME_PAYLOAD_MAX
 *             4  1 byte   type
 *             5  3 bytes  0
 *
 * From isolator to the supervisor ("state" is when the frame may come):
 *
 *     frame        state    payload
 *     SEAL         waiting  struct frame_seal: what follows in both directions is sealed, see below
 *     ARGUMENT     waiting  the next word of the program's argv
 *     ENVIRONMENT  waiting  NAME=VALUE to set a variable, NAME to remove one
 *     FILES        waiting  the next bytes of a tar archive, unpacked in the working directory
 *     CODE         waiting  the next bytes of the cell for an interpreter that stays
 *     RUN          waiting  struct frame_run: run the program, or the cell. The archive, if there
 *                           is one, has to be complete. BEGUN or FAILED follows; for a cell not
 *                           before STDIN_END has arrived
 *     INTERRUPT    any      none: send SIGINT to the interpreter, if a cell runs
 *     STDIN        any      bytes for the program's stdin; need credit
 *     STDIN_END    any      none: no more bytes follow
 *     NETWORK      any      bytes for the relay; need credit, and are dropped while there is none
 *     CREDIT       any      struct frame_credit, for STDOUT, STDERR, REPORT, FILES or NETWORK
 *     EXTEND       any      struct frame_extend: more time for the program, from RUN to its end
 *     LET_GO       running  none: close what is held for the program, see below
 *     STOP         any      none: end the program, if it runs; END follows
 *     COLLECT      ended    struct frame_collect: send the files of the working directory
 *     RESET        ended    none: another request follows; the files of the working directory stay
 *     KEEP         waiting  struct frame_keep: keep a copy of the working directory, and empty each
 *                  ended    place where a program can leave something. The archive, if there is
 *                           one, has to be complete. KEPT or FAILED follows; ended after that
 *     RESTORE      ended    struct frame_restore, after KEPT: another request follows, as after
 *                           RESET. Each place where a program can leave something is emptied, and
 *                           the copy laid out; waiting after that. A failure is reported only
 *                           after the next RUN, so the frames of the request may come at once
 *     DETACH       waiting  struct frame_detach, only in a script, see below. DETACHED or FAILED
 *                  ended    follows; the state stays
 *
 * From the supervisor to isolator:
 *
 *     frame        state    payload
 *     HELLO        start    FRAME_HELLO_SIZE bytes, see struct frame_hello: it waits for a request
 *     FAILED       any      struct frame_failed and text: the program does not run. Comes in
 *                           place of HELLO, BEGUN, KEPT, or of END if BEGUN was sent
 *     BEGUN        waiting  none: the program is about to be executed
 *     STDOUT       running  bytes of the program's stdout; need credit
 *     STDERR       running  bytes of its stderr; need credit
 *     NETWORK      any      bytes of the relay (base/mux.h), from RUN to its end; need credit
 *     CREDIT       any      struct frame_credit, for STDIN or NETWORK
 *     STDIN_CLOSED running  none: the program has closed its stdin; more bytes are discarded
 *     REPORT       running  bytes of what the interpreter's driver reports of the cell, or of a
 * value; need credit LOOKED       running  struct frame_looked END          running  struct
 * frame_end: the program and all its processes have ended, and all its output was sent; after STOP,
 * what had credit. Or the cell has ended, see below FILES        ended    the next bytes of a tar
 * archive of the working directory; need credit TOO_LARGE    ended    the path of a file that is
 * not in the archive because of its size FILES_END    ended    none: nothing follows. If the
 * directory has too many entries or levels, the archive has no end KEPT         ended    struct
 * frame_kept DETACHED     any      none: no isolator is needed any more OMITTED      running struct
 * frame_omitted: bytes of STDOUT or STDERR that are left out here
 *
 * The supervisor is waiting after HELLO, RESET and RESTORE, running after BEGUN, ended after END,
 * FAILED and KEPT. A frame that is too long, has an unknown type or another form, or comes in
 * another state is an error, and so are STDIN and NETWORK without credit: the supervisor exits,
 * which ends the container, and isolator removes it.
 *
 * Cells. In a session (service/sessions.h) a request may be a cell: RUN has FRAME_RUN_CELL, and the
 * program is an interpreter that stays, with a driver in it (src/drivers). The first cell starts
 * it; until it has ended, the ARGUMENT and ENVIRONMENT frames of later cells are left out. It has
 * these descriptors:
 *
 *     0     a file that only the interpreter has: the driver gives it the stdin of each cell
 *     1, 2  pipes, as long as the interpreter lives
 *     3     the file of 0, to be written
 *     4     a pipe, to be read, that begins each cell: three numbers of 12 characters, filled up
 *           with spaces on the left, each with a space or at last a newline after it: the number
 *           of the cell, from 1 on, and how many bytes of CODE and of STDIN follow. The end of the
 *           pipe ends the session
 *     5     a pipe, to be written: a NUL, the number of the cell in the same 12 characters, and
 *           the report up to a NUL, which ends the cell. What has another number is discarded
 *
 * STDIN of a cell is kept until STDIN_END, and granted again at once.
 *
 * At the end of a cell all processes are stopped, what they have written is sent, and all but the
 * interpreter are killed; the next cell continues it. With FRAME_RUN_KEEP_PROCESSES, which can come
 * with any RUN, nothing is stopped or killed when the program or the cell has ended by itself, and
 * what processes write until the next RUN is discarded. CPU time and OOM kills of a request count
 * from the end of the one before it if that has left processes; if they use up the rest of its CPU
 * time before the next RUN, the supervisor exits.
 *
 * If the interpreter ends, so does the cell, and END tells how; if it has ended between two cells,
 * the next one is BEGUN and has this END. While an interpreter stays, RUN is for a cell, and
 * neither ARGUMENT, ENVIRONMENT, KEEP nor RESTORE may come. FAILED for a cell that has an
 * interpreter leaves that as it is: also if STOP comes before STDIN_END has arrived, which is
 * ECANCELED.
 *
 * Values. RUN with FRAME_RUN_VALUE gives the program a pipe as descriptor 3, to be written, whose
 * bytes REPORT carries. The program is ended if these are more than `report_max`, as for its
 * output. Neither FRAME_RUN_CELL nor FRAME_RUN_KEEP_PROCESSES may come with it.
 *
 * Interaction. Two programs in two containers can talk: a program that is tested, and an
 * interactor. The containers have a volume in common with two FIFOs, which belong to root. RUN with
 * FRAME_RUN_INTERACTOR is sent to the one first: its supervisor holds ends of both FIFOs, so that
 * the interactor reads no end of file before LET_GO, and that no write fails. Once it has BEGUN,
 * RUN with FRAME_RUN_JOINED is sent to the other one. Each program has its end of a FIFO as stdin
 * and as stdout, which no frame carries then. What the interactor says before LET_GO does not come
 * from how the program has ended. For programs that isolator itself joins, RUN has
 * FRAME_RUN_AT_ONCE alone.
 *
 * Credit. isolator may send FRAME_STDIN_WINDOW bytes of STDIN and of NETWORK, the supervisor
 * FRAME_WINDOW of STDOUT, STDERR, REPORT, FILES and NETWORK, and after that as many as were
 * granted. RESET and RESTORE renew the credit of STDIN and NETWORK. Both sides always read, since
 * nothing that arrives needs more room than was granted: an order to stop and the end of the
 * supervisor's stdin never wait for bytes that no one takes. FILES to the supervisor need no
 * credit, since it unpacks them as they arrive.
 *
 * Seals. gVisor lets a program open the descriptors of process 1: it can write to the supervisor's
 * stdout, and take bytes from its stdin. So if HELLO says that the kernel is gVisor's, isolator
 * sends keys that no program sees, since none has run. From then on the bytes of all frames are
 * carried by lines (base/sealed_lines.h), and either side breaks off at one that is not the next.
 *
 * Scripts. A job goes on without isolator, so its container has no connection. The supervisor gets
 * a key as its second argument, whose first JOB_NAME_LENGTH characters are the name of a file in
 * JOB_DIRECTORY: a script, with the frames that isolator would send. One that may come only in a
 * later state waits until then, and STDIN until there is room. Nothing needs credit, and no CREDIT
 * is sent. Of the output of a program only `head_max` and `tail_max` bytes of struct frame_run are
 * sent. The supervisor exits when all that it has to send is written and the script has ended:
 * after its last frame, after one that must not come, after a FAILED for KEEP or DETACH, or after a
 * program that was to succeed (FRAME_RUN_MUST_SUCCEED) and has not. What it sends goes to its
 * stdout as lines (base/sealed_lines.h) of that key.
 *
 * The directory of the script belongs to root and cannot be listed, and the key is random and
 * overwritten in the arguments of the supervisor. So no program finds the script. With gVisor one
 * can, but does not learn the rest of the key. None can write to the volume.
 *
 * The end of its stdin means that isolator has ended or has no more use for the container: the
 * supervisor exits at once, and the kernel ends every other process of the container. The
 * supervisor does the same when the time of struct frame_run is over, without a frame.
 */
#ifndef SUPERVISOR_PROTOCOL_H
#define SUPERVISOR_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

enum frame_type {
    FRAME_ARGUMENT = 1,
    FRAME_ENVIRONMENT,
    FRAME_FILES,
    FRAME_RUN,
    FRAME_STDIN,
    FRAME_STDIN_END,
    FRAME_CREDIT,
    FRAME_STOP,
    FRAME_COLLECT,
    FRAME_RESET,
    FRAME_HELLO,
    FRAME_FAILED,
    FRAME_BEGUN,
    FRAME_STDOUT,
    FRAME_STDERR,
    FRAME_STDIN_CLOSED,
    FRAME_END,
    FRAME_TOO_LARGE,
    FRAME_FILES_END,
    FRAME_KEEP,
    FRAME_RESTORE,
    FRAME_KEPT,
    FRAME_CODE,
    FRAME_INTERRUPT,
    FRAME_REPORT,
    FRAME_DETACH,
    FRAME_DETACHED,
    FRAME_OMITTED,
    FRAME_SEAL,
    FRAME_NETWORK,
    FRAME_EXTEND,
    FRAME_LET_GO,
    FRAME_LOOKED
};

/*
 * The channels from the supervisor to isolator: each carries bytes in frames of its own type, for
 * which the supervisor needs credit. A new one is a row here and in frame_channel_type()
 * (supervisor/frame_header.h), a file of the supervisor that fills it, and a function of isolator's
 * that takes it (container/instance.c).
 */
enum frame_channel {
    CHANNEL_STDOUT,
    CHANNEL_STDERR,
    CHANNEL_FILES,
    CHANNEL_REPORT,
    CHANNEL_NETWORK,
    CHANNELS
};

enum {
    FRAME_HEADER = 8,
    /* The longest argument of execve(2), without its NUL (MAX_ARG_STRLEN of Linux). */
    FRAME_PAYLOAD_MAX = 131071,
    /* Bytes that may be on their way: of STDIN, and of each stream that the supervisor sends. */
    FRAME_STDIN_WINDOW = 65536,
    FRAME_WINDOW = 262144,
    /* The bytes of a stream that one frame carries. */
    FRAME_CHUNK = 32768
};

/* The key of a job with its NUL, in hexadecimal digits, and how many of them name its script. */
enum { JOB_KEY_SIZE = 49, JOB_NAME_LENGTH = 16 };

/* Its directory, and the file that orders the end of the job: as STOP, and nothing follows. */
#define JOB_DIRECTORY "/.isolator/scripts"
#define JOB_STOP_FILE "/.isolator/stop"

/* The FIFOs of an interaction: what the program reads, and what the interactor reads. */
#define FIFO_DIRECTORY     "/.isolator"
#define FIFO_TO_PROGRAM    "to-program"
#define FIFO_TO_INTERACTOR "to-interactor"

/*
 * HELLO is longer than two pages on purpose: a pipe keeps the pages of what was read from it, so
 * that a later frame needs no new ones when the container is out of memory.
 */
#define FRAME_HELLO_MAGIC "isolator supervisor"
enum { FRAME_VERSION = 13, FRAME_LOG_VERSION = 7, FRAME_HELLO_SIZE = 3 * 4096 };

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
    uint64_t linger_ms;  /* so long after END likewise */
    uint64_t output_max; /* the program is ended if it writes more bytes to one stream */
    uint64_t cpu_max_us; /* and if its processes use more CPU time; 0: no limit */
    uint64_t stack_max;  /* bytes that its stack may have; 0: the limit of the container stays */
    uint32_t flags;      /* of enum frame_run_flag */
    uint32_t report_max; /* bytes of a cell's report, of which the rest is discarded, or a value */
    /* In a script: so many first and last bytes of each stream are sent. 0 elsewhere. */
    uint64_t head_max, tail_max;
    /* Of the proxy and of tools, what its relay carries (base/mux.h). Both 0: it has none. */
    uint32_t connections, tools;
    uint64_t look_ms; /* so long after its start LOOKED is sent, if it runs; 0: never */
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
    FRAME_RUN_VALUE = 256 /* descriptor 3 of the program carries a value, see "Values" */
};

/* What a program waits for, all of whose threads sleep: input, or room for its output. */
enum frame_wait { FRAME_WAIT_NOTHING, FRAME_WAIT_INPUT, FRAME_WAIT_OUTPUT };

struct frame_looked {
    uint64_t idle_ms; /* since something was written to either FIFO, if it is joined */
    uint32_t wait;    /* enum frame_wait */
    uint32_t zero;
};

struct frame_extend {
    uint64_t ms; /* by so much later `timer_ms` and `late_ms` are over */
};

/* So many more bytes of a stream may be sent. */
struct frame_credit {
    uint32_t stream; /* enum frame_type */
    uint32_t bytes;
};

struct frame_collect {
    uint64_t file_max; /* a file of more bytes is reported by TOO_LARGE */
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
    uint64_t max;    /* bytes that the copy may have */
    uint64_t max_ms; /* how long KEEP may take */
};

struct frame_kept {
    uint64_t bytes; /* that the copy has */
};

struct frame_restore {
    uint64_t max_ms; /* how long RESTORE may take */
};

/* Waits until the limits, which isolator lowers after a build, are no higher. 0: any will do. */
struct frame_detach {
    uint64_t memory_max; /* bytes; those of the copy that KEEP has made and 1 MiB come on top */
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
    FRAME_STEP_LIMITS, /* DETACH. ETIME: they were not lowered; ENOTSUP: the kernel has no word */
    FRAME_STEP_JOIN    /* open the FIFOs */
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
    uint32_t stays;      /* 1: the interpreter of a cell waits for the next one; 0: it has ended */
    uint64_t wall_us;    /* from the program's start to its end */
    uint64_t cpu_us;     /* CPU time of all its processes */
    uint64_t peak_bytes; /* the container's maximum use of memory, since it was started */
    /* The most that the program was seen to use: the largest resident set of one of its processes
     * that were waited for, or if memory was sampled what it added to the container's, if more. */
    uint64_t used_bytes;
    uint64_t oom_kills;   /* processes that the kernel killed for memory meanwhile */
    uint64_t memory_full; /* how often the memory of the container was full meanwhile */
    uint64_t refused;     /* processes and threads that the kernel did not start, for their limit */
    uint64_t written[2];  /* bytes that were read from its stdout and stderr */
};

/* The architectures that isolator runs on store numbers in this order. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little-endian");

#endif
