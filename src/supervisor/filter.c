#include "supervisor/filter.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * How this works. seccomp(2) runs a small program of the classic BPF machine for each system call.
 * It sees the number, the architecture and the arguments, and returns what the kernel does.
 *
 * The architecture is checked first, since each has numbers of its own: without this, a 32-bit call
 * (int 0x80) would be read as another one. The numbers follow as a chain of comparisons; a match
 * jumps over the next instruction, which is the default answer of its kind.
 *
 * The constants are the kernel's: include/uapi/linux/{seccomp,filter,audit,bpf_common}.h. They are
 * repeated here because a C library need not come with the kernel's headers.
 */
struct instruction {
    uint16_t code;
    uint8_t jump_true, jump_false;
    uint32_t value;
};

struct program {
    unsigned short length;
    const struct instruction *instructions;
};

/* struct seccomp_data */
enum { DATA_NUMBER = 0, DATA_ARCHITECTURE = 4, DATA_ARGUMENTS = 16 };

enum {
    LOAD = 0x20,         /* BPF_LD | BPF_W | BPF_ABS */
    JUMP_EQUAL = 0x15,   /* BPF_JMP | BPF_JEQ | BPF_K */
    JUMP_ANY_BIT = 0x45, /* BPF_JMP | BPF_JSET | BPF_K */
    JUMP_AT_LEAST = 0x35 /* BPF_JMP | BPF_JGE | BPF_K */,
    RETURN = 0x06 /* BPF_RET | BPF_K */
};

#define SECCOMP_ALLOW 0x7fff0000U
#define SECCOMP_ERRNO 0x00050000U

#if defined __x86_64__
#define ARCHITECTURE  0xc000003eU /* AUDIT_ARCH_X86_64 */
#define FIRST_FOREIGN 0x40000000U /* __X32_SYSCALL_BIT */
#elif defined __aarch64__
#define ARCHITECTURE  0xc00000b7U /* AUDIT_ARCH_AARCH64 */
#define FIRST_FOREIGN 0x40000000U
#else
#error "the system calls of this architecture are not known"
#endif

/* Since Linux 5.x new system calls have the same number everywhere. */
enum { CALL_IO_URING_SETUP = 425, CALL_IO_URING_ENTER, CALL_IO_URING_REGISTER };
enum { CALL_OPEN_TREE = 428, CALL_MOVE_MOUNT, CALL_FSOPEN, CALL_FSCONFIG, CALL_FSMOUNT };
enum { CALL_FSPICK = 433, CALL_CLONE3 = 435, CALL_PIDFD_GETFD = 438, CALL_MOUNT_SETATTR = 442 };
enum { CALL_SET_MEMPOLICY_HOME_NODE = 450, CALL_SETXATTRAT = 463, CALL_OPEN_TREE_ATTR = 467 };

#define ALLOW                                                                                      \
    {                                                                                              \
        RETURN, 0, 0, SECCOMP_ALLOW                                                                \
    }
#define REFUSE(number)                                                                             \
    {                                                                                              \
        RETURN, 0, 0, SECCOMP_ERRNO | (number)                                                     \
    }
/* The lower half of an argument: the kernel ignores the rest of an int. */
#define ARGUMENT(index)                                                                            \
    {                                                                                              \
        LOAD, 0, 0, DATA_ARGUMENTS + 8 * (index)                                                   \
    }

#define UPPER_HALF(index)                                                                          \
    {                                                                                              \
        LOAD, 0, 0, DATA_ARGUMENTS + 8 * (index) + 4                                               \
    }

/* Refuses a call; the accumulator has the number before and after. */
#define NEVER(call, error) {JUMP_EQUAL, 0, 1, (call)}, REFUSE(error)
/* Refuses a call whose argument has one of these flags; no other rule may follow. */
#define NOT_WITH_FLAGS(call, index, flags, error)                                                  \
    {JUMP_EQUAL, 0, 4, (call)}, ARGUMENT(index), {JUMP_ANY_BIT, 0, 1, (flags)}, REFUSE(error), ALLOW
/* Refuses a call whose argument, of 64 bits, is larger; no other rule may follow. */
#define NOT_ABOVE(call, index, max, error)                                                         \
    {JUMP_EQUAL, 0, 6, (call)}, UPPER_HALF(index), {JUMP_EQUAL, 0, 2, 0}, ARGUMENT(index),         \
        {JUMP_AT_LEAST, 0, 1, (max) + 1}, REFUSE(error), ALLOW
