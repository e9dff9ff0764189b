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
 *     ATTACH       start    none, only in a workspace, see below: the first frame of each client.
 *                           HELLO follows
 *     SEAL         waiting  struct frame_seal: what follows in both directions is sealed, see below
 *     ARGUMENT     waiting  the next word of the program's argv
 *     ENVIRONMENT  waiting  NAME=VALUE to set a variable, NAME to remove one
 *     DIRECTORY    waiting  the path of the directory that the program starts in, from the working
 *                           directory on: at most PATH_MAX - 1 bytes, once, not for MAKE_READY
 *     FILES        waiting  the next bytes of a tar archive, unpacked in the working directory
 *     CODE         waiting  the next bytes of the cell for an interpreter that stays
 *     RUN          waiting  struct frame_run: run the program, or the cell. The archive, if there
 *                           is one, has to be complete. BEGUN or FAILED follows; for a cell, or
 *                           if stdin is a file, not before STDIN_END has arrived
 *     STORE        waiting  none: the files that were sent stay, and no program runs. The archive,
 *                           if there is one, has to be complete. Not in a script, and not after
 *                           COLLECT. STORED or FAILED follows; ended after that
 *     INTERRUPT    any      none: send SIGINT to the interpreter, if a cell runs
 *     STDIN        any      bytes for the program's stdin; need credit
 *     STDIN_END    any      none: no more bytes follow
 *     NETWORK      any      bytes for the relay; need credit, and are dropped while there is none
 *     CREDIT       any      struct frame_credit, for STDOUT, STDERR, REPORT, FILES or NETWORK
 *     EXTEND       any      struct frame_extend: more time for the program, from RUN to its end
 *     LET_GO       running  none: close what is held for the program, see below
 *     STOP         any      none: end the program, if it runs; END follows
 *     COLLECT      ended    struct frame_collect: send the files of the working directory
 *                  waiting  the same, once the program has ended; RUN with FRAME_RUN_LAST follows
 *     RESET        ended    none: another request follows; the files of the working directory stay
 *     KEEP         waiting  struct frame_keep: keep a copy of the working directory, and empty each
 *                  ended    place where a program can leave something. The archive, if there is
 *                           one, has to be complete. KEPT or FAILED follows; ended after that
 *     RESTORE      waiting  struct frame_restore, after KEPT unless it forgets the copy: another
 *                  ended    request follows, as after RESET. Each place where a program can leave
 *                           something is emptied, and the copy laid out; waiting after that. A
 *                           failure is reported only after the next RUN, KEEP, STORE or MAKE_READY,
 *                           so the frames of the request may come at once
 *     MAKE_READY   waiting  struct frame_run and a text: see "Ready programs". READY or FAILED
 *                           follows; ended after FAILED
 *     DETACH       waiting  struct frame_detach, only in a script, see below. DETACHED or FAILED
 *                  ended    follows; the state stays
 *
 * From the supervisor to isolator:
 *
 *     frame        state    payload
 *     HELLO        start    FRAME_HELLO_SIZE bytes, see struct frame_hello: it waits for a request
 *     FAILED       any      struct frame_failed and text: the program does not run. Comes in
 *                           place of HELLO, BEGUN, KEPT, STORED, READY, or of END if BEGUN was
 *                           sent
 *     BEGUN        waiting  none: the program is about to be executed
 *     STDOUT       running  bytes of the program's stdout; need credit
 *     STDERR       running  bytes of its stderr; need credit
 *     NETWORK      any      bytes of the relay (base/mux.h), from RUN to its end; need credit
 *     CREDIT       any      struct frame_credit, for STDIN or NETWORK
 *     STDIN_CLOSED running  none: the program has closed its stdin; more bytes are discarded
 *     REPORT       running  bytes that the driver of an interpreter reports of the cell, or of a
 *                           value; need credit
 *     WAIT_STATE       running  struct frame_wait_state
 *     END          running  struct frame_end: the program and all its processes have ended, and all
 *                           its output was sent; after STOP, what had credit. Or the cell has
 *                           ended, see below. With FRAME_RUN_LAST, which no other request follows
 *                           and which is neither for a cell nor in a script, the kernel may still
 *                           be freeing the memory of the program
 *     FILES        ended    the next bytes of a tar archive of the working directory; need credit
 *     TOO_LARGE    ended    the path of a file that is not in the archive because of its size
 *     FILES_END    ended    none: nothing follows. If the directory has too many entries or levels,
 *                           the archive has no end
 *     KEPT         ended    struct frame_kept
 *     STORED       ended    none, after STORE
 *     READY        waiting  struct frame_ready, after MAKE_READY
 *     DETACHED     any      none: no isolator is needed any more
 *     OMITTED      running  struct frame_omitted: bytes of a stream that are left out here
 *
 * The supervisor is waiting after HELLO, RESET and RESTORE, running after BEGUN, ended after END,
 * FAILED, KEPT and STORED. A frame that is too long, has an unknown type or another form, or comes
 * in another state is an error, and so are STDIN and NETWORK without credit: the supervisor exits,
 * which ends the container, and isolator removes it.
 *
 * Cells. In a session (service/sessions.h) a request may be a cell: RUN has FRAME_RUN_CELL, and the
 * program is an interpreter that stays, with a driver in it (src/drivers). The first cell starts
 * it; until it has ended, the ARGUMENT, ENVIRONMENT and DIRECTORY frames of later cells are left
 * out. It has these descriptors:
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
 * Standard input. It is a pipe, or with FRAME_RUN_STDIN_FILE a sealed file in memory, which the
 * kernel charges to the container: STDIN is written to it and granted again at once, and the
 * program begins after STDIN_END. Neither FRAME_RUN_CELL, FRAME_RUN_JOINED nor FRAME_RUN_INTERACTOR
 * may come with it.
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
 * neither ARGUMENT, ENVIRONMENT, DIRECTORY, KEEP nor RESTORE may come. FAILED for a cell that has an
 * interpreter leaves that as it is: also if STOP comes before STDIN_END has arrived, which is
 * ECANCELED.
 *
 * Ready programs. An interpreter can be started before its request comes: MAKE_READY ends its
 * words, variables and files. The supervisor traces it (ptrace(2)) until it is about to look at the
 * working directory for the first time, to start a process, or to read its first cell. It waits
 * there, and READY is sent. RUN lets it go on if the words, the variables and what struct frame_run
 * says of its start are the same, and it is killed otherwise, or with FRAME_RUN_FRESH, which says
 * that limits have changed. Of the struct of MAKE_READY only what says how it is started counts.
 *
 * Forks. After MAKE_READY with FRAME_RUN_FORK, what waits does not go on itself: each RUN with this
 * flag is a fork of it, as long as nothing but the forks' own processes has run meanwhile and none
 * of these is left (supervisor/ready/ready_template.h). If there can be no fork, the program is
 * started as always.
 *
 * The text is empty, the name of a driver among the files (src/drivers/call.py), or a variable. A
 * look at the driver does not count, so the interpreter loads it and waits at the next one.
 *
 * A variable more, "NAME=PATH", is how the interpreter finds a hook among the files
 * (src/drivers/preload.py). The hook reads from descriptor 3 the 12 digits of a length, and the
 * variables, each with its NUL, that were left out to make room for that one. It closes the
 * descriptor when it has undone this and loaded what it is for, or empties it if that is the file
 * of an interpreter that stays: what the interpreter looks at before that does not count.
 *
 * Values. RUN with FRAME_RUN_VALUE gives the program a pipe as descriptor 3, to be written, whose
 * bytes REPORT carries. What is made ready has none, and of that only a fork gets one. The program
 * is ended if these are more than `report_max`, as for its output. Neither FRAME_RUN_CELL nor
 * FRAME_RUN_KEEP_PROCESSES may come with it.
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
 * Workspaces. The container of a workspace stays when isolator goes, and its stdin and stdout are
 * not used: process 1 is started as
 *
 *     FILE WORKDIR WORKSPACE_OPTION NAME ENDS IDLE
 *
 * NAME has WORKSPACE_NAME_LENGTH hexadecimal digits, in lower case. A client is started in the
 * container as user 0, who no program is there, and connects its stdin and stdout to process 1:
 *
 *     FILE ATTACH_OPTION NAME
 *
 * NAME is no secret: programs of other users are refused. There is one client at a time, and others
 * wait. Each sends ATTACH first, and then requests as over any connection, but not KEEP, RESTORE
 * and MAKE_READY. A client whose stdin ends is gone at once. When a client is gone, does not read,
 * or sends what must not come, or when the time of struct frame_run is over, only its connection
 * ends: what runs is ended as by STOP, and so is every other process; what has arrived and was not
 * handled is dropped. Then the next client is let in. It finds the files of the working directory
 * as they are.
 *
 * The supervisor ends all processes and exits with a status of enum workspace_status: at ENDS, in
 * seconds since 1970, after IDLE seconds without a client that has sent ATTACH, or when there is
 * JOB_STOP_FILE.
 *
 * The end of its stdin means that isolator has ended or has no more use for the container: the
 * supervisor exits at once, and the kernel ends every other process of the container. The
 * supervisor does the same when the time of struct frame_run is over, without a frame. Workspaces
 * have neither.
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
    FRAME_WAIT_STATE,
    FRAME_MAKE_READY,
    FRAME_READY,
    FRAME_ATTACH,
    FRAME_STORE,
    FRAME_STORED,
    FRAME_DIRECTORY
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

/*
 * How the supervisor of a workspace and its clients are started, see "Workspaces"; and a program of
 * its file, see supervisor/files.h.
 */
#define WORKSPACE_OPTION "--workspace"
#define ATTACH_OPTION    "--attach"
#define FILES_OPTION     "--files"
enum { WORKSPACE_NAME_LENGTH = 32 };

/* With which status it exits. */
enum workspace_status {
    WORKSPACE_ENDED = 10, /* its time is over */
    WORKSPACE_IDLE,       /* it had no client for too long */
    WORKSPACE_STOPPED     /* by JOB_STOP_FILE */
};

/* The FIFOs of an interaction: what the program reads, and what the interactor reads. */
#define FIFO_DIRECTORY     "/.isolator"
#define FIFO_TO_PROGRAM    "to-program"
#define FIFO_TO_INTERACTOR "to-interactor"

#include "supervisor/frame_payloads.h"

#endif
