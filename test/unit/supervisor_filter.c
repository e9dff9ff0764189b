#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "supervisor/filter.h"

/* Numbers that a C library need not know. */
enum {
    FAMILY_PACKET = 17,
    FAMILY_ALG = 38,
    FAMILY_VSOCK = 40,
    FAMILY_KCM = 41,
    NETLINK_ROUTES = 0,
    NETLINK_AUDITS = 9,
    NETLINK_GENERICS = 16,
    OPTION_FLOW_LABELS = 32,
    OPTION_CORK = 3,
    PROTOCOL_UDP_LITE = 136,
    PROTOCOL_MPTCP = 262,
    SETXATTRAT = 463,
    IO_URING_SETUP = 425,
    IO_URING_ENTER = 426,
    IO_URING_REGISTER = 427,
    OPEN_TREE = 428,
    MOVE_MOUNT = 429,
    FSOPEN = 430,
    FSCONFIG = 431,
    FSMOUNT = 432,
    FSPICK = 433,
    CLONE3 = 435,
    PIDFD_GETFD = 438,
    MOUNT_SETATTR = 442,
    SET_MEMPOLICY_HOME_NODE = 450,
    OPEN_TREE_ATTR = 467,
    NEW_TIME = 0x80,
    IO_WHO_PROCESS = 1,
    IO_WHO_GROUP = 2,
    IO_WHO_USER = 3
};

struct call {
    long number;
    long arguments[5];
};

/* The id of process 1's second thread, as the filter is told. */
enum { SECOND_THREAD = 2 };

enum filter { FILTER_NONE, FILTER_USUAL, FILTER_NETLINK, FILTER_WITHOUT_IPC };

/* The errno of the call, 0 if it succeeds, in a process with this filter. */
static int outcome(const struct call *call, enum filter filter)
{
    const long *argument = call->arguments;
    const pid_t child = fork();
    int status;

    if (child == 0) {
        if (filter != FILTER_NONE &&
            filter_install(filter == FILTER_NETLINK, filter != FILTER_WITHOUT_IPC, SECOND_THREAD) !=
                0)
            _exit(255);
        if (syscall(call->number, argument[0], argument[1], argument[2], argument[3],
                    argument[4]) >= 0)
            _exit(0);
        _exit(errno);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 255)
        fail_msg("call %ld: status %d", call->number, status);
    return WEXITSTATUS(status);
}

static void check_outcome(int expected, struct call call, enum filter filter)
{
    const int got = outcome(&call, filter);

    if (got != expected)
        fail_msg("call %ld(%ld, %ld, %ld): %s, not %s", call.number, call.arguments[0],
                 call.arguments[1], call.arguments[2], strerror(got), strerror(expected));
}

static void check_refused(int expected, struct call call)
{
    check_outcome(expected, call, FILTER_USUAL);
}

/* The kernel's own answer comes through. */
static void check_allowed(struct call call)
{
    check_outcome(outcome(&call, FILTER_NONE), call, FILTER_USUAL);
}

CASE(filter__sockets)
{
    static const int refused[] = {FAMILY_PACKET, FAMILY_VSOCK, FAMILY_KCM, FAMILY_ALG, 0, 5, 45};
    static const int allowed[] = {AF_UNIX, AF_INET, AF_INET6};

    for (size_t i = 0; i < COUNT(refused); i++) {
        check_refused(EAFNOSUPPORT, (struct call){SYS_socket, {refused[i], SOCK_RAW, 0}});
        check_refused(EAFNOSUPPORT, (struct call){SYS_socket, {refused[i], SOCK_STREAM, 0}});
        check_refused(EAFNOSUPPORT, (struct call){SYS_socketpair, {refused[i], SOCK_STREAM, 0, 0}});
    }
    for (size_t i = 0; i < COUNT(allowed); i++) {
        check_allowed((struct call){SYS_socket, {allowed[i], SOCK_STREAM, 0}});
        check_allowed((struct call){SYS_socket, {allowed[i], SOCK_DGRAM | SOCK_CLOEXEC, 0}});
    }
    /* Only UNIX has pairs. */
    check_refused(EAFNOSUPPORT, (struct call){SYS_socketpair, {AF_INET, SOCK_STREAM, 0, 0}});
    check_refused(EFAULT, (struct call){SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}});
}

