#define _GNU_SOURCE
#include "supervisor/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/figures.h"

void peer_init(struct peer *peer, const char *directory)
{
    *peer = (struct peer){.directory = directory, .writer = -1, .readers = {-1, -1}};
}

static const char *input_of(const struct peer *peer)
{
    return peer->is_interactor ? FIFO_TO_INTERACTOR : FIFO_TO_PROGRAM;
}

static const char *output_of(const struct peer *peer)
{
    return peer->is_interactor ? FIFO_TO_PROGRAM : FIFO_TO_INTERACTOR;
}

/* Opens an end of a FIFO without waiting for the other side. */
static int open_end(const struct peer *peer, const char *name, int access)
{
    char path[256];
    struct stat status;
    int fd;

    snprintf(path, sizeof path, "%s/%s", peer->directory, name);
    fd = open(path, access | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)))
        return fd;
    close(fd);
    errno = ENOTSUP;
    return -1;
}

/* When they were last written to or read, a program before this one has chosen. */
static void forget_times(const int readers[2])
{
    for (int i = 0; i < 2; i++)
        if (futimens(readers[i], NULL) != 0)
            errno = 0; /* this user cannot write there */
}

/*
 * The other side of each FIFO has to be open before the end that is written. No one is joined yet
 * when an interactor is: what is in the FIFOs then belongs to nothing.
 */
static bool open_ends(struct peer *peer, int ends[2])
{
    const char *in = input_of(peer), *out = output_of(peer);

    ends[0] = open_end(peer, in, O_RDONLY);
    if (peer->is_interactor && ends[0] >= 0) {
        peer->readers[0] = open_end(peer, out, O_RDONLY);
        peer->readers[1] = open_end(peer, in, O_RDONLY);
        if (peer->readers[0] < 0 || peer->readers[1] < 0)
            return false;
        descriptor_discard(&peer->readers[0]);
        descriptor_discard(&peer->readers[1]);
        peer->readers[0] = open_end(peer, out, O_RDONLY);
        peer->readers[1] = open_end(peer, in, O_RDONLY);
        peer->writer = open_end(peer, in, O_WRONLY);
        if (peer->readers[0] < 0 || peer->readers[1] < 0 || peer->writer < 0)
            return false;
        forget_times(peer->readers);
    }
    ends[1] = ends[0] >= 0 ? open_end(peer, out, O_WRONLY) : -1;
    return ends[1] >= 0;
}

bool peer_join(struct peer *peer, uint32_t flags, int ends[2])
{
    int error;

    peer_close(peer);
    peer->joined = (flags & (FRAME_RUN_JOINED | FRAME_RUN_INTERACTOR)) != 0;
    peer->is_interactor = (flags & FRAME_RUN_INTERACTOR) != 0;
    if (!peer->joined)
        return true;
    ends[0] = ends[1] = -1;
    if (open_ends(peer, ends)) {
        for (int i = 0; i < 2; i++)
            fcntl(ends[i], F_SETFL, 0); /* programs expect that a read waits */
        return true;
    }
    error = errno;
    descriptor_close(&ends[0]);
    peer_close(peer);
    errno = error;
    return false;
}

void peer_let_go(struct peer *peer)
{
    descriptor_close(&peer->writer);
    peer->drops[0] = true;
}

/* What drops the bytes also writes, so that it never sees an end: a program may be joined later. */
void peer_end(struct peer *peer)
{
    int drain;

    descriptor_close(&peer->writer);
    if (peer->readers[1] < 0 || peer->drops[1])
        return;
    drain = open_end(peer, input_of(peer), O_RDWR);
    if (drain < 0)
        return;
    descriptor_close(&peer->readers[1]);
    peer->readers[1] = drain;
    peer->drops[1] = true;
}

void peer_close(struct peer *peer)
{
    descriptor_close(&peer->writer);
    for (int i = 0; i < 2; i++) {
        descriptor_close(&peer->readers[i]);
        peer->drops[i] = false;
    }
}

/*
 * Whether a pipe, of which this is the end that is read, may have no room. The kernel keeps what
 * one call writes together in a page if it fits there, so that half of each page can be empty.
 */
static bool may_be_full(int fd)
{
    const int size = fcntl(fd, F_GETPIPE_SZ);

    return size > 0 && descriptor_pending(fd) * 2 >= (uint64_t)size;
}

static bool has_no_room(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLOUT};

    return poll(&polled, 1, 0) == 0;
}

/* How long ago something was written to either FIFO, which the kernel notes. */
static uint64_t idle_ms(const int fifos[2])
{
    struct timespec last = {0, 0}, now;
    long long ms;

    for (int i = 0; i < 2; i++) {
        struct stat status;

        if (fifos[i] >= 0 && fstat(fifos[i], &status) == 0 &&
            (status.st_mtim.tv_sec > last.tv_sec ||
             (status.st_mtim.tv_sec == last.tv_sec && status.st_mtim.tv_nsec > last.tv_nsec)))
            last = status.st_mtim;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    ms = (long long)(now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
    return ms > 0 ? (uint64_t)ms : 0;
}

static void read_wait_state(const struct peer *peer, int in, int out,
                            struct frame_wait_state *wait_state)
{
    int fifos[2] = {-1, -1};

    if (peer->joined) {
        in = fifos[0] = open_end(peer, input_of(peer), O_RDONLY);
        out = fifos[1] = open_end(peer, output_of(peer), O_WRONLY);
        wait_state->idle_ms = idle_ms(fifos);
    }
    if (out >= 0 && (peer->joined ? has_no_room(out) : may_be_full(out)))
        wait_state->wait = FRAME_WAIT_OUTPUT;
    else if (in >= 0 && descriptor_pending(in) == 0)
        wait_state->wait = FRAME_WAIT_INPUT;
    descriptor_close(&fifos[0]);
    descriptor_close(&fifos[1]);
}

void peer_begin_wait_state(struct peer *peer, uint64_t wait_state_ms)
{
    peer->wait_state_us = wait_state_ms > 0 ? figures_clock_us() + wait_state_ms * 1000 : 0;
}

bool peer_take_wait_state(struct peer *peer, const struct processes *processes, int in, int out,
                          struct frame_wait_state *wait_state)
{
    if (peer->wait_state_us == 0 || figures_clock_us() < peer->wait_state_us)
        return false;
    peer->wait_state_us = 0;
    *wait_state = (struct frame_wait_state){0};
    if (processes_sleep(processes))
        read_wait_state(peer, in, out, wait_state);
    return true;
}

void peer_watch(struct peer *peer, struct loop *loop, bool runs)
{
    const uint64_t now_us = figures_clock_us();

    for (int i = 0; i < 2; i++)
        if (peer->drops[i])
            descriptor_discard_watch(&peer->readers[i], loop);
    if (runs && peer->wait_state_us > 0)
        loop_limit(loop, peer->wait_state_us > now_us
                             ? (int)((peer->wait_state_us - now_us) / 1000) + 1
                             : 0);
}
