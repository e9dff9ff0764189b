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
#include <unistd.h>

#include "base/linux.h"

/* System calls since Linux 5.1 have the same number everywhere; old headers lack them. */
enum {
    CALL_PIDFD_SEND_SIGNAL = 424,
    CALL_IO_URING_SETUP = 425,
    CALL_PIDFD_OPEN = 434,
    CALL_CLONE3 = 435,
    CALL_CLOSE_RANGE = 436,
    CALL_OPENAT2 = 437,
    CALL_PIDFD_GETFD = 438,
    CALL_PROCESS_MADVISE = 440,
    CALL_FCHMODAT2 = 452,
    CALL_SETXATTRAT = 463
};

const char *harden_process(void)
{
    const struct rlimit none = {0, 0};

    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
        return "the system refuses to rule out core dumps";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return "the system refuses to rule out new privileges";
    signal(SIGPIPE, SIG_IGN);
    linux_raise_descriptors();
    syscall(CALL_CLOSE_RANGE, STDERR_FILENO + 1, ~0U, 0); /* since Linux 5.9 */
    return NULL;
}

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Numbers from here on are of x32. */
enum { FIRST_FOREIGN = 0x40000000 };

#ifdef ARCHITECTURE
static const unsigned REFUSED[] = {
/* files */
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_symlink, SYS_link,
    SYS_chmod, SYS_mknod,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat, CALL_OPENAT2, SYS_memfd_create, SYS_renameat2, SYS_unlinkat, SYS_mkdirat,
    SYS_truncate, SYS_symlinkat, SYS_linkat, SYS_fchmod, SYS_fchmodat, CALL_FCHMODAT2, SYS_mknodat,
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, CALL_SETXATTRAT,
    /* sockets */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
/* processes; abort() needs tgkill */
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_clone, CALL_CLONE3, SYS_execve, SYS_execveat, SYS_unshare, SYS_setns, SYS_kill, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, CALL_PIDFD_SEND_SIGNAL, CALL_PIDFD_OPEN,
    CALL_PIDFD_GETFD, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, CALL_PROCESS_MADVISE,
    /* the kernel */
    CALL_IO_URING_SETUP, SYS_bpf, SYS_userfaultfd, SYS_perf_event_open, SYS_add_key,
    SYS_request_key, SYS_keyctl};

/* The start of the filter, two rules for each call, and one that allows the others. */
enum { REFUSED_COUNT = sizeof REFUSED / sizeof *REFUSED, START_RULES = 6 };
#endif

const char *harden_system_calls(void)
{
#ifdef ARCHITECTURE
    const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_filter rules[START_RULES + 2 * REFUSED_COUNT + 1] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        refuse,
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1),
        refuse,
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    struct sock_filter *rule = rules + START_RULES;

    for (size_t i = 0; i < REFUSED_COUNT; i++) {
        *rule++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED[i], 0, 1);
        *rule++ = refuse;
    }
    *rule = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        return "the system refuses a filter of system calls (seccomp)";
#endif
    return NULL;
}