CASE(filter__netlink)
{
    const struct call routes = {SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTES}};
    static const int others[] = {NETLINK_GENERICS, NETLINK_AUDITS};

    check_outcome(EAFNOSUPPORT, routes, FILTER_USUAL);
    check_outcome(outcome(&routes, FILTER_NONE), routes, FILTER_NETLINK);
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct call call = {SYS_socket, {AF_NETLINK, SOCK_RAW, others[i]}};
        /* The third argument decides, not the second. */
        const struct call odd = {SYS_socket, {AF_NETLINK, 0, others[i]}};

        check_outcome(EAFNOSUPPORT, call, FILTER_USUAL);
        check_outcome(EAFNOSUPPORT, call, FILTER_NETLINK);
        check_outcome(EAFNOSUPPORT, odd, FILTER_NETLINK);
    }
}

/* Of these two families alone: UNIX sockets may have the protocol 1. */
CASE(filter__icmp)
{
    static const int kinds[] = {SOCK_DGRAM, SOCK_DGRAM | SOCK_CLOEXEC, SOCK_RAW};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        check_refused(EACCES, (struct call){SYS_socket, {AF_INET, kinds[i], IPPROTO_ICMP}});
        check_refused(EACCES, (struct call){SYS_socket, {AF_INET6, kinds[i], IPPROTO_ICMPV6}});
    }
    check_allowed((struct call){SYS_socket, {AF_UNIX, SOCK_STREAM, 1}});
    check_allowed((struct call){SYS_socket, {AF_INET, SOCK_DGRAM, IPPROTO_UDP}});
    check_allowed((struct call){SYS_socket, {AF_INET6, SOCK_STREAM, IPPROTO_TCP}});
}

/* Raw sockets need a capability. */
CASE(filter__protocols)
{
    static const int families[] = {AF_INET, AF_INET6};
    static const int refused[] = {PROTOCOL_MPTCP, PROTOCOL_UDP_LITE, IPPROTO_SCTP, 2, 256, -1};
    static const int allowed[] = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_RAW};

    for (size_t i = 0; i < COUNT(families); i++) {
        const int family = families[i];

        for (size_t n = 0; n < COUNT(refused); n++) {
            check_refused(EPROTONOSUPPORT,
                          (struct call){SYS_socket, {family, SOCK_STREAM, refused[n]}});
            check_refused(EPROTONOSUPPORT,
                          (struct call){SYS_socket, {family, SOCK_DGRAM, refused[n]}});
            check_refused(EPROTONOSUPPORT,
                          (struct call){SYS_socket, {family, SOCK_RAW, refused[n]}});
        }
        for (size_t n = 0; n < COUNT(allowed); n++) {
            check_allowed((struct call){SYS_socket, {family, SOCK_STREAM, allowed[n]}});
            check_allowed((struct call){SYS_socket, {family, SOCK_DGRAM, allowed[n]}});
            check_allowed((struct call){SYS_socket, {family, SOCK_RAW, allowed[n]}});
        }
    }
}

/* The size is a whole word of 64 bits. */
CASE(filter__attributes)
{
    static const long calls[] = {SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr};
    const long upper = (long)1 << 32;

    for (size_t i = 0; i < COUNT(calls); i++) {
        const long what = calls[i] == SYS_fsetxattr ? -1 : 0;

        check_allowed((struct call){calls[i], {what, 0, 0, 0, 0}});
        check_allowed((struct call){calls[i], {what, 0, 0, 128, 0}});
        check_refused(ENOSPC, (struct call){calls[i], {what, 0, 0, 129, 0}});
        check_refused(ENOSPC, (struct call){calls[i], {what, 0, 0, 65536, 0}});
        check_refused(ENOSPC, (struct call){calls[i], {what, 0, 0, upper, 0}});
        check_refused(ENOSPC, (struct call){calls[i], {what, 0, 0, upper | 1, 0}});
        check_refused(ENOSPC, (struct call){calls[i], {what, 0, 0, -1, 0}});
    }
    check_refused(ENOSYS, (struct call){SETXATTRAT, {-1, 0, 0, 0, 0}});
}