/* Refuses a call whose first argument is one of these. */
#define NOT_FOR(call, one, other)                                                                  \
    {JUMP_EQUAL, 0, 5, (call)}, ARGUMENT(0), {JUMP_EQUAL, 1, 0, (one)},                            \
        {JUMP_EQUAL, 0, 1, (other)}, REFUSE(EPERM), ALLOW
#define LOAD_NUMBER                                                                                \
    {                                                                                              \
        LOAD, 0, 0, DATA_NUMBER                                                                    \
    }
/* Refuses a call that has both of these values; other rules about it may follow. */
#define NOT_WITH_BOTH(call, index, argument, index2, argument2, error)                             \
    {JUMP_EQUAL, 0, 6, (call)}, ARGUMENT(index), {JUMP_EQUAL, 0, 3, (argument)}, ARGUMENT(index2), \
        {JUMP_EQUAL, 0, 1, (argument2)}, REFUSE(error), LOAD_NUMBER

/*
 * CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID and _NEWNET of
 * include/uapi/linux/sched.h. clone(2) has another use for the bit of CLONE_NEWTIME. Its flags are
 * the first argument on all architectures here.
 */
#define NEW_NAMESPACES 0x7e020000U

#define NO_FAMILY UINT32_MAX /* the kernel refuses this number */
enum { PROCESS_1 = 1, WHICH_PROCESS = 0, IO_WHO_PROCESS = 1, PROTOCOL_ROUTE = 0 };
/* Old and new SO_TIMESTAMPING of include/uapi/asm-generic/socket.h. */
enum { OPTION_TIMESTAMPING = 37, OPTION_TIMESTAMPING_NEW = 65 };
/* SO_ATTACH_FILTER and SO_ATTACH_REUSEPORT_CBPF of the same; those for eBPF need bpf(2). */
enum { OPTION_ATTACH_FILTER = 26, OPTION_ATTACH_REUSEPORT = 51 };
enum { OPTION_FLOWLABEL_MGR = 32 }; /* IPV6_FLOWLABEL_MGR of include/uapi/linux/in6.h */
/* TCP_MD5SIG, TCP_MD5SIG_EXT and TCP_AO_* of include/uapi/linux/tcp.h. */
enum { OPTION_MD5SIG = 14, OPTION_MD5SIG_EXT = 32, OPTION_AO_ADD_KEY = 38, OPTION_AO_DEL_KEY };
enum { OPTION_AO_INFO = 40, OPTION_AO_REPAIR = 42 };
enum { OPTION_ULP = 31 }; /* TCP_ULP of the same */
/* Those that join a group, of include/uapi/linux/{in,in6}.h. */
enum { OPTION_IP_JOIN = 35, OPTION_IP_JOIN_SOURCE = 39, OPTION_IPV6_JOIN = 20 };
enum { OPTION_JOIN = 42, OPTION_JOIN_SOURCE = 46 };
/* IPV6_RTHDR, and IPV6_2292PKTOPTIONS, which sets the same, of include/uapi/linux/in6.h. */
enum { OPTION_PACKET_OPTIONS = 6, OPTION_ROUTING = 57 };

/*
 * The most bytes of an extended attribute: a SHA-512 in hexadecimal digits, or an access control
 * list of 15 entries, which take 192 bytes of the kernel. A file in memory, which is charged, takes
 * five times that.
 */
enum { ATTRIBUTE_MAX = 128 };

/*
 * Allows a call for a process alone (its first argument is `which`, its second the process), but
 * not for these two, and not for a group or a user, to which process 1 may belong.
 */
#define ONLY_OF_A_PROCESS(call, which, one, other)                                                 \
    {JUMP_EQUAL, 0, 7, (call)}, ARGUMENT(0), {JUMP_EQUAL, 0, 3, (which)}, ARGUMENT(1),             \
        {JUMP_EQUAL, 1, 0, (one)}, {JUMP_EQUAL, 0, 1, (other)}, REFUSE(EPERM), ALLOW

/* The call, or one that there is not. */
#define IF(condition, call) ((condition) ? (uint32_t)(call) : UINT32_MAX)

