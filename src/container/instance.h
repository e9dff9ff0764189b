/*
 * An instance: a container that was created and started, and whose supervisor (src/supervisor)
 * waits for the one request that the instance will serve, for one program or for several
 * (run/submission.h), for the requests of one session (run/run_session.h), or for those of a batch
 * whose owner lets them share containers (run/sharing.h). Then it is removed, and never used for
 * anything else.
 *
 * Image, user, network and mounts are settled when the instance is made. What only the program sees
 * (files, command, environment, stdin, timeout) comes with the request, and the limits of memory,
 * CPUs and processes can be changed until then. So an instance that was made for a request and one
 * that has waited for it are the same.
 */
#ifndef CONTAINER_INSTANCE_H
#define CONTAINER_INSTANCE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "container/channel.h"
#include "container/delivery.h"
#include "container/job_log.h"
#include "container/job_script.h"
#include "container/owned_container.h"
#include "container/supervisor_link.h"
#include "container/transport.h"
#include "docker/docker.h"
#include "request/plan.h"

/* What instance_pump() waits for. */
enum instance_phase {
    INSTANCE_MADE,    /* the supervisor waits for the request */
    INSTANCE_READY,   /* the program that was to be made ready is, or cannot be */
    INSTANCE_BEGUN,   /* the program runs, or could not be started */
    INSTANCE_ENDED,   /* it has ended and its output was passed on, or it has to be ended */
    INSTANCE_STOPPED, /* the program has ended, or the working directory was copied */
    INSTANCE_FILES,   /* its files have arrived */
    INSTANCE_DETACHED /* of a job: it needs no isolator any more */
};

/* Bytes that are kept of what the docker command, and the shell before the supervisor, wrote. */
enum { INSTANCE_MESSAGE_MAX = 4096 };

/* How the lines of a batch share an instance (run/sharing.h). */
struct container_share {
    int served;   /* lines that have run in it */
    bool used_up; /* a program has not ended in an ordinary way: no other line follows */
    char *forks;  /* what a ready interpreter, of which their programs are to be forks, is started
                     with; owned; NULL: they are none */
    bool has_template; /* the interpreter did become ready */
};

struct instance {
    struct owned_container container;
    enum delivery delivery;
    size_t delivered;         /* bytes of the supervisor that the shell was sent */
    bool has_fifos;           /* its volume has those of an interaction */
    const char *volumes_from; /* the container whose volume it shares; borrowed; NULL: none */
    long long in_use_ms;      /* as given to instance_new() */
    struct spec_fingerprint fingerprint;
    struct container_limits limits; /* that its container has */
    long long made;                 /* clock_now_ms() */
    struct process client;          /* docker run or docker start, attached */
    struct supervisor_link link;
    struct strbuf message;  /* the start of what came on stderr */
    struct strvec warnings; /* owned; what docker printed when it made it */
    bool unreachable;       /* the engine did not answer while it was made */
    bool no_supervisor;     /* it started, or failed to, without a word of its supervisor */
    enum instance_phase phase;
    bool late;           /* it did not reach the phase before the deadline */
    bool too_many_files; /* see instance_deliver() */
    const struct transport *transport;
    struct job_script *script;    /* of a transport that writes one; borrowed */
    struct job_log *log;          /* of one that reads it; borrowed */
    bool log_is_late;             /* the engine did not give the log in time */
    struct container_share share; /* among the lines of a batch */
    long extra_mb; /* memory that the container has in addition to its limits, for its output */
    struct channel channels[CHANNELS]; /* what takes the bytes of each */
    size_t taken[CHANNELS];            /* bytes that are not granted again yet */
};

/*
 * Returns an instance that does not exist on the engine yet and will be in use for `in_use_ms` at
 * most. Its limits are not always those of the plan's program (run/submission.h), and a limit of
 * more CPUs than the engine has is lowered to those. The caller frees it with instance_free(),
 * which does not remove it from the engine.
 */
struct instance *instance_new(const struct docker *docker, const struct plan *plan,
                              const struct container_limits *limits, long long in_use_ms);
void instance_free(struct instance *instance);

/*
 * Before they are made: the program of the instance is to be joined with that of an interactor,
 * whose instance is made after it, and removed before it.
 */