/* Keys of TCP and TCP_ULP, by their numbers in the kernel's header. */
CASE(filter__keys_of_tcp)
{
    static const int refused[] = {14, 31, 32, 38, 39, 40, 42};

    for (size_t i = 0; i < COUNT(refused); i++) {
        check_refused(EPERM, (struct call){SYS_setsockopt, {-1, IPPROTO_TCP, refused[i]}});
        check_refused(EBADF, (struct call){SYS_setsockopt, {-1, IPPROTO_UDP, refused[i]}});
    }
    check_refused(EBADF, (struct call){SYS_setsockopt, {-1, IPPROTO_TCP, OPTION_CORK}});
}

/* Groups, and headers of IPv6: each option with the level that has it, and with one that has not.
 */
CASE(filter__groups_and_headers)
{
    static const int refused[][4] = {
        {ENODEV, IPPROTO_IP, 35, IPPROTO_IPV6},  {ENODEV, IPPROTO_IP, 39, IPPROTO_IPV6},
        {ENODEV, IPPROTO_IP, 42, IPPROTO_UDP},   {ENODEV, IPPROTO_IP, 46, IPPROTO_UDP},
        {ENODEV, IPPROTO_IPV6, 20, IPPROTO_IP},  {ENODEV, IPPROTO_IPV6, 42, IPPROTO_UDP},
        {ENODEV, IPPROTO_IPV6, 46, IPPROTO_UDP}, {EPERM, IPPROTO_IPV6, 6, IPPROTO_IP},
        {EPERM, IPPROTO_IPV6, 57, IPPROTO_IP},
    };

    for (size_t i = 0; i < COUNT(refused); i++) {
        const int *row = refused[i];

        check_refused(row[0], (struct call){SYS_setsockopt, {-1, row[1], row[2]}});
        check_refused(EBADF, (struct call){SYS_setsockopt, {-1, row[3], row[2]}});
    }
}

CASE(filter__socket_options)
{
    check_refused(EPERM, (struct call){SYS_setsockopt, {-1, SOL_SOCKET, 37}}); /* SO_TIMESTAMPING */
    check_refused(EPERM, (struct call){SYS_setsockopt, {-1, SOL_SOCKET, 26}}); /* a filter */
    check_refused(EPERM, (struct call){SYS_setsockopt, {-1, SOL_SOCKET, 51}}); /* of a group */
    check_refused(EPERM, (struct call){SYS_setsockopt, {-1, SOL_SOCKET, 65}}); /* the new one */
    check_refused(EBADF, (struct call){SYS_setsockopt, {-1, SOL_SOCKET, SO_REUSEADDR}});
    check_refused(EBADF, (struct call){SYS_setsockopt, {-1, IPPROTO_IP, 37}});
    check_refused(EPERM, (struct call){SYS_setsockopt, {-1, IPPROTO_IPV6, OPTION_FLOW_LABELS}});
    check_refused(EBADF, (struct call){SYS_setsockopt, {-1, IPPROTO_UDP, OPTION_FLOW_LABELS}});
    check_refused(EBADF, (struct call){SYS_setsockopt, {-1, IPPROTO_IPV6, IPV6_V6ONLY}});
}

/* The kernel ignores the upper half of an int: so must the filter. */
CASE(filter__upper_halves)
{
    const long upper = (long)1 << 32;

    check_refused(EAFNOSUPPORT, (struct call){SYS_socket, {upper | FAMILY_PACKET, SOCK_RAW, 0}});
    check_refused(0, (struct call){SYS_socket, {upper | AF_UNIX, SOCK_STREAM, 0}});
    check_refused(EPERM, (struct call){SYS_prlimit64, {upper | 1, RLIMIT_NOFILE, 0, 0}});
}