/* `routes`: AF_NETLINK, or NO_FAMILY if it is refused too. */
static bool add_rules(uint32_t watch, uint32_t routes, bool ipc)
{
    const unsigned long mode_filter = 2; /* SECCOMP_MODE_FILTER */
    const struct instruction instructions[] = {
        {LOAD, 0, 0, DATA_ARCHITECTURE},
        {JUMP_EQUAL, 1, 0, ARCHITECTURE},
        REFUSE(ENOSYS),
        LOAD_NUMBER,
        {JUMP_AT_LEAST, 0, 1, FIRST_FOREIGN},
        REFUSE(ENOSYS),

        /* What no program needs, and what has been the way into many kernels. */
        NEVER(CALL_IO_URING_SETUP, ENOSYS),
        NEVER(CALL_IO_URING_ENTER, ENOSYS),
        NEVER(CALL_IO_URING_REGISTER, ENOSYS),
        NEVER(SYS_userfaultfd, ENOSYS),
        NEVER(SYS_add_key, EPERM),
        NEVER(SYS_request_key, EPERM),
        NEVER(SYS_keyctl, EPERM),
        NEVER(SYS_bpf, EPERM),
        NEVER(SYS_perf_event_open, EPERM),

        /*
         * In a user namespace of its own a program has all capabilities, which opens much of the
         * kernel to it. The flags of clone3 are in memory, which a filter cannot read. ENOSYS makes
         * C libraries fall back to clone.
         */
        NEVER(SYS_unshare, EPERM),
        NEVER(SYS_setns, EPERM),
        NEVER(CALL_CLONE3, ENOSYS),
        NOT_WITH_FLAGS(SYS_clone, 0, NEW_NAMESPACES, EPERM),

        /*
         * These, the namespaces above and keyctl are what Docker's profile refuses a program
         * without capabilities and podman's allows it: compare seccomp/default.json of
         * github.com/moby/profiles with pkg/seccomp/seccomp.json of github.com/containers/common.
         * open_tree_attr and set_mempolicy_home_node do the same as others of them.
         */
        NEVER(SYS_mount, EPERM),
        NEVER(SYS_umount2, EPERM),
        NEVER(SYS_pivot_root, EPERM),
        NEVER(CALL_OPEN_TREE, EPERM),
        NEVER(CALL_OPEN_TREE_ATTR, EPERM),
        NEVER(CALL_MOVE_MOUNT, EPERM),
        NEVER(CALL_FSOPEN, EPERM),
        NEVER(CALL_FSCONFIG, EPERM),
        NEVER(CALL_FSMOUNT, EPERM),
        NEVER(CALL_FSPICK, EPERM),
        NEVER(CALL_MOUNT_SETATTR, EPERM),
        NEVER(SYS_fanotify_init, EPERM),
        NEVER(CALL_PIDFD_GETFD, EPERM),
        NEVER(SYS_syslog, EPERM),
        NEVER(SYS_reboot, EPERM),
        NEVER(SYS_get_mempolicy, EPERM),
        NEVER(SYS_set_mempolicy, EPERM),
        NEVER(CALL_SET_MEMPOLICY_HOME_NODE, EPERM),
        NEVER(SYS_mbind, EPERM),

        /* What the next program of the container would find, as these cannot be emptied. */
        NEVER(IF(!ipc, SYS_mq_open), ENOSYS),
        NEVER(IF(!ipc, SYS_msgget), ENOSYS),
        NEVER(IF(!ipc, SYS_msgsnd), ENOSYS),
        NEVER(IF(!ipc, SYS_msgrcv), ENOSYS),
        NEVER(IF(!ipc, SYS_msgctl), ENOSYS),
        NEVER(IF(!ipc, SYS_semget), ENOSYS),
        NEVER(IF(!ipc, SYS_semop), ENOSYS),
        NEVER(IF(!ipc, SYS_semtimedop), ENOSYS),
        NEVER(IF(!ipc, SYS_semctl), ENOSYS),
        NEVER(IF(!ipc, SYS_shmget), ENOSYS),
        NEVER(IF(!ipc, SYS_shmat), ENOSYS),
        NEVER(IF(!ipc, SYS_shmctl), ENOSYS),

        /* What could slow down or limit process 1. */
        NOT_FOR(SYS_sched_setscheduler, PROCESS_1, watch),
        NOT_FOR(SYS_sched_setparam, PROCESS_1, watch),
        NOT_FOR(SYS_sched_setattr, PROCESS_1, watch),
        NOT_FOR(SYS_sched_setaffinity, PROCESS_1, watch),
        NOT_FOR(SYS_prlimit64, PROCESS_1, watch),
        ONLY_OF_A_PROCESS(SYS_setpriority, WHICH_PROCESS, PROCESS_1, watch),
        ONLY_OF_A_PROCESS(SYS_ioprio_set, IO_WHO_PROCESS, PROCESS_1, watch),

        /* Their buffers count for no container. EACCES is the kernel's answer too. */
        NOT_WITH_BOTH(SYS_socket, 0, AF_INET, 2, IPPROTO_ICMP, EACCES),
        NOT_WITH_BOTH(SYS_socket, 0, AF_INET6, 2, IPPROTO_ICMPV6, EACCES),
        /* So are the copies of packets that wait for their times. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, SOL_SOCKET, 2, OPTION_TIMESTAMPING, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, SOL_SOCKET, 2, OPTION_TIMESTAMPING_NEW, EPERM),
        /* So are filters of packets, whose machine code has a quota that the machine shares. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, SOL_SOCKET, 2, OPTION_ATTACH_FILTER, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, SOL_SOCKET, 2, OPTION_ATTACH_REUSEPORT, EPERM),
        /* A flow label outlives its socket for a minute, with bytes of the program's choice. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_FLOWLABEL_MGR, EPERM),

        /* So are the keys with which TCP signs packets, which only routers do. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_MD5SIG, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_MD5SIG_EXT, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_AO_ADD_KEY, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_AO_DEL_KEY, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_AO_INFO, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_AO_REPAIR, EPERM),
        /* So is the state of protocols above TCP, such as TLS, which libraries have, too. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_TCP, 2, OPTION_ULP, EPERM),
        /* So are members of multicast groups. ENODEV is the kernel's answer without a network. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IP, 2, OPTION_IP_JOIN, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IP, 2, OPTION_IP_JOIN_SOURCE, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IP, 2, OPTION_JOIN, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IP, 2, OPTION_JOIN_SOURCE, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_IPV6_JOIN, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_JOIN, ENODEV),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_JOIN_SOURCE, ENODEV),
        /* So are headers that IPv6 adds to each packet of a socket. */
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_PACKET_OPTIONS, EPERM),
        NOT_WITH_BOTH(SYS_setsockopt, 1, IPPROTO_IPV6, 2, OPTION_ROUTING, EPERM),
        /*
         * So are access control lists of files in memory. A filter cannot read the name of an
         * attribute, nor what setxattrat gets, which is in memory.
         */
        NOT_ABOVE(SYS_setxattr, 3, ATTRIBUTE_MAX, ENOSPC),
        NOT_ABOVE(SYS_lsetxattr, 3, ATTRIBUTE_MAX, ENOSPC),
        NOT_ABOVE(SYS_fsetxattr, 3, ATTRIBUTE_MAX, ENOSPC),
        NEVER(CALL_SETXATTRAT, ENOSYS),

        /*
         * Sockets of UNIX, IP, and the netlink family of routes, which lists network interfaces.
         * Those of IP are for TCP or UDP, or raw, which needs a capability: other protocols, such
         * as MPTCP, are much code that no program needs.
         */
        {JUMP_EQUAL, 0, 15, SYS_socket},
        ARGUMENT(0),
        {JUMP_EQUAL, 12, 0, AF_UNIX},
        {JUMP_EQUAL, 5, 0, AF_INET},
        {JUMP_EQUAL, 4, 0, AF_INET6},
        {JUMP_EQUAL, 0, 2, routes},
        ARGUMENT(2),
        {JUMP_EQUAL, 7, 0, PROTOCOL_ROUTE},
        REFUSE(EAFNOSUPPORT),
        ARGUMENT(2),
        {JUMP_EQUAL, 4, 0, IPPROTO_IP},
        {JUMP_EQUAL, 3, 0, IPPROTO_TCP},
        {JUMP_EQUAL, 2, 0, IPPROTO_UDP},
        {JUMP_EQUAL, 1, 0, IPPROTO_RAW},
        REFUSE(EPROTONOSUPPORT),
        ALLOW,
        {JUMP_EQUAL, 0, 4, SYS_socketpair},
        ARGUMENT(0),
        {JUMP_EQUAL, 1, 0, AF_UNIX},
        REFUSE(EAFNOSUPPORT),
        ALLOW,

        ALLOW,
    };

    const struct program program = {sizeof instructions / sizeof *instructions, instructions};

    return prctl(PR_SET_SECCOMP, mode_filter, &program, 0, 0) == 0;
}

int filter_install(bool netlink, bool ipc, pid_t watch)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        !add_rules(watch > 0 ? (uint32_t)watch : PROCESS_1, netlink ? AF_NETLINK : NO_FAMILY, ipc))
        return errno;
    return 0;
}
