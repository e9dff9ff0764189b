/*
 * The supervisor's work: it serves one request at a time over a connection (supervisor/protocol.h),
 * from the files that arrive to the end of the program and the files that go back.
 */
#ifndef SUPERVISOR_SUPERVISE_H
#define SUPERVISOR_SUPERVISE_H

struct workspace_options;

struct supervise_options {
    int in, out;     /* the connection; made non-blocking */
    const char *key; /* `in` is the file of a script, and this its key; NULL: there is none */
    const struct workspace_options *workspace; /* there are clients in place of `in` and `out`,
                                                  which are not used; NULL: there are none */
    const char *stop;                          /* see stop_file_open() */
    const char *workdir;                       /* becomes the current directory */
    const char *cgroup_dir;                    /* see figures_open() */
    const char *mountinfo;                     /* see places_open(); NULL: KEEP is refused */
    const char *sysvipc;                       /* see clean_sysv() */
    const char *sockets;                       /* see clean_has_sockets() */
    const char *fifos;                         /* see peer_init() */
};

/*
 * Serves the connection until its input ends, or the script, and ends this process: with status 0,
 * or with 1 if what arrived were no frames. A workspace ends with enum
 * workspace_status. All its processes are killed by then, or will be by the
 * kernel if this is process 1.
 */
int supervise(const struct supervise_options *options);

#endif
