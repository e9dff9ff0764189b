/*
 * Fuzz target: what the supervisor reads: frames, and the archive, arguments and variables in them.
 * These properties are checked:
 *
 * - Frames are those of a simple reading, whether the bytes arrive all at once or in pieces, and
 * also if they are sealed. Once they have to be, bytes that are not give no frame.
 * - An archive is unpacked in the current directory: nothing beside it changes, and no link is
 * followed. Something that is refused has a path and an errno, or the archive is damaged.
 * - An exact copy of what is there then can be unpacked again, and that changes nothing.
 * - Arguments, variables and a directory are copied as they are, and each name of a variable is
 * there once.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/collect.h"
#include "supervisor/frame_link.h"
#include "supervisor/program.h"
#include "supervisor/unpack.h"

/* A temporary directory, in which "in" is the current one, and its content outside of that. */
static char *base;
static int start; /* the directory in which this program was started */
static const char OUTSIDE[] = "untouched";

/* ---- directories */

static void write_file(const char *name, const char *text)
{
    CLEANUP_FD int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    fuzz_require(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "cannot write %s", name);
}

static void remove_below(int parent, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!dir) {
        unlinkat(parent, name, 0);
        return;
    }
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_below(dirfd(dir), entry->d_name);
    closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_base(void)
{
    remove_below(AT_FDCWD, base);
    free(base);
}

/* Makes the current directory again, with things in it that a program may have left. */
static void make_directory(void)
{
    fuzz_require(chdir(base) == 0, "cannot enter %s", base);
    remove_below(AT_FDCWD, "in");
    fuzz_require(mkdir("in", 0700) == 0 && chdir("in") == 0, "cannot make %s/in", base);
    write_file("file", "old");
    fuzz_require(symlink("..", "up") == 0 && symlink("../outside", "link") == 0 &&
                     mkfifo("fifo", 0600) == 0 && mkdir("directory", 0700) == 0,
                 "cannot fill %s/in", base);
}

/* Checks what is beside the current directory, and leaves it. */
static void leave_directory(void)
{
    char text[sizeof OUTSIDE + 1] = "";
    CLEANUP_FD int fd = open("../outside", O_RDONLY | O_CLOEXEC);
    DIR *dir = opendir("..");
    int entries = 0;

    fuzz_require(read(fd, text, sizeof text) >= 0 && strcmp(text, OUTSIDE) == 0, "'%s'", text);
    while (readdir(dir))
        entries++;
    closedir(dir);
    fuzz_require(entries == 4, "%d entries beside the directory", entries);
    fuzz_require(fchdir(start) == 0, "cannot go back");
}

/* ---- frames */

/* Where the frames of the input lead. */
struct request {
    struct program program;
    struct unpack unpack;
    struct strbuf seen; /* the frames, one after the other */
    bool broken;
};

