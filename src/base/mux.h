/*
 * Connections over one stream of bytes in each direction: what isolator and the relay of a
 * container, which accepts the connections of a program, say to each other (src/network,
 * supervisor/relay/relay_server.h). Process 1 passes the bytes on and knows nothing of them.
 *
 * A message is a header of MUX_HEADER bytes and a payload. All numbers are little-endian.
 *
 *     offset  0  2 bytes  the slot: which connection, below the numbers that RUN has ordered
 *             2  1 byte   type
 *             3  1 byte   0
 *             4  4 bytes  length of the payload, at most MUX_DATA_MAX
 *
 *     message   sent by  payload
 *     LISTENS   relay    none: programs can connect. In the first slot of a service, and its first
 *                        message
 *     FAILED    relay    4 bytes, errno: they cannot. In place of LISTENS
 *     OPEN      relay    none: a program has connected
 *     DATA      both     bytes of the connection; need credit
 *     CREDIT    both     4 bytes: so many more bytes of the connection may be sent
 *     END       both     none: no more DATA follows in this direction
 *     CLOSE     both     none: the sender has no more use for the connection, and drops what comes
 *
 * There are two services: the proxy, at a port of the loopback interface, has the first slots, and
 * the tools, at a UNIX socket, those after them.
 *
 * After OPEN either side may send MUX_WINDOW bytes. The slot is free again when both have sent
 * CLOSE; each answers one with its own. The relay first passes on what had come before CLOSE.
 * isolator believes nothing of what the relay says: a message that must not come ends all
 * connections.
 */
#ifndef BASE_MUX_H
#define BASE_MUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mux_type { MUX_LISTENS = 1, MUX_FAILED, MUX_OPEN, MUX_DATA, MUX_CREDIT, MUX_END, MUX_CLOSE };

/*
 * The supervisor as a relay of its own, which serves its standard input and output. The next
 * argument is the number of connections of the proxy; there are no tools.
 */
#define MUX_RELAY_OPTION "--relay"

/* Where the relay listens: the port that proxies have, and a path, which every program can reach.
 */
enum { MUX_PORT = 3128 };
#define MUX_TOOLS_SOCKET "/tmp/.isolator-tools"

/* A directory that is the last one in PATH, and the command there that calls tools. */
#define MUX_TOOLS_DIRECTORY "/tmp/.isolator-bin"
#define MUX_CALL_NAME       "isolator-call"

/*
 * Answers for this command, which reads no JSON. If the first line of a connection of the tools is
 * its name, each answer is parts in place of a line: the type, one byte, a number as that of
 * CREDIT, and a payload of so many bytes.
 *
 *     part      payload
 *     TEXT      bytes of the value; after FAILED, of the reason
 *     FILE      an extension, a NUL and the bytes of a file, whose name is a line of the text.
 *               Without a NUL there are no such bytes, which is an error
 *     FAILED    none: the call was refused or has failed
 *     TOOL      of a list: a name and a description, the first line of which is for people
 *     CURSOR    JSON: where the list goes on
 *     END       none: the answer is complete
 */
enum mux_part {
    MUX_PART_TEXT = 1,
    MUX_PART_FILE,
    MUX_PART_FAILED,
    MUX_PART_TOOL,
    MUX_PART_CURSOR,
    MUX_PART_END
};
enum { MUX_PART_HEADER = 5 };

/* Connections of the proxy and of the tools, which a container has at once. */
enum { MUX_PROXY_MAX = 256, MUX_TOOLS_MAX = 32, MUX_SLOTS_MAX = MUX_PROXY_MAX + MUX_TOOLS_MAX };

enum { MUX_HEADER = 8, MUX_DATA_MAX = 16384, MUX_WINDOW = 65536 };

struct mux_message {
    unsigned slot;
    enum mux_type type;
    size_t length; /* of the payload */
};

static inline void mux_write(unsigned char header[MUX_HEADER], unsigned slot, enum mux_type type,
                             size_t length)
{
    header[0] = (unsigned char)slot;
    header[1] = (unsigned char)(slot >> 8);
    header[2] = (unsigned char)type;
    header[3] = 0;
    for (int i = 0; i < 4; i++)
        header[4 + i] = (unsigned char)(length >> 8 * i);
}

/* False: these bytes are no header. */
static inline bool mux_read(const unsigned char header[MUX_HEADER], struct mux_message *message)
{
    message->slot = (unsigned)header[0] | (unsigned)header[1] << 8;
    message->type = (enum mux_type)header[2];
    message->length = (size_t)header[4] | (size_t)header[5] << 8 | (size_t)header[6] << 16 |
                      (size_t)header[7] << 24;
    return header[3] == 0 && message->slot < MUX_SLOTS_MAX && message->length <= MUX_DATA_MAX;
}

/* The number of CREDIT and FAILED. */
static inline void mux_write_number(unsigned char payload[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        payload[i] = (unsigned char)(number >> 8 * i);
}

static inline uint32_t mux_read_number(const unsigned char payload[4])
{
    return (uint32_t)payload[0] | (uint32_t)payload[1] << 8 | (uint32_t)payload[2] << 16 |
           (uint32_t)payload[3] << 24;
}

#endif
