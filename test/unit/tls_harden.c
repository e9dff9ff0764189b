#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tls/harden.h"

/* Each is tried in a child, whose exit status is the number of the line that went wrong. */

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit(__LINE__ % 200 + 1);                                                             \
    } while (0)
#define REFUSED(call) REQUIRE((call) == -1 && errno == EPERM)

static void check_child(void (*child)(void))
{
    const pid_t pid = fork();
    int status;

    if (pid == 0) {
        child();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("wait status 0x%x: line %d modulo 200", (unsigned)status, WEXITSTATUS(status) - 1);
}

static void be_hardened(void)
{
    const int fd = dup(0);
    struct rlimit limit;

    REQUIRE(fd > 2);
    REQUIRE(!harden_process());
    REQUIRE(prctl(PR_GET_DUMPABLE) == 0);
    REQUIRE(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    REQUIRE(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0);
    REQUIRE(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
}

CASE(tls_harden__process)
{
    check_child(be_hardened);
}

static void be_filtered(void)
{
    struct pollfd none = {.fd = -1};
    int ends[2];
    char byte = 'x';

    REQUIRE(pipe(ends) == 0);
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(!harden_system_calls());
    REFUSED(open("/dev/null", O_RDONLY));
    REFUSED(socket(AF_UNIX, SOCK_STREAM, 0));
    REFUSED(fork());
    REFUSED(execl("/bin/true", "true", (char *)NULL));
    REFUSED(kill(getpid(), 0));
    REFUSED(unlink("/none"));
    REFUSED(rename("/none", "/none"));
    REFUSED(truncate("/none", 0));
    REFUSED(symlink("/none", "/none/x"));
    REFUSED(link("/none", "/none/x"));
    REFUSED(chmod("/none", 0));
    REFUSED(mknod("/none/x", S_IFREG, 0));
    REFUSED(syscall(SYS_setxattr, "/none", "user.x", "", 0, 0));
    REFUSED(syscall(SYS_rt_sigqueueinfo, getpid(), 0, NULL));
    REFUSED(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, 0, 0));
    REFUSED(syscall(SYS_userfaultfd, 0));
    REFUSED(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    REQUIRE(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
    REQUIRE(poll(&none, 1, 0) == 0);
}

CASE(tls_harden__system_calls)
{
    check_child(be_filtered);
}

static void end_with_abort(void)
{
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(!harden_system_calls());
    abort();
}

CASE(tls_harden__abort)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0) {
        harden_process();
        end_with_abort();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