CASE(filter__what_no_program_needs)
{
    check_refused(ENOSYS, (struct call){IO_URING_SETUP, {1, 0}});
    check_refused(ENOSYS, (struct call){IO_URING_ENTER, {-1, 0}});
    check_refused(ENOSYS, (struct call){IO_URING_REGISTER, {-1, 0}});
    check_refused(ENOSYS, (struct call){SYS_userfaultfd, {0}});
    check_refused(EPERM, (struct call){SYS_add_key, {0}});
    check_refused(EPERM, (struct call){SYS_request_key, {0}});
    check_refused(EPERM, (struct call){SYS_keyctl, {0}});
    check_refused(EPERM, (struct call){SYS_bpf, {-1}});
    check_refused(EPERM, (struct call){SYS_perf_event_open, {0}});
}

/* Objects of System V stay when their process ends, as do queues of POSIX. */
CASE(filter__objects_that_stay)
{
    static const struct call calls[] = {
        {SYS_mq_open, {0}},          {SYS_msgget, {-1, 0}},     {SYS_msgsnd, {-1, 0, 0, 0}},
        {SYS_msgrcv, {-1, 0, 0, 0}}, {SYS_msgctl, {-1, -1, 0}}, {SYS_semget, {-1, -1, 0}},
        {SYS_semop, {-1, 0, 0}},     {SYS_semctl, {-1, 0, -1}}, {SYS_semtimedop, {-1, 0, 0, 0}},
        {SYS_shmget, {-1, 0, 0}},    {SYS_shmat, {-1, 0, 0}},   {SYS_shmctl, {-1, -1, 0}},
    };

    for (size_t i = 0; i < COUNT(calls); i++) {
        check_outcome(ENOSYS, calls[i], FILTER_WITHOUT_IPC);
        assert_int_not_equal(outcome(&calls[i], FILTER_USUAL), ENOSYS);
    }
    check_outcome(0, (struct call){SYS_getppid, {0}}, FILTER_WITHOUT_IPC);
}

/* None of them does anything without the filter, not even for root. */
CASE(filter__mounts)
{
    check_refused(EPERM, (struct call){SYS_mount, {0}});
    check_refused(EPERM, (struct call){SYS_umount2, {0, -1}});
    check_refused(EPERM, (struct call){SYS_pivot_root, {0}});
    check_refused(EPERM, (struct call){OPEN_TREE, {-1, 0, -1}});
    check_refused(EPERM, (struct call){OPEN_TREE_ATTR, {-1, 0, -1}});
    check_refused(EPERM, (struct call){MOVE_MOUNT, {-1, 0, -1, 0, -1}});
    check_refused(EPERM, (struct call){FSOPEN, {0, -1}});
    check_refused(EPERM, (struct call){FSCONFIG, {-1, -1}});
    check_refused(EPERM, (struct call){FSMOUNT, {-1, -1}});
    check_refused(EPERM, (struct call){FSPICK, {-1, 0, -1}});
    check_refused(EPERM, (struct call){MOUNT_SETATTR, {-1, 0, -1}});
    check_allowed((struct call){SYS_chroot, {0}}); /* a capability of its own */
}

CASE(filter__what_podman_allows)
{
    check_refused(EPERM, (struct call){SYS_fanotify_init, {-1, -1}});
    check_refused(EPERM, (struct call){PIDFD_GETFD, {-1, -1, -1}});
    check_refused(EPERM, (struct call){SYS_syslog, {-1, 0, -1}});
    check_refused(EPERM, (struct call){SYS_reboot, {0}});
    check_refused(EPERM, (struct call){SYS_get_mempolicy, {0, 0, 0, 0, -1}});
    check_refused(EPERM, (struct call){SYS_set_mempolicy, {-1}});
    check_refused(EPERM, (struct call){SET_MEMPOLICY_HOME_NODE, {0, 0, 0, -1}});
    check_refused(EPERM, (struct call){SYS_mbind, {0, 0, -1, 0, 0}});
}

