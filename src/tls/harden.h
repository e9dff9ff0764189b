/*
 * Makes this process hard to read and, if it is taken over, of little use.
 */
#ifndef TLS_HARDEN_H
#define TLS_HARDEN_H

/*
 * No core dump, no debugger of the same user, no privileges by exec, no SIGPIPE; as many
 * descriptors as the system allows. Call it first.
 */
void harden_process(void);

/*
 * Has the kernel refuse (EPERM) what is not needed any more: to open files, to make sockets and
 * processes, to execute programs, and to reach into other processes. Call it when everything is
 * loaded. Does nothing on a kernel without seccomp, or on another architecture than x86-64 and
 * arm64.
 */
void harden_system_calls(void);

#endif