void instance_prepare_join(struct instance *instance);
void instance_join(struct instance *interactor, const struct instance *instance);

/* Two instances with equal fingerprints differ only in their name, labels, drawn user and limits.
 */
struct spec_fingerprint instance_fingerprint(const struct plan *plan);

/*
 * Creates and starts the instance and waits until its supervisor is ready, until `deadline`
 * (clock_now_ms()) at the latest. If the image's shell cannot start the supervisor, it is made
 * again in the other way (container/delivery.h); if the engine does not have its user, with another
 * one; if it has fewer CPUs than the configuration gives, with those. ERROR_USAGE if the request
 * asks for more CPUs than there are, or for too little memory for a container to start. -1: it is
 * removed from the engine, or a warning of the instance says that this failed too. `end` as in
 * owned_container_remove().
 */
int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error);

/*
 * Gives an instance that waits these limits, with docker commands only if it has others. If that
 * fails, its limits are not known, and it has to be removed.
 */
int instance_set_limits(struct instance *instance, const struct container_limits *limits,
                        long long deadline, const struct notifier *cancel, struct error *error);

/* ERROR_USAGE if the request of the plan asks for more CPUs than the engine is known to have. */
int instance_check_cpus(const struct docker *docker, const struct plan *plan, struct error *error);

/* Whether the container of an instance that was made has not ended. */
bool instance_waits(const struct instance *instance);

/* Send a request; see supervisor_link_request() and supervisor_link_keep(). */
void instance_send(struct instance *instance, const struct program_request *request);
void instance_keep(struct instance *instance, int archive, const struct frame_keep *order,
                   const struct frame_restore *restore);

/* Sends files for the working directory, and no program; see supervisor_link_store(). */
void instance_store(struct instance *instance, int archive);

/*
 * Orders the program to end and waits, for BUDGET_STOP at most, until it has reported its end.
 */
void instance_stop(struct instance *instance);

/*
 * Order an interactor's container to close what it holds for the program; a cell to end and its
 * interpreter to stay; the container to give its program so much more time; the files of the
 * working directory, without those of more than `file_max` bytes.
 */
void instance_let_go(struct instance *instance);
void instance_interrupt(struct instance *instance);
void instance_extend(struct instance *instance, long long ms);
void instance_collect(struct instance *instance, long long file_max, long long max);

/* As file_max: an exact copy, as of KEEP. */
#define INSTANCE_COLLECT_EXACT ((long long)FRAME_COLLECT_EXACT)

/*
 * From now on the channel takes what arrives in this one, which is dropped if it is NULL. What the
 * one before has dealt with is granted.
 */
void instance_set_channel(struct instance *instance, enum frame_channel which,
                          const struct channel *channel);

/* Whether the instance can take another request, as far as is known without asking it. */
bool instance_is_idle(const struct instance *instance);

/* Asks the instance to end, so that the engine can end several at the same time. */
void instance_dismiss(struct instance *instance);

/*
 * Waits until the docker command ends, which it does when the container is removed. False: it did
 * not before the deadline.
 */
bool instance_wait_for_end(struct instance *instance, long long deadline);

/*
 * Ends the instance and waits until the engine has removed it, which it normally does by itself. If
 * it does not, removes it like owned_container_remove(), which also explains `end` and the error.
 */
int instance_remove(struct instance *instance, long long end, struct error *error);

/*
 * Moves bytes between isolator and the container until the phase is reached (PROCESS_PAUSED), or
 * until another event ends the wait. `deadline` is a time of clock_now_ms(); `cancel` may be NULL.
 */
enum process_event instance_pump(struct instance *instance, enum instance_phase phase,
                                 long long deadline, const struct notifier *cancel);

/*
 * The same for a request with files. Its container takes them as fast as its CPUs allow; so the
 * wait goes on after `deadline` for as long as it takes some, until `latest`. If it still takes
 * some then, and had at least half of BUDGET_SETUP for them, instance->too_many_files says so: a
 * faster engine would not help.
 */
enum process_event instance_deliver(struct instance *instance, enum instance_phase phase,
                                    long long deadline, long long latest,
                                    const struct notifier *cancel);

/* Whether the program of an instance that was ready, and is removed now, may have begun. */
bool instance_begun(const struct instance *instance);

#endif
