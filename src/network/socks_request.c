#include "network/socks_request.h"

#include <string.h>
#include <sys/socket.h>

enum { COMMAND_CONNECT = 1, KIND_IPV4 = 1, KIND_NAME = 3, KIND_IPV6 = 4 };

/* Where the parts of a request are: the version, and these. The port follows the address. */
enum { AT_COMMAND = 1, AT_RESERVED, AT_KIND, AT_ADDRESS, PORT_BYTES = 2 };

enum socks_result socks_read_greeting(const char *bytes, size_t length, size_t *taken)
{
    const size_t methods = length < 2 ? 0 : (unsigned char)bytes[1];

    if (length < 2 || length < 2 + methods)
        return SOCKS_INCOMPLETE;
    *taken = 2 + methods;
    return memchr(bytes + 2, SOCKS_NO_PASSWORD, methods) ? SOCKS_GOOD : SOCKS_REFUSED;
}

static enum socks_result refuse(struct socks_request *request, int status, const char *problem)
{
    request->status = status;
    request->problem = problem;
    return SOCKS_REFUSED;
}

/* Where the address ends; 0: there is no such kind. */
static size_t address_end(const unsigned char *bytes)
{
    switch (bytes[AT_KIND]) {
    case KIND_IPV4:
        return AT_ADDRESS + 4;
    case KIND_IPV6:
        return AT_ADDRESS + 16;
    case KIND_NAME:
        return AT_ADDRESS + 1 + (size_t)bytes[AT_ADDRESS];
    default:
        return 0;
    }
}

/* False: this is not a name that can be compared. SOCKS has no addresses in brackets. */
static bool read_host(const unsigned char *bytes, char host[HOST_NAME_SIZE])
{
    const bool is_ipv4 = bytes[AT_KIND] == KIND_IPV4;
    struct ip_address address = {.family = is_ipv4 ? AF_INET : AF_INET6};

    if (bytes[AT_KIND] == KIND_NAME)
        return bytes[AT_ADDRESS + 1] != '[' &&
               host_name_read((const char *)bytes + AT_ADDRESS + 1, bytes[AT_ADDRESS], host);
    memcpy(address.bytes, bytes + AT_ADDRESS, is_ipv4 ? 4 : 16);
    ip_address_text(&address, host);
    return true;
}

enum socks_result socks_read_request(const char *text, size_t length, struct socks_request *request)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t end;

    if (length <= AT_ADDRESS)
        return SOCKS_INCOMPLETE;
    end = address_end(bytes);
    if (bytes[0] != SOCKS_VERSION || bytes[AT_RESERVED] != 0 || end == 0)
        return refuse(request, 400, "it is not SOCKS 5");
    if (length < end + PORT_BYTES)
        return SOCKS_INCOMPLETE;
    if (bytes[AT_COMMAND] != COMMAND_CONNECT)
        return refuse(request, 501, "the proxy has no command of SOCKS but CONNECT");
    request->port = (unsigned short)(bytes[end] << 8 | bytes[end + 1]);
    request->length = end + PORT_BYTES;
    if (request->port == 0 || !read_host(bytes, request->host))
        return refuse(request, 400, "it does not name a host and a port");
    return SOCKS_GOOD;
}

void socks_write_reply(unsigned char reply[SOCKS_REPLY_SIZE], enum socks_reply code)
{
    memset(reply, 0, SOCKS_REPLY_SIZE);
    reply[0] = SOCKS_VERSION;
    reply[1] = (unsigned char)code;
    reply[AT_KIND] = KIND_IPV4;
}
