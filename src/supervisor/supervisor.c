/*
 * The supervisor: process 1 of each container. It runs the program and tells isolator the truth
 * about it.
 *
 * usage: supervisor WORKDIR
 */
#include <unistd.h>

#include "supervisor/supervise.h"

int main(int argc, char **argv)
{
    const struct supervise_options options = {
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .workdir = argc == 2 ? argv[1] : "",
        .cgroup_dir = "/sys/fs/cgroup",
    };

    /*
     * The program has the same user: it must not find the file that this process executes, which
     * some kernels let it write. In a volume the file is not the user's, and stays. Outside of a
     * container it stays, too.
     */
    if (getpid() == 1)
        unlink(argv[0]);
    supervise(&options);
}