static uint32_t number(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void add_seen(struct strbuf *seen, int type, const char *payload, size_t length)
{
    strbuf_addf(seen, "%d %zu ", type, length);
    strbuf_add(seen, payload, length);
}

/* The simple reading. */
static void read_plainly(const uint8_t *data, size_t size, struct request *expected)
{
    while (size >= FRAME_HEADER && !expected->broken) {
        const size_t length = number(data);

        if (length > 131071 || data[5] || data[6] || data[7]) {
            expected->broken = true;
        } else if (size - FRAME_HEADER < length) {
            break;
        } else {
            add_seen(&expected->seen, data[4], (const char *)data + FRAME_HEADER, length);
            data += FRAME_HEADER + length;
            size -= FRAME_HEADER + length;
        }
    }
}

static void check_argument(struct request *request, const struct frame *frame)
{
    struct strvec *arguments = &request->program.arguments;
    const size_t before = arguments->count;
    const bool text = !memchr(frame->payload, '\0', frame->length);

    fuzz_require(program_add_argument(&request->program, frame->payload, frame->length) == text,
                 "an argument of %zu bytes", frame->length);
    fuzz_require(arguments->count == before + text, "%zu arguments", arguments->count);
    fuzz_require(!text || memcmp(arguments->items[before], frame->payload, frame->length) == 0,
                 "'%s'", arguments->items[before]);
}

/* How many variables have the name of this one. */
static int count_variable(const struct strvec *environment, const char *variable)
{
    const size_t length = strcspn(variable, "=");
    int count = 0;

    for (size_t i = 0; i < environment->count; i++)
        count += strncmp(environment->items[i], variable, length) == 0 &&
                 environment->items[i][length] == '=';
    return count;
}

static void check_variable(struct request *request, const struct frame *frame)
{
    CLEANUP_FREE char *variable = fuzz_string((const uint8_t *)frame->payload, frame->length);
    const bool text = strlen(variable) == frame->length;

    fuzz_require(program_set_variable(&request->program, frame->payload, frame->length) == text,
                 "a variable of %zu bytes", frame->length);
    if (text)
        fuzz_require(count_variable(&request->program.environment, variable) ==
                         (strchr(variable, '=') != NULL),
                     "'%s'", variable);
}

static void check_directory(struct request *request, const struct frame *frame)
{
    const bool good = !request->program.directory && frame->length > 0 &&
                      frame->length < PATH_MAX && !memchr(frame->payload, '\0', frame->length);

    fuzz_require(program_set_directory(&request->program, frame->payload, frame->length) == good,
                 "a directory of %zu bytes", frame->length);
    fuzz_require(!good || memcmp(request->program.directory, frame->payload, frame->length) == 0,
                 "'%s'", request->program.directory);
}

/* Makes the checksums of tar headers right, which no random change does. */
static void mend_checksums(char *blocks, size_t length)
{
    for (; length >= 512; blocks += 512, length -= 512) {
        unsigned sum = 0;

        if (memcmp(blocks + 257, "ustar", 5) != 0)
            continue;
        memset(blocks + 148, ' ', 8);
        for (int i = 0; i < 512; i++)
            sum += (unsigned char)blocks[i];
        snprintf(blocks + 148, 8, "%06o", sum);
    }
}

static void check_files(struct request *request, const struct frame *frame)
{
    CLEANUP(strbuf_release) struct strbuf blocks = STRBUF_INIT;

    strbuf_add(&blocks, frame->payload, frame->length);
    mend_checksums(blocks.data, blocks.length);
    unpack_feed(&request->unpack, strbuf_string(&blocks), blocks.length);
}

static void take_frame(struct request *request, const struct frame *frame, bool handle)
{
    add_seen(&request->seen, frame->type, frame->payload, frame->length);
    if (handle && frame->type == FRAME_ARGUMENT)
        check_argument(request, frame);
    else if (handle && frame->type == FRAME_ENVIRONMENT)
        check_variable(request, frame);
    else if (handle && frame->type == FRAME_DIRECTORY)
        check_directory(request, frame);
    else if (handle && frame->type == FRAME_FILES)
        check_files(request, frame);
}

static const struct frame_seal keys = {"to", "from"};

/*
 * Reads the input from a pipe. `step` is the size of the pieces, and `sealed` whether they have to
 * be lines. False: one is not.
 */
static bool read_link(const uint8_t *data, size_t size, size_t step, bool sealed, bool handle,
                      struct request *request)
{
    static struct frame_link link;
    bool good = true;
    int ends[2];

    fuzz_require(pipe(ends) == 0, "cannot make a pipe");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    frame_link_init(&link, ends[0], -1, NULL);
    fuzz_require(!sealed || frame_link_seal(&link, &keys), "cannot seal");
    for (size_t at = 0; at < size && good && !request->broken; at += step) {
        const size_t piece = step < size - at ? step : size - at;
        struct frame frame;
        int found;

        fuzz_require(write(ends[1], data + at, piece) == (ssize_t)piece, "cannot write");
        good = frame_link_read(&link);
        while ((found = frame_link_next(&link, &frame)) > 0)
            take_frame(request, &frame, handle);
        request->broken = found < 0;
    }
    close(ends[0]);
    close(ends[1]);
    return good;
}

/* The lines that carry these bytes. */
static struct strbuf seal(const uint8_t *data, size_t size)
{
    struct strbuf text = STRBUF_INIT;
    struct sealed_lines lines;
    char line[SEALED_LINE_MAX];

    sealed_lines_init(&lines, keys.to);
    for (size_t at = 0; at < size; at += SEALED_DATA_MAX) {
        const size_t length = size - at < SEALED_DATA_MAX ? size - at : SEALED_DATA_MAX;

        strbuf_add(&text, line, sealed_lines_write(&lines, data + at, length, line));
    }
    return text;
}

static void check_unpacked(const struct unpack *unpack)
{
    const bool failed = unpack->failed != NULL;

    fuzz_require(failed == (unpack->failure != 0), "'%s': %d", failed ? unpack->failed : "",
                 unpack->failure);
    fuzz_require(!unpack_good(unpack) || (!failed && unpack->error.kind == ERROR_NONE),
                 "good although it failed");
    fuzz_require(!unpack_good(unpack) || unpack->file < 0, "a file is still open");
}

static bool take_bytes(void *context, const void *data, size_t length)
{
    strbuf_add(context, data, length);
    return true;
}

static bool take_path(void *context, const char *path)
{
    (void)context;
    fuzz_require(false, "'%s' is too large", path);
    return false;
}

/* An archive of the current directory. False: it has too many levels. */
static bool copy_directory(struct strbuf *archive)
{
    CLEANUP_FD int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct collect job = {.write = take_bytes,
                          .too_large = take_path,
                          .context = archive,
                          .exact = true,
                          .file_max = UINT64_MAX,
                          .left = UINT64_MAX};
    const bool good = collect_directory(&job, fd);

    fuzz_require(good || job.error == ENAMETOOLONG, "'%s': error %d", job.path, job.error);
    return good;
}

static void check_copy(void)
{
    CLEANUP(strbuf_release) struct strbuf archive = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    struct unpack unpack;

    if (!copy_directory(&archive))
        return;
    unpack_init(&unpack);
    unpack_feed(&unpack, archive.data, archive.length);
    fuzz_require(unpack_good(&unpack), "'%s': error %d", unpack.failed ? unpack.failed : "",
                 unpack.failure);
    unpack_release(&unpack);
    fuzz_require(copy_directory(&again) && again.length == archive.length,
                 "%zu bytes instead of %zu", again.length, archive.length);
}

static void check_reading(const uint8_t *data, size_t size, size_t step, bool sealed, bool handle,
                          const struct request *expected)
{
    struct request request = {.broken = false};

    if (handle)
        make_directory();
    program_init(&request.program);
    unpack_init(&request.unpack);
    fuzz_require(read_link(data, size, step, sealed, handle, &request), "not the next line");
    fuzz_require(request.broken == expected->broken, "broken: %d", request.broken);
    fuzz_require(request.seen.length == expected->seen.length &&
                     memcmp(strbuf_string(&request.seen), strbuf_string(&expected->seen),
                            request.seen.length) == 0,
                 "%zu bytes of frames, not %zu", request.seen.length, expected->seen.length);
    check_unpacked(&request.unpack);
    if (handle && unpack_good(&request.unpack))
        check_copy();
    if (handle)
        leave_directory();
    unpack_release(&request.unpack);
    program_release(&request.program);
    strbuf_release(&request.seen);
}

/* The same bytes in a connection that is sealed: as lines, and as they are. */
static void check_sealed(const uint8_t *data, size_t size, const struct request *expected)
{
    CLEANUP(strbuf_release) struct strbuf lines = seal(data, size);
    struct request request = {.broken = false};

    check_reading((const uint8_t *)strbuf_string(&lines), lines.length, 1000, true, false,
                  expected);
    read_link(data, size, 1000, true, false, &request);
    fuzz_require(request.seen.length == 0 && !request.broken, "frames that are not sealed");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *directory = getenv("TMPDIR");
    CLEANUP_FREE char *outside = NULL;

    (void)argc, (void)argv;
    base = string_format("%s/isolator-fuzz-XXXXXX", directory && *directory ? directory : "/tmp");
    fuzz_require(mkdtemp(base), "cannot make '%s'", base);
    atexit(remove_base);
    outside = string_format("%s/outside", base);
    write_file(outside, OUTSIDE);
    start = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request expected = {.broken = false};

    read_plainly(data, size, &expected);
    check_reading(data, size, 4096, false, true, &expected);
    check_reading(data, size, 7, false, false, &expected);
    check_sealed(data, size, &expected);
    strbuf_release(&expected.seen);
    return 0;
}
