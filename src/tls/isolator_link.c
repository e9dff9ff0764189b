#define _GNU_SOURCE
#include "tls/isolator_link.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/host_name.h"
#include "base/memory.h"
#include "network/http_text.h"

bool link_is_valid(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

void link_order_free(struct link_order *order)
{
    if (!order)
        return;
    if (order->program >= 0)
        close(order->program);
    if (order->host >= 0)
        close(order->host);
    OPENSSL_cleanse(order->text, order->text_length);
    free(order->text);
    free(order);
}

/* ---- what a message says */

/* Whether the name is as host_name_read() writes it. */
static bool is_host(const char *host)
{
    const bool has_colon = strchr(host, ':') != NULL;
    char text[HOST_NAME_SIZE + 2], name[HOST_NAME_SIZE];

    if (strlen(host) >= HOST_NAME_SIZE)
        return false;
    snprintf(text, sizeof text, has_colon ? "[%s]" : "%s", host);
    return host_name_read(text, strlen(text), name) && strcmp(name, host) == 0;
}

static bool is_field(const struct http_field *field)
{
    return span_is_token((struct span){field->name, strlen(field->name)}) &&
           span_has_only((struct span){field->value, strlen(field->value)}, http_is_value_byte);
}

/* Returns the next string of the text; NULL: there is none. */
static const char *next_string(const struct link_order *order, size_t *at)
{
    const char *string = order->text + *at;

    if (*at == order->text_length)
        return NULL;
    *at += strlen(string) + 1;
    return string;
}

/* Reads the host and the fields. Returns NULL, or what is wrong: a static text. */
static const char *read_text(struct link_order *order)
{
    struct http_tunnel *tunnel = &order->tunnel;
    size_t at = 0;

    if (order->text_length == 0 || order->text[order->text_length - 1] != '\0')
        return "a text without NUL at its end";
    tunnel->host = next_string(order, &at);
    tunnel->fields = order->fields;
    if (!is_host(tunnel->host) || tunnel->port == 0)
        return "no host, or port 0";
    while (at < order->text_length) {
        struct http_field *field = &order->fields[tunnel->field_count++];

        if (tunnel->field_count > LINK_FIELDS_MAX)
            return "too many fields";
        field->name = next_string(order, &at);
        field->value = next_string(order, &at);
        if (!field->value || !is_field(field))
            return "a field that is none of HTTP";
    }
    return NULL;
}

static bool set_nonblocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    int type = 0;
    socklen_t size = sizeof type;

    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

static bool has_sockets(const struct link_order *order)
{
    return order->program >= 0 && order->host >= 0 && set_nonblocking(order->program) &&
           set_nonblocking(order->host);
}

/* Reads all but the descriptors. Returns NULL, or what is wrong: a static text. */
static const char *read_packet(struct link_order *order, const char *bytes, size_t length)
{
    struct terminator_message message = {.type = 0};

    if (length < sizeof message)
        return "a message that is too short";
    memcpy(&message, bytes, sizeof message);
    if (message.type != TERMINATOR_OPEN)
        return "a message of an unknown type";
    order->number = message.number;
    order->tunnel.port = message.port;
    order->text_length = length - sizeof message;
    order->text = memory_allocate(order->text_length + 1);
    memcpy(order->text, bytes + sizeof message, order->text_length);
    order->text[order->text_length] = '\0';
    return read_text(order);
}

/* ---- the socket */

/* Takes up to two descriptors out of a control message; the kernel drops more (MSG_CTRUNC). */
static void take_descriptors(struct msghdr *header, struct link_order *order)
{
    int fds[TERMINATOR_FDS];

    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS ||
            count > TERMINATOR_FDS)
            continue;
        memcpy(fds, CMSG_DATA(part), count * sizeof(int));
        if (count > 0)
            order->program = fds[0];
        if (count > 1)
            order->host = fds[1];
    }
}

enum link_result link_read(int fd, struct link_order **opened, const char **problem)
{
    static char bytes[TERMINATOR_PACKET_MAX];
    union {
        char bytes[CMSG_SPACE(TERMINATOR_FDS * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    const ssize_t length = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct link_order *order;

    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return LINK_NOTHING;
    if (length <= 0)
        return LINK_ENDED;
    order = memory_allocate(sizeof *order);
    *order = (struct link_order){.program = -1, .host = -1};
    take_descriptors(&header, order);
    *problem = header.msg_flags & MSG_TRUNC ? "a message that is too long"
                                            : read_packet(order, bytes, (size_t)length);
    if (!*problem && !(header.msg_flags & MSG_CTRUNC) && !has_sockets(order))
        *problem = "a message without two sockets";
    OPENSSL_cleanse(bytes, (size_t)length);
    if (*problem) {
        link_order_free(order);
        return LINK_WRONG;
    }
    *opened = order;
    return header.msg_flags & MSG_CTRUNC ? LINK_REFUSED : LINK_OPENED;
}

/*
 * Sends a message: the host, unless that is NULL, and a text, which is cut to
 * TERMINATOR_REASON_MAX bytes; with a descriptor unless that is -1.
 */
static int send_message(int fd, const struct terminator_message *message, const char *host,
                        const char *text, int passed)
{
    struct terminator_message start = *message;
    const int flags =
        message->type == TERMINATOR_GIVEN_UP ? MSG_NOSIGNAL | MSG_DONTWAIT : MSG_NOSIGNAL;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec parts[] = {{&start, sizeof start},
                            {(char *)host, host ? strlen(host) + 1 : 0},
                            {(char *)text, strnlen(text, TERMINATOR_REASON_MAX)}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 3};

    if (passed >= 0) {
        header.msg_control = &control;
        header.msg_controllen = sizeof control.bytes;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof passed);
        memcpy(CMSG_DATA(&control.header), &passed, sizeof passed);
    }
    while (sendmsg(fd, &header, flags) < 0) {
        struct pollfd polled = {.fd = fd, .events = POLLOUT};

        if (errno == EAGAIN && !(flags & MSG_DONTWAIT))
            poll(&polled, 1, -1);
        else if (errno != EINTR)
            return -1;
    }
    return 0;
}

int link_send_ready(int fd, int certificates)
{
    const struct terminator_message message = {.type = TERMINATOR_READY,
                                               .number = TERMINATOR_VERSION};

    return send_message(fd, &message, NULL, "", certificates);
}

void link_send_failed(int fd, const char *why)
{
    (void)send_message(fd, &(struct terminator_message){.type = TERMINATOR_FAILED}, NULL, why, -1);
}

void link_send_given_up(int fd, const struct link_order *order, int status, const char *why)
{
    const struct terminator_message message = {.type = TERMINATOR_GIVEN_UP,
                                               .port = order->tunnel.port,
                                               .status = (uint16_t)status,
                                               .number = order->number};

    /* If isolator has gone, its socket says so, too. */
    (void)send_message(fd, &message, order->tunnel.host, why, -1);
}
