/*
 * System calls that a stopped process makes for its tracer, this process: each is the instruction
 * that the process has stopped at, with other registers, executed alone (ptrace(2)). The tracer
 * waits for it, so it has to be one that does not block. Known for x86-64.
 */
#ifndef SUPERVISOR_TRACED_CALL_H
#define SUPERVISOR_TRACED_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether they are known. */
#if defined __x86_64__
#include <sys/user.h>
enum { TRACED_CALLS = true };
struct traced_registers {
    struct user_regs_struct user;
};
#else
enum { TRACED_CALLS = false };
struct traced_registers {
    int none;
};
#endif

/*
 * Takes the registers of a process that has stopped before a system call, which it does not make:
 * it stops after it. False: the process cannot make calls, or has ended.
 */
bool traced_call_prepare(pid_t pid, struct traced_registers *registers);

/*
 * Has a process with these registers, or a copy of it, make a call. False: it did not come to its
 * end, since a signal had arrived or the process has ended. `result` is an errno if negative.
 */
bool traced_call_make(pid_t pid, const struct traced_registers *registers, long number,
                      const uint64_t arguments[5], long *result);

/*
 * Has it make clone(2), with these flags, whose child has the same registers and parent, and has
 * stopped too. The address is where the kernel writes the id of the child's thread. Returns its
 * process id; 0: there is none.
 */
pid_t traced_call_clone(pid_t pid, const struct traced_registers *registers, uint64_t flags,
                        uint64_t address);

/* The address of some bytes of its memory where it keeps nothing, below its stack. */
uint64_t traced_call_scratch(const struct traced_registers *registers);

/* Sets the registers so that the process makes the call that it has stopped before. */
bool traced_call_restore(pid_t pid, const struct traced_registers *registers);

#endif
