/*
 * Where the relay accepts connections of programs. Knows nothing of what passes through them.
 */
#ifndef SUPERVISOR_RELAY_LISTEN_H
#define SUPERVISOR_RELAY_LISTEN_H

/*
 * Return a socket that listens, non-blocking and close-on-exec; -1, errno. At MUX_PORT of the
 * loopback interface this takes up to a second: the relay of the request before may not have ended
 * yet. At MUX_TOOLS_SOCKET a file of an earlier relay, or of a program of the same session, is
 * replaced; a directory there is an error.
 */
int relay_listen_at_port(void);
int relay_listen_at_path(void);

#endif
