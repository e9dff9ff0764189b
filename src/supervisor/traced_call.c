#define _GNU_SOURCE
#include "supervisor/traced_call.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#if defined __x86_64__

/* Bytes of "syscall", and more than those below the stack that a function may use (the ABI's red
 * zone). */
enum { INSTRUCTION = 2, RED_ZONE = 256 };

static bool wait_for_stop(pid_t pid, int *status)
{
    pid_t found;

    do
        found = waitpid(pid, status, __WALL);
    while (found < 0 && errno == EINTR);
    return found == pid && WIFSTOPPED(*status);
}

/* Goes on for one instruction. False: something else has happened. */
static bool step(pid_t pid, int event)
{
    int status;

    return ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0 && wait_for_stop(pid, &status) &&
           status >> 8 == (SIGTRAP | event << 8);
}

static bool set_call(pid_t pid, const struct traced_registers *registers, long number,
                     const uint64_t arguments[5])
{
    struct user_regs_struct user = registers->user;

    user.rip -= INSTRUCTION;
    user.orig_rax = UINT64_MAX; /* it is in no call that could be made again */
    user.rax = (uint64_t)number;
    user.rdi = arguments[0];
    user.rsi = arguments[1];
    user.rdx = arguments[2];
    user.r10 = arguments[3];
    user.r8 = arguments[4];
    return ptrace(PTRACE_SETREGS, pid, NULL, &user) == 0;
}

bool traced_call_prepare(pid_t pid, struct traced_registers *registers)
{
    struct user_regs_struct user;
    int status;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &user) != 0)
        return false;
    registers->user = user;
    user.orig_rax = SYS_getpid;
    return ptrace(PTRACE_SETREGS, pid, NULL, &user) == 0 &&
           ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && wait_for_stop(pid, &status) &&
           WSTOPSIG(status) == (SIGTRAP | 0x80);
}

bool traced_call_make(pid_t pid, const struct traced_registers *registers, long number,
                      const uint64_t arguments[5], long *result)
{
    struct user_regs_struct user;

    if (!set_call(pid, registers, number, arguments) || !step(pid, 0) ||
        ptrace(PTRACE_GETREGS, pid, NULL, &user) != 0 || user.rip != registers->user.rip)
        return false;
    *result = (long)user.rax;
    return true;
}

pid_t traced_call_clone(pid_t pid, const struct traced_registers *registers, uint64_t flags,
                        uint64_t address)
{
    const uint64_t arguments[5] = {flags, 0, 0, address, 0};
    unsigned long child = 0;
    int status;

    if (!set_call(pid, registers, SYS_clone, arguments) || !step(pid, PTRACE_EVENT_FORK) ||
        ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child) != 0)
        return 0;
    if (!step(pid, 0) || !wait_for_stop((pid_t)child, &status)) {
        kill((pid_t)child, SIGKILL);
        return 0;
    }
    return (pid_t)child;
}

uint64_t traced_call_scratch(const struct traced_registers *registers)
{
    return registers->user.rsp - RED_ZONE;
}

bool traced_call_restore(pid_t pid, const struct traced_registers *registers)
{
    struct user_regs_struct user = registers->user;

    user.rip -= INSTRUCTION;
    user.rax = user.orig_rax;
    user.orig_rax = UINT64_MAX;
    return ptrace(PTRACE_SETREGS, pid, NULL, &user) == 0;
}

#else

/* The registers of other architectures are not known. */
bool traced_call_prepare(pid_t pid, struct traced_registers *registers)
{
    (void)pid;
    (void)registers;
    return false;
}

bool traced_call_make(pid_t pid, const struct traced_registers *registers, long number,
                      const uint64_t arguments[5], long *result)
{
    (void)pid;
    (void)registers;
    (void)number;
    (void)arguments;
    (void)result;
    return false;
}

pid_t traced_call_clone(pid_t pid, const struct traced_registers *registers, uint64_t flags,
                        uint64_t address)
{
    (void)pid;
    (void)registers;
    (void)flags;
    (void)address;
    return 0;
}

uint64_t traced_call_scratch(const struct traced_registers *registers)
{
    (void)registers;
    return 0;
}

bool traced_call_restore(pid_t pid, const struct traced_registers *registers)
{
    (void)pid;
    (void)registers;
    return false;
}

#endif
