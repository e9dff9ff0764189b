/*
 * The supervisor: process 1 of each container. It runs the program and tells isolator the truth
 * about it.
 *
 * usage: supervisor WORKDIR
 */
#include <stdbool.h>
#include <unistd.h>

#include "supervisor/supervise.h"

int main(int argc, char **argv)
{
    const bool is_init = getpid() == 1;
    const struct supervise_options options = {
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .workdir = argc == 2 ? argv[1] : "",
        .cgroup_dir = "/sys/fs/cgroup",
        .mountinfo = is_init ? "/proc/self/mountinfo" : NULL, /* never empty another system */
        .sysvipc = "/proc/sysvipc",
        .sockets = "/proc/net/unix",
    };

    /*
     * The program has the same user: it must not find the file that this process executes, which
     * some kernels let it write. In a volume the file is not the user's, and stays. Outside of a
     * container it stays, too. The other one is what the script that starts it has left.
     */
    if (is_init) {
        unlink(argv[0]);
        unlink("/.isolator/all");
    }
    supervise(&options);
}
