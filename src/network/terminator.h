/*
 * The program isolator-tls (src/tls), which terminates the TLS of programs for hosts whose rules
 * say so ("tls": "terminate"), speaks TLS with the real host, and adds the fields of their
 * credentials to requests. There is one for each run or session, with a certificate authority of
 * its own. Knows no programs and no proxy; the messages are in network/terminator_wire.h.
 */
#ifndef NETWORK_TERMINATOR_H
#define NETWORK_TERMINATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/error.h"
#include "base/notifier.h"
#include "config/network_rules.h"

struct terminator;

/*
 * Starts the program, which is in the directory of this one or in ../libexec/isolator, and waits
 * until it is ready. ERROR_CONFIG if it is not installed or of another version, this host has no
 * certificates, or a credential of the rules cannot be read; ERROR_SYSTEM; ERROR_CANCELLED when
 * `cancel`, which may be NULL, is raised.
 */
struct terminator *terminator_new(const struct network_rules *rules, const struct notifier *cancel,
                                  struct error *error);

/* Whether messages of this version, which READY names, are understood. ERROR_CONFIG. */
int terminator_check_version(uint64_t version, struct error *error);

/* Ends the program, with all its connections. NULL is ignored. */
void terminator_free(struct terminator *terminator);

/* Adds the certificates that programs are to trust, in PEM, as a file. ERROR_SYSTEM. */
int terminator_add_certificates(const struct terminator *terminator, struct archive *archive,
                                const char *name, struct error *error);

/*
 * Begins a connection to a host, which has this rule: `host_fd`, which stays the caller's, is
 * connected to it. Returns a descriptor that takes and gives the bytes of the program, which is the
 * caller's and does not block. TERMINATOR_BUSY: the program has to take other messages first; try
 * again in a few ms. -1: ERROR_CONFIG if a credential cannot be read, or ERROR_SYSTEM.
 */
enum { TERMINATOR_BUSY = -2 };
int terminator_open(struct terminator *terminator, const struct network_host *rule,
                    const char *host, unsigned short port, int host_fd, struct error *error);

/* The number of the last connection that was begun; they are numbered from 1 on. */
uint64_t terminator_last_number(const struct terminator *terminator);

/* Why a connection has ended, or will. */
struct terminator_report {
    uint64_t number;
    char *host; /* owned, as the reason; both are printable */
    unsigned port;
    int status; /* of HTTP; 403 if the rules refuse what the program has asked for */
    char *reason;
};

void terminator_report_release(struct terminator_report *report);

/* The descriptor that is readable when there is a report, or the program has ended; -1 after that.
 */
int terminator_fd(const struct terminator *terminator);

/* Takes the next report, which the caller releases. False: there is none. */
bool terminator_take_report(struct terminator *terminator, struct terminator_report *report);

/*
 * Whether the program has ended, or has said what it must not: known when terminator_take_report()
 * has found it. Its connections end with it.
 */
bool terminator_has_ended(const struct terminator *terminator);

/* What the program has written to its standard error, printable; owned. "": nothing. */
char *terminator_words(const struct terminator *terminator);

#endif
