/*
 * The supervisor: process 1 of each container. It runs the program and tells isolator the truth
 * about it.
 *
 * usage: supervisor WORKDIR [KEY]
 *        supervisor WORKDIR --workspace NAME ENDS IDLE
 *        supervisor --attach NAME
 *        supervisor --files ...: see supervisor/files.h
 *        supervisor --probe WHAT BELOW BEYOND
 *        supervisor --relay CONNECTIONS
 *        isolator-call ...: see supervisor/relay/tool_call.h
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limit_probe.h"
#include "base/mux.h"
#include "supervisor/attach.h"
#include "supervisor/files.h"
#include "supervisor/probe.h"
#include "supervisor/protocol.h"
#include "supervisor/relay/relay_server.h"
#include "supervisor/relay/tool_call.h"
#include "supervisor/supervise.h"
#include "supervisor/workspace.h"

/* The key of a job, which programs must not find in the arguments of this process. */
static char key[JOB_KEY_SIZE];

/* Moves the argument to `key`. False: its start cannot be the name of a file. */
static bool take_key(char *argument)
{
    const size_t length = strlen(argument);
    const bool good = length == sizeof key - 1 && !strchr(argument, '/');

    if (good)
        memcpy(key, argument, length + 1);
    memset(argument, 0, length);
    return good;
}

static int open_script(void)
{
    char path[sizeof JOB_DIRECTORY + 1 + JOB_NAME_LENGTH];

    snprintf(path, sizeof path, "%s/%.*s", JOB_DIRECTORY, JOB_NAME_LENGTH, key);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * Whether no program can write where the order to stop comes from. An engine may give the volume to
 * the user of the container.
 */
static bool is_of_root(const char *directory)
{
    struct stat status;

    return stat(directory, &status) == 0 && status.st_uid == 0 &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The file is not needed any more, and programs need not find it. */
static _Noreturn void run_relay(const char *file, const char *connections)
{
    const unsigned long count = strtoul(connections, NULL, 10);

    if (count < 1 || count > MUX_PROXY_MAX)
        _exit(1);
    unlink(file);
    relay_server_detached((uint32_t)count);
}

static bool is_name(const char *text)
{
    return strlen(text) == WORKSPACE_NAME_LENGTH &&
           strspn(text, "0123456789abcdef") == WORKSPACE_NAME_LENGTH;
}

/* A number of seconds that is not 0. */
static bool take_seconds(const char *text, uint64_t *seconds)
{
    enum { DIGITS_MAX = 11 };
    const size_t length = strspn(text, "0123456789");

    *seconds = strtoull(text, NULL, 10);
    return length > 0 && length <= DIGITS_MAX && text[length] == '\0' && *seconds > 0;
}

/* The arguments after WORKSPACE_OPTION. */
static bool take_workspace(char **arguments, struct workspace_options *options)
{
    options->name = arguments[0];
    return is_name(arguments[0]) && take_seconds(arguments[1], &options->ends_s) &&
           take_seconds(arguments[2], &options->idle_s);
}

static int run_supervisor(int argc, char **argv)
{
    const bool has_script = argc == 3;
    const bool has_workspace = argc == 6 && strcmp(argv[2], WORKSPACE_OPTION) == 0;
    struct workspace_options workspace = {.attach_ms = WORKSPACE_ATTACH_MS, .user = 0};
    const bool good = has_script      ? take_key(argv[2])
                      : has_workspace ? take_workspace(argv + 3, &workspace)
                                      : true;
    const bool is_init = getpid() == 1;
    const struct supervise_options options = {
        .in = has_script && good ? open_script() : STDIN_FILENO,
        .out = STDOUT_FILENO,
        .key = has_script ? key : NULL,
        .workspace = has_workspace ? &workspace : NULL,
        .stop = has_script || has_workspace ? JOB_STOP_FILE : NULL,
        .workdir = argc == 2 || has_script || has_workspace ? argv[1] : "",
        .cgroup_dir = "/sys/fs/cgroup",
        .mountinfo = is_init ? "/proc/self/mountinfo" : NULL, /* never empty another system */
        .sysvipc = "/proc/sysvipc",
        .sockets = "/proc/net/unix",
        .fifos = FIFO_DIRECTORY,
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
    if (!good || options.in < 0 || ((has_script || has_workspace) && !is_of_root(FIFO_DIRECTORY)) ||
        (has_workspace && geteuid() == workspace.user)) /* programs would be clients */
        return 1;
    return supervise(&options);
}

int main(int argc, char **argv)
{
    if (argc > 0 && tool_call_is_meant(argv[0]))
        return tool_call_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], PROBE_OPTION) == 0)
        return probe(argv + 2);
    if (argc == 3 && strcmp(argv[1], ATTACH_OPTION) == 0)
        return is_name(argv[2]) ? attach(argv[2], 1) : 1;
    if (argc > 1 && strcmp(argv[1], FILES_OPTION) == 0)
        return files_main(argv + 2);
    if (argc == 3 && strcmp(argv[1], MUX_RELAY_OPTION) == 0)
        run_relay(argv[0], argv[2]);
    return run_supervisor(argc, argv);
}
