/*
 * A program that waits (supervisor/ready/ready.h) as the template of others: each test of a
 * submission is a fork of it, which begins where it waits. The template itself never goes on, so it
 * has run nothing of a request. A test has the same user and must not change what a later one
 * computes:
 *
 * - The template is not dumpable, so that only process 1 reads or writes its memory, its files in
 *   /proc and its descriptors; it has stopped for its tracer, so that signals wait.
 * - It has three pipes and no other descriptor, one thread, and no memory that others can write to.
 * - What a process of the same user can set of it (its limits, processors and priorities) is
 *   compared before each fork with what it was.
 * - After each test the kernel counts the processes of the container: if there are others than at
 *   the start, all are killed, and the template with them.
 *
 * If anything is not as expected there is no fork, and all are killed; the next test starts its
 * program as always. The forks have a session, pipes, a process id and times of their own; what the
 * interpreter has drawn at random in its start, like the seed of its hashes, they have in common.
 */
#ifndef SUPERVISOR_READY_TEMPLATE_H
#define SUPERVISOR_READY_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "supervisor/figures.h"
#include "supervisor/program.h"
#include "supervisor/traced_call.h"

/* What a process of the same user could change, as the system calls of these names return it. */
struct ready_traits {
    struct rlimit limits[RLIM_NLIMITS];
    _Alignas(8) unsigned char processors[1024]; /* as many bytes as the kernel has */
    _Alignas(8) unsigned char scheduling[64];   /* struct sched_attr */
    long io_priority, timer_slack;
};

/*
 * Addresses that the C library has told the kernel of for its only thread; 0: none. The kernel
 * clears the first one when the thread ends.
 */
struct ready_thread {
    uint64_t cleared, robust_list;
};

struct ready_template {
    pid_t pid;
    struct ready_thread thread;
    struct traced_registers registers;
    struct ready_traits traits;
    uint64_t processes; /* of the container, with its threads */
};

/* Whether there can be templates: the kernel counts processes, and traced calls are known. */
bool ready_template_is_possible(const struct figures *figures);

/*
 * Makes a template of a process that has stopped before a system call. False: it cannot be one; it
 * has to be killed then.
 */
bool ready_template_make(struct ready_template *template, pid_t pid,
                         const struct ready_thread *thread, int proc,
                         const struct figures *figures);

/*
 * Makes a fork, which waits, and gives it to the program with new pipes. `proc` is a descriptor of
 * /proc. False: it cannot; then the template has to be killed, with all others.
 */
bool ready_template_fork(const struct ready_template *template, int proc, struct program *program);

/* Whether no other processes are left than the template and those that were there before. */
bool ready_template_is_alone(const struct ready_template *template, const struct figures *figures);

#endif