/* Of clone the flags decide: the rest of them is for threads and processes. */
CASE(filter__namespaces)
{
    static const int namespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                     CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
    const long upper = (long)1 << 32;

    for (size_t i = 0; i < COUNT(namespaces); i++) {
        const long flag = namespaces[i];

        check_refused(EPERM, (struct call){SYS_unshare, {flag}});
        check_refused(EPERM, (struct call){SYS_setns, {-1, flag}});
        check_refused(EPERM, (struct call){SYS_clone, {flag | SIGCHLD}});
        check_refused(EPERM, (struct call){SYS_clone, {upper | flag | CLONE_FS | SIGCHLD}});
        check_refused(EPERM, (struct call){SYS_clone, {flag | CLONE_SIGHAND}});
    }
    check_refused(EPERM, (struct call){SYS_unshare, {NEW_TIME}});
    check_refused(EPERM, (struct call){SYS_unshare, {0}});
    check_refused(EPERM, (struct call){SYS_setns, {-1, NEW_TIME}});
    check_refused(ENOSYS, (struct call){CLONE3, {0}});
    /* The kernel refuses this pair. */
    check_refused(EINVAL, (struct call){SYS_clone, {CLONE_SIGHAND | SIGCHLD}});
    check_refused(EINVAL, (struct call){SYS_clone, {CLONE_SIGHAND | NEW_TIME}});
}

static void *add_one(void *number)
{
    *(int *)number += 1;
    return NULL;
}

/* The exit status is the number of the step that failed. */
static int start_others(void)
{
    int number = 0, status;
    pthread_t thread;
    pid_t child;

    if (filter_install(false, true, 0) != 0)
        return 1;
    if (pthread_create(&thread, NULL, add_one, &number) != 0 || pthread_join(thread, NULL) != 0 ||
        number != 1)
        return 2;
    child = fork();
    if (child == 0)
        _exit(7);
    if (waitpid(child, &status, 0) != child || status != 7 << 8)
        return 3;
    child = vfork();
    if (child == 0)
        _exit(8);
    if (waitpid(child, &status, 0) != child || status != 8 << 8)
        return 4;
    status = system("exit 9"); /* posix_spawn */
    return status == 9 << 8 ? 0 : 5;
}

