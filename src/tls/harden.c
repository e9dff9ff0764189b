#define _GNU_SOURCE
#include "tls/harden.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/linux.h"

void harden_process(void)
{
    const struct rlimit none = {0, 0};

    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    linux_raise_descriptors();
}

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Numbers from here on are of x32. */
enum { FIRST_FOREIGN = 0x40000000 };

/* System calls since Linux 5.1 have the same number everywhere; old headers lack them. */
enum {
    CALL_IO_URING_SETUP = 425,
    CALL_PIDFD_OPEN = 434,
    CALL_CLONE3 = 435,
    CALL_OPENAT2 = 437,
    CALL_PIDFD_GETFD = 438
};

/* Refuses a call; the accumulator has the number before and after. */
#define NEVER(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),                                             \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

void harden_system_calls(void)
{
#ifdef ARCHITECTURE
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
#ifdef SYS_open
        NEVER(SYS_open),
        NEVER(SYS_creat),
        NEVER(SYS_fork),
        NEVER(SYS_vfork),
#endif
        NEVER(SYS_openat),
        NEVER(CALL_OPENAT2),
        NEVER(SYS_memfd_create),
        NEVER(SYS_socket),
        NEVER(SYS_socketpair),
        NEVER(SYS_connect),
        NEVER(SYS_bind),
        NEVER(SYS_listen),
        NEVER(SYS_accept),
        NEVER(SYS_accept4),
        NEVER(SYS_clone),
        NEVER(CALL_CLONE3),
        NEVER(SYS_execve),
        NEVER(SYS_execveat),
        NEVER(SYS_ptrace),
        NEVER(SYS_process_vm_readv),
        NEVER(SYS_process_vm_writev),
        NEVER(CALL_PIDFD_OPEN),
        NEVER(CALL_PIDFD_GETFD),
        NEVER(CALL_IO_URING_SETUP),
        NEVER(SYS_kill),
        NEVER(SYS_tkill),
        NEVER(SYS_bpf),
        NEVER(SYS_unshare),
        NEVER(SYS_setns),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};

    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#endif
}
