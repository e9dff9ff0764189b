#define _GNU_SOURCE
#include "network/terminator.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/host_name.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "network/terminator_packet.h"

#define PROGRAM "isolator-tls"

/* How long it has for its start, which takes 10 ms, on a busy machine. */
enum { START_MS = 20000 };

/* How long to wait for the last words of a program that has closed its socket. */
enum { WORDS_MS = 1000 };

/* Bytes of a reason that are kept. */
enum { REASON_MAX = 1024 };

/* The longest text of OPEN. */
enum {
    OPEN_TEXT_MAX = HOST_NAME_SIZE +
                    NETWORK_CREDENTIALS_MAX *
                        (CREDENTIAL_HEADER_MAX + CREDENTIAL_PREFIX_MAX + CREDENTIAL_VALUE_MAX + 2)
};

struct terminator {
    struct process process;
    int socket;       /* owned; -1: the program has ended */
    int certificates; /* owned */
    uint64_t last;    /* the number of the last connection */
};

/* ---- the start */

/*
 * The path of the program; owned. NULL: it is not installed. The link names the file of this
 * program, also after that was replaced by an upgrade.
 */
static char *find_program(void)
{
    static const char *const places[] = {"", "../libexec/isolator/"};
    char own[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    const char *slash = length > 0 ? strrchr(own, '/') : NULL;

    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        CLEANUP_FREE char *path =
            string_format("%.*s/%s" PROGRAM, (int)(slash - own), own, places[i]);

        if (access(path, X_OK) == 0)
            return realpath(path, NULL);
    }
    return NULL;
}

static int start_program(struct terminator *terminator, struct error *error)
{
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    CLEANUP_FREE char *program = find_program();
    CLEANUP_FD int theirs = -1;
    int pair[2];

    if (!program)
        return error_set(error, ERROR_CONFIG,
                         "cannot find '" PROGRAM "', which \"tls\": \"terminate\" needs: install "
                         "the Debian package, or run 'make install' with libssl-dev installed; "
                         "static programs, wheels and npm packages do not have it");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot make a pair of sockets");
    terminator->socket = pair[0];
    theirs = pair[1];
    strvec_push(&arguments, program);
    const struct process_options options = {
        .arguments = &arguments, .stdin_kind = PROCESS_STDIN_FILE, .stdin_file = theirs};
    if (process_start(&terminator->process, &options, error) == 0)
        return 0;
    if (error->kind == ERROR_ENGINE) /* it cannot be executed */
        error->kind = ERROR_CONFIG;
    return -1;
}

char *terminator_words(const struct terminator *terminator)
{
    char words[REASON_MAX];
    const int fd = terminator->process.out[PROCESS_STDERR];
    ssize_t length = fd >= 0 ? read(fd, words, sizeof words - 1) : 0;

    while (length > 0 && words[length - 1] == '\n')
        length--;
    words[length > 0 ? length : 0] = '\0';
    return text_escape(words);
}

/* Sets the error of a program that has ended at its start, with its last words. */
static int set_ended_at_start(const struct terminator *terminator, struct error *error)
{
    struct pollfd polled = {.fd = terminator->process.out[PROCESS_STDERR], .events = POLLIN};
    CLEANUP_FREE char *words = NULL;

    io_poll(&polled, 1, WORDS_MS);
    words = terminator_words(terminator);
    return error_set(error, ERROR_SYSTEM, PROGRAM " ended at its start%s%s", *words ? ": " : "",
                     words);
}

int terminator_check_version(uint64_t version, struct error *error)
{
    if (version == TERMINATOR_VERSION)
        return 0;
    return error_set(error, ERROR_CONFIG,
                     PROGRAM " has version %llu, isolator needs %d; install both from the same "
                             "package",
                     (unsigned long long)version, TERMINATOR_VERSION);
}

static int wait_until_ready(struct terminator *terminator, const struct notifier *cancel,
                            struct error *error)
{
    struct terminator_packet packet = {.fd = -1};
    const long long deadline = clock_now_ms() + START_MS;
    struct pollfd polled[] = {{.fd = terminator->socket, .events = POLLIN},
                              {.fd = notifier_fd(cancel), .events = POLLIN}};
    CLEANUP_FREE char *why = NULL;
    int received = 0;

    while (received == 0) {
        const long long left = deadline - clock_now_ms();

        if (notifier_raised(cancel))
            return error_set(error, ERROR_CANCELLED, "cancelled");
        if (left <= 0)
            return error_set(error, ERROR_SYSTEM, PROGRAM " was not ready within %d s",
                             START_MS / 1000);
        if (io_poll(polled, 2, (int)left) > 0)
            received = terminator_packet_receive(terminator->socket, &packet);
    }
    if (received > 0 && packet.message.type == TERMINATOR_READY && packet.fd >= 0) {
        terminator->certificates = packet.fd;
        return terminator_check_version(packet.message.number, error);
    }
    if (received > 0 && packet.fd >= 0)
        close(packet.fd);
    if (received < 0 || packet.message.type != TERMINATOR_FAILED)
        return set_ended_at_start(terminator, error);
    why = text_escape_short(packet.text, REASON_MAX);
    return error_set(error, ERROR_CONFIG, PROGRAM ": %s", why);
}

/* A text with room for all that can be in it: one that grew would leave values in freed memory. */
static struct strbuf new_text(void)
{
    return (struct strbuf){.data = memory_allocate(OPEN_TEXT_MAX + 1),
                           .capacity = OPEN_TEXT_MAX + 1};
}

