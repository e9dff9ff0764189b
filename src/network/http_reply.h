/*
 * What isolator replies to a request of HTTP that it does not pass on.
 */
#ifndef NETWORK_HTTP_REPLY_H
#define NETWORK_HTTP_REPLY_H

/*
 * Returns a whole response, owned. Its first line has the reason too, since most clients show no
 * more. The status is one of 400, 403, 431, 501, 502, 504 and 505; `why` is ASCII without controls.
 * Another status aborts.
 */
char *http_reply(int status, const char *why) __attribute__((returns_nonnull));

#endif
