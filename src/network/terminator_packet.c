#define _GNU_SOURCE
#include "network/terminator_packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Takes the first descriptor out of a control message, and closes the others. */
static void take_descriptor(struct msghdr *header, struct terminator_packet *packet)
{
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control;
         control = CMSG_NXTHDR(header, control)) {
        const size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(control) + i * sizeof fd, sizeof fd);
            if (packet->fd < 0)
                packet->fd = fd;
            else
                close(fd);
        }
    }
}

int terminator_packet_receive(int fd, struct terminator_packet *packet)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * TERMINATOR_FDS)];
    } control;
    struct iovec parts[] = {{&packet->message, sizeof packet->message},
                            {packet->text, sizeof packet->text - 2}};
    struct msghdr header = {.msg_iov = parts,
                            .msg_iovlen = 2,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    const ssize_t length = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    packet->fd = -1;
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (length >= 0)
        take_descriptor(&header, packet);
    if (length >= (ssize_t)sizeof packet->message &&
        (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) {
        memset(packet->text + ((size_t)length - sizeof packet->message), 0, 2);
        return 1;
    }
    if (packet->fd >= 0)
        close(packet->fd);
    return -1;
}