static void wipe_text(struct strbuf *text)
{
    explicit_bzero(text->data, text->capacity);
    strbuf_release(text);
}

/* Adds the name and the value of each field that the host gets. */
static int add_credentials(const struct network_host *rule, struct strbuf *text,
                           struct error *error)
{
    for (size_t i = 0; i < rule->credential_count; i++) {
        const struct network_credential *credential = &rule->credentials[i];
        CLEANUP(network_credential_wipe) char *value = NULL;

        if (network_credential_read(credential, &value, error) != 0)
            return error_prefix(error, "the credential for '%s'", rule->name);
        strbuf_add(text, credential->header, strlen(credential->header) + 1);
        strbuf_add(text, value, strlen(value) + 1);
    }
    return 0;
}

/* Reads every credential once, so that a run does not begin without one. */
static int check_credentials(const struct network_rules *rules, struct error *error)
{
    for (size_t i = 0; i < rules->count; i++) {
        CLEANUP(wipe_text) struct strbuf text = new_text();

        if (add_credentials(&rules->hosts[i], &text, error) != 0)
            return -1;
    }
    return 0;
}

struct terminator *terminator_new(const struct network_rules *rules, const struct notifier *cancel,
                                  struct error *error)
{
    struct terminator *terminator = memory_allocate(sizeof *terminator);

    *terminator = (struct terminator){.process = PROCESS_INIT, .socket = -1, .certificates = -1};
    if (check_credentials(rules, error) == 0 && start_program(terminator, error) == 0 &&
        wait_until_ready(terminator, cancel, error) == 0)
        return terminator;
    terminator_free(terminator);
    return NULL;
}

static void close_socket(struct terminator *terminator)
{
    if (terminator->socket >= 0)
        close(terminator->socket);
    terminator->socket = -1;
}

void terminator_free(struct terminator *terminator)
{
    if (!terminator)
        return;
    close_socket(terminator);
    process_release(&terminator->process);
    if (terminator->certificates >= 0)
        close(terminator->certificates);
    free(terminator);
}

int terminator_add_certificates(const struct terminator *terminator, struct archive *archive,
                                const char *name, struct error *error)
{
    struct stat status;

    if (fstat(terminator->certificates, &status) != 0 ||
        lseek(terminator->certificates, 0, SEEK_SET) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot read the certificates");
    return archive_add_file(archive, name, terminator->certificates, status.st_size, false, 0,
                            error);
}

/* ---- connections */

/* Sends a message with two descriptors. 0, or -1 with errno: EAGAIN if the socket is full. */
static int send_open(int fd, struct terminator_message *message, const struct strbuf *text,
                     const int fds[TERMINATOR_FDS])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * TERMINATOR_FDS)];
    } control = {.bytes = {0}};
    struct iovec parts[] = {{message, sizeof *message}, {text->data, text->length}};
    struct msghdr header = {.msg_iov = parts,
                            .msg_iovlen = 2,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * TERMINATOR_FDS);
    memcpy(CMSG_DATA(rights), fds, sizeof(int) * TERMINATOR_FDS);
    return sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int terminator_open(struct terminator *terminator, const struct network_host *rule,
                    const char *host, unsigned short port, int host_fd, struct error *error)
{
    struct terminator_message message = {
        .type = TERMINATOR_OPEN, .port = port, .number = terminator->last + 1};
    CLEANUP(wipe_text) struct strbuf text = new_text();
    CLEANUP_FD int ours = -1, theirs = -1;
    int pair[2];

    strbuf_add(&text, host, strlen(host) + 1);
    if (add_credentials(rule, &text, error) != 0)
        return -1;
    if (terminator_has_ended(terminator))
        return error_set(error, ERROR_SYSTEM, PROGRAM " has ended; start a new run or session");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot make a pair of sockets");
    ours = pair[0];
    theirs = pair[1];
    if (send_open(terminator->socket, &message, &text, (const int[]){theirs, host_fd}) != 0)
        return errno == EAGAIN ? TERMINATOR_BUSY
                               : error_set_errno(error, ERROR_SYSTEM, "cannot reach " PROGRAM);
    terminator->last++;
    return steal_fd(&ours);
}

/* ---- reports */

uint64_t terminator_last_number(const struct terminator *terminator)
{
    return terminator->last;
}

int terminator_fd(const struct terminator *terminator)
{
    return terminator->socket;
}

bool terminator_has_ended(const struct terminator *terminator)
{
    return terminator->socket < 0;
}

void terminator_report_release(struct terminator_report *report)
{
    free(report->host);
    free(report->reason);
}

bool terminator_take_report(struct terminator *terminator, struct terminator_report *report)
{
    struct terminator_packet packet;
    int received;

    if (terminator->socket < 0)
        return false;
    received = terminator_packet_receive(terminator->socket, &packet);
    if (received == 0)
        return false;
    if (received < 0 || packet.fd >= 0 || packet.message.type != TERMINATOR_GIVEN_UP) {
        if (received > 0 && packet.fd >= 0)
            close(packet.fd);
        close_socket(terminator);
        return false;
    }
    *report = (struct terminator_report){
        .number = packet.message.number,
        .host = text_escape_short(packet.text, REASON_MAX),
        .port = packet.message.port,
        .status = packet.message.status,
        .reason = text_escape_short(packet.text + strlen(packet.text) + 1, REASON_MAX),
    };
    return true;
}