CASE(filter__threads_and_processes)
{
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(start_others());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/*
 * The calls change nothing even if they get through, since they set what process 1 has already or
 * only ask. Root may make all of them without the filter.
 */
CASE(filter__process_1)
{
    static const int ids[] = {1, SECOND_THREAD};
    const struct sched_param none = {0};
    cpu_set_t cpus;

    sched_getaffinity(1, sizeof cpus, &cpus);
    for (size_t i = 0; i < COUNT(ids); i++) {
        const int id = ids[i], priority = getpriority(PRIO_PROCESS, id);
        const long of_io = syscall(SYS_ioprio_get, IO_WHO_PROCESS, id);

        check_refused(EPERM, (struct call){SYS_prlimit64, {id, RLIMIT_NOFILE, 0, 0}});
        check_refused(EPERM, (struct call){SYS_sched_setaffinity, {id, sizeof cpus, (long)&cpus}});
        check_refused(EPERM, (struct call){SYS_sched_setscheduler, {id, SCHED_OTHER, (long)&none}});
        check_refused(EPERM, (struct call){SYS_sched_setparam, {id, (long)&none}});
        check_refused(EPERM, (struct call){SYS_sched_setattr, {id, 0, 0}});
        check_refused(EPERM, (struct call){SYS_setpriority, {PRIO_PROCESS, id, priority}});
        check_refused(EPERM, (struct call){SYS_ioprio_set, {IO_WHO_PROCESS, id, of_io}});
    }
}

/* Process 1 may belong to the group or to the user. */
CASE(filter__groups_and_users)
{
    static const int pids[] = {0, 1, 99999};
    const int priority = getpriority(PRIO_PROCESS, 0);

    for (size_t i = 0; i < COUNT(pids); i++) {
        check_refused(EPERM, (struct call){SYS_setpriority, {PRIO_PGRP, pids[i], priority}});
        check_refused(EPERM, (struct call){SYS_setpriority, {PRIO_USER, pids[i], priority}});
        check_refused(EPERM, (struct call){SYS_ioprio_set, {IO_WHO_GROUP, pids[i], 0}});
        check_refused(EPERM, (struct call){SYS_ioprio_set, {IO_WHO_USER, pids[i], 0}});
    }
}

/* Thread pools, numpy, Java and R do this to themselves. */
CASE(filter__oneself)
{
    const struct sched_param none = {0};
    cpu_set_t cpus;

    sched_getaffinity(0, sizeof cpus, &cpus);
    for (int i = 0; i < 2; i++) {
        const long pid = i == 0 ? 0 : getpid();

        check_refused(0, (struct call){SYS_prlimit64, {pid, RLIMIT_NOFILE, 0, 0}});
        check_refused(0, (struct call){SYS_sched_setaffinity, {pid, sizeof cpus, (long)&cpus}});
        check_refused(0, (struct call){SYS_sched_setscheduler, {pid, SCHED_OTHER, (long)&none}});
        check_refused(0, (struct call){SYS_sched_setparam, {pid, (long)&none}});
        check_refused(EINVAL, (struct call){SYS_sched_setattr, {pid, 0, 0}});
        check_refused(
            0, (struct call){SYS_setpriority, {PRIO_PROCESS, pid, getpriority(PRIO_PROCESS, 0)}});
        check_refused(0, (struct call){SYS_ioprio_set, {IO_WHO_PROCESS, pid, 0}});
    }
}

CASE(filter__other_calls)
{
    check_refused(0, (struct call){SYS_getpid, {0}});
    check_refused(EBADF, (struct call){SYS_read, {-1, 0, 0}});
    check_refused(ENOSYS, (struct call){100000, {0}});
}

#if defined __x86_64__
/* getpid(2) by the entry for 32-bit programs; the result is an errno below 0. */
static int call_by_interrupt(bool filtered)
{
    long result;

    if (filtered && filter_install(false, true, 0) != 0)
        return 255;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "cc");
    return (int)result < 0 ? -(int)result : 0;
}

static int status_by_interrupt(bool filtered)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(call_by_interrupt(filtered));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/*
 * Each of the other two ways into the kernel has numbers of its own: x32 (a kernel without it says
 * the same as the filter) and i386 (a kernel without it sends SIGSEGV).
 */
CASE(filter__other_architectures)
{
    const long x32 = 0x40000000;
    const int unfiltered = status_by_interrupt(false);
    const bool has_i386 = !WIFSIGNALED(unfiltered) || WTERMSIG(unfiltered) != SIGSEGV;

    assert_int_equal(status_by_interrupt(true), has_i386 ? ENOSYS << 8 : unfiltered);
    check_refused(ENOSYS, (struct call){x32 | SYS_getpid, {0}});
    check_refused(ENOSYS, (struct call){x32 | SYS_keyctl, {0}});
    check_refused(ENOSYS, (struct call){x32 + 512, {0}});
}
#endif

/* What a process starts has the filter too, and gains no privileges. */
static int is_inherited(void)
{
    int status;

    if (filter_install(false, true, 0) != 0)
        return 1;
    if (fork() == 0) {
        static char script[] = "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'";
        char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};

        execv("/bin/sh", arguments);
        _exit(127);
    }
    wait(&status);
    return status == 0 ? 0 : 2;
}

CASE(filter__is_inherited)
{
    struct strbuf got;
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        _exit(is_inherited());
    }
    close(ends[1]);
    got = read_all(ends[0]);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(strbuf_string(&got), "NoNewPrivs:1\nSeccomp:2\n");
    strbuf_release(&got);
}
