/*
 * The pipes to the driver of an interpreter that stays, with which it gets a cell and reports its
 * end ("Cells" in supervisor/protocol.h). What arrives of a cell is kept in files in memory, and
 * written to a pipe when it runs. They are the container's memory: a write that needs more than
 * there is fails. The driver keeps stdin in a file of its own, descriptor 3. Knows nothing of
 * requests.
 *
 * This process shares with the program pipes and nothing else, since everything else can be made to
 * wait for the program: a file while a process reads or writes much of it, and a UNIX socket, with
 * which descriptors can come, while these are closed (SO_LINGER).
 *
 * The driver is a part of the program, so what it reports is no more than that: a cell that writes
 * a report itself ends there, while its code goes on when the interpreter is continued. The number
 * in front of a report says of which cell it is, so the driver's own report of that code is not
 * taken for the one of a later cell. If the driver has closed its ends of the pipes, or does not
 * answer, the cell ends with the interpreter or with the order to stop.
 */
#ifndef SUPERVISOR_DRIVER_LINK_H
#define SUPERVISOR_DRIVER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "supervisor/frame_link.h"
#include "supervisor/program.h"

/* What the driver is sent: a head, the code and stdin. */
enum driver_file { DRIVER_CODE, DRIVER_INPUT, DRIVER_FILES };
enum { DRIVER_NUMBER = 12, DRIVER_HEAD = 3 * (DRIVER_NUMBER + 1) };

struct driver_link {
    struct frame_link *link; /* borrowed, as is the interpreter */
    struct program *interpreter;
    int files[DRIVER_FILES]; /* memfds that no program can open; owned; -1: none */
    uint64_t sizes[DRIVER_FILES];
    char head[DRIVER_HEAD + 1];
    uint64_t sent;     /* bytes of all three that are in the pipe */
    uint64_t number;   /* of the cell: 1 for the first one of the interpreter */
    int matched;       /* bytes of the number that were read of a report; -1: it has another one */
    int unread;        /* the other end of that pipe, for what the driver has not read; owned */
    int error;         /* errno of what failed while the files were written */
    uint64_t reported; /* bytes of the report that were sent */
    uint64_t report_max; /* the rest is discarded */
    bool ended;          /* event: the report has ended, and with it the cell */
};

void driver_link_init(struct driver_link *driver, struct frame_link *link,
                      struct program *interpreter);

/* Forgets the interpreter, which has ended or is to, and gives back the memory of its files. */
void driver_link_forget(struct driver_link *driver);

/* Forgets the cell, for another one. */
void driver_link_reset(struct driver_link *driver);

/* Keeps bytes of a cell. */
void driver_link_add(struct driver_link *driver, enum driver_file file, const char *bytes,
                     size_t length);

/* The files of a cell are complete, and its number is the next one. -1: `error` says why not. */
int driver_link_begin(struct driver_link *driver, uint64_t report_max);

/* The interpreter was started: keeps the other end of the pipe to it. */
void driver_link_attach(struct driver_link *driver);

/*
 * Drops what was not read of an earlier cell, since that may have been ended by a report of its
 * own, and what the driver has written since.
 */
void driver_link_discard(struct driver_link *driver);

/* Sends what the pipe takes of the cell now. */
void driver_link_send(struct driver_link *driver);

/* Whether there is more to be sent of it. */
bool driver_link_is_sending(const struct driver_link *driver);

/* Sends the cell, and passes on its report, as far as there is credit and room. */
void driver_link_watch_cell(struct driver_link *driver, struct loop *loop);
void driver_link_watch_report(struct driver_link *driver, struct loop *loop);

#endif
