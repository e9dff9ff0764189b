/*
 * Makes this process hard to read and, if it is taken over, of little use.
 */
#ifndef TLS_HARDEN_H
#define TLS_HARDEN_H

/*
 * No core dump, no debugger of the same user, no privileges by exec, no SIGPIPE; as many
 * descriptors as the system allows, and none but the three standard ones are open, since Linux 5.9.
 * Call it first. Returns NULL, or what the system refuses: a static text. The process has to end
 * then.
 */
const char *harden_process(void);

/*
 * Has the kernel refuse (EPERM) what is not needed any more: to open and change files, to make
 * sockets and processes, to execute programs, and to reach into other processes. Call it when
 * everything is loaded. Does nothing on another architecture than x86-64 and arm64. Returns as
 * harden_process().
 */
const char *harden_system_calls(void);

#endif
