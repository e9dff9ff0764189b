/*
 * Fuzz target: packing a directory. The input describes a tree, which is created and then packed.
 * These properties are checked:
 *
 * - An archive has relative paths without "..", with our ids and modes: directories, files with
 * their content, and links that stay inside. It is not larger than the working directory.
 * - It has the whole tree except links to the outside, which the warnings name or count. Their
 * targets are not read.
 * - A tree is refused, with one ERROR_INPUT, only if it has a file that cannot be sent, is too deep
 * or too large, has a path that is too long, or has no entrypoint.
 *
 * The tree is described by records, each a letter with strings that end with a NUL; see
 * make_record().
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/pack_input.h"

/* The bounds of run/pack_input.c for a tree. */
enum { DEPTH_MAX = 128, PATH_LENGTH_MAX = 4000, LEFT_OUT_NAMED = 20 };

enum { WORKDIR_MB = 1, IDS = 1234, BLOCK = 512 };

/* The bounds of the tree that is created: more than is accepted. */
enum { LEVELS_MAX = DEPTH_MAX + 4, ENTRIES_MAX = 300 };

struct tree {
    int levels[LEVELS_MAX];     /* open directories, from the root to where the next entry comes */
    size_t lengths[LEVELS_MAX]; /* of their paths */
    int depth;                  /* the last of them */
    size_t entries;
    size_t leaving;  /* links that lead outside */
    long long bytes; /* in whole pages */
    bool special, too_deep, too_long, entrypoint;
};

/* The part of the description that is not read yet. */
struct source {
    const uint8_t *data;
    size_t left;
};

static char
    *base; /* a temporary directory; the tree is in "tree", and there is a file outside of it */

/* ---- making the tree */

static uint8_t next_byte(struct source *source)
{
    if (source->left == 0)
        return 0;
    source->left--;
    return *source->data++;
}

/* The text before the next NUL, owned; a '*' at its start means 200 letters. */
static char *next_string(struct source *source)
{
    struct strbuf string = STRBUF_INIT;
    uint8_t byte = next_byte(source);

    if (byte == '*') {
        for (int i = 0; i < 200; i++)
            strbuf_addch(&string, 'n');
        byte = next_byte(source);
    }
    for (; byte != 0; byte = next_byte(source))
        strbuf_addch(&string, (char)byte);
    return strbuf_steal(&string);
}

/* The next string as the name of an entry. */
static char *next_name(struct source *source)
{
    char *name = next_string(source);

    for (char *slash = name; (slash = strchr(slash, '/'));)
        *slash = '_';
    return name;
}

/* Counts an entry that was created. */
static void count_entry(struct tree *tree, const char *name)
{
    const size_t length = tree->lengths[tree->depth] + (tree->depth > 0) + strlen(name);

    tree->entries++;
    tree->too_long = tree->too_long || length > PATH_LENGTH_MAX;
}

static void make_file(struct tree *tree, const char *name, mode_t mode, const char *text,
                      off_t size)
{
    const size_t length = strlen(text);
    CLEANUP_FD int fd =
        openat(tree->levels[tree->depth], name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0)
        return;
    fuzz_require(write(fd, text, length) == (ssize_t)length, "cannot write '%s'", name);
    if (size < (off_t)length)
        size = (off_t)length;
    fuzz_require(ftruncate(fd, size) == 0, "cannot make '%s' larger", name);
    count_entry(tree, name);
    tree->bytes += (size + 4095) / 4096 * 4096;
    tree->entrypoint = tree->entrypoint || (tree->depth == 0 && strcmp(name, "main") == 0);
}

static void make_directory(struct tree *tree, const char *name)
{
    const int parent = tree->levels[tree->depth];
    const size_t length = tree->lengths[tree->depth] + (tree->depth > 0) + strlen(name);

    if (tree->depth + 1 == LEVELS_MAX || mkdirat(parent, name, 0755) != 0)
        return;
    count_entry(tree, name);
    tree->too_deep = tree->too_deep || tree->depth >= DEPTH_MAX;
    tree->depth++;
    tree->lengths[tree->depth] = length;
    tree->levels[tree->depth] = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fuzz_require(tree->levels[tree->depth] >= 0, "cannot open '%s'", name);
}

static void leave_directory(struct tree *tree)
{
    if (tree->depth > 0)
        close(tree->levels[tree->depth--]);
}

/* Whether the target leads outside, by its names, from this many levels below the root. */
static bool leaves(int level, const char *target)
{
    CLEANUP_FREE char *copy = string_copy(target);
    char *rest = NULL;

    for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, "..") == 0)
            level--;
        else if (strcmp(part, ".") != 0)
            level++;
        if (level < 0)
            return true;
    }
    return target[0] == '/';
}

static void make_link(struct tree *tree, const char *name, const char *target)
{
    if (symlinkat(target, tree->levels[tree->depth], name) != 0)
        return;
    count_entry(tree, name);
    tree->leaving += leaves(tree->depth, target);
}

static void make_special(struct tree *tree, const char *name, mode_t type)
{
    if (mknodat(tree->levels[tree->depth], name, type | 0600, 0) != 0)
        return;
    count_entry(tree, name);
    tree->special = true;
}

/* An entry is skipped if its name exists or is refused by the system. */
static void make_record(struct tree *tree, struct source *source)
{
    const uint8_t what = next_byte(source);
    CLEANUP_FREE char *name = strchr("fxbdlps", what) ? next_name(source) : string_copy("d");
    CLEANUP_FREE char *text = strchr("fxl", what) ? next_string(source) : string_copy("");

    if (what == 'f' || what == 'x') { /* a file: name, content */
        make_file(tree, name, what == 'x' ? 0755 : 0644, text, 0);
    } else if (what == 'b') { /* a big one: name, size in two bytes */
        const off_t size = next_byte(source) * 256 + next_byte(source);

        make_file(tree, name, 0644, "", size * 32);
    } else if (what == 'd') { /* a directory, which becomes the current one: name */
        make_directory(tree, name);
    } else if (what == 'D') { /* many nested directories, each named "d" */
        for (int left = next_byte(source); left > 0; left--)
            make_directory(tree, name);
    } else if (what == 'u') { /* back to its parent */
        leave_directory(tree);
    } else if (what == 'l') { /* a link: name, target */
        make_link(tree, name, text);
    } else if (what == 'p' || what == 's') { /* a FIFO, a socket: name */
        make_special(tree, name, what == 'p' ? S_IFIFO : S_IFSOCK);
    }
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

/* ---- checking the archive */

static long long octal(const char *digits, size_t size)
{
    CLEANUP_FREE char *copy = string_format("%.*s", (int)size, digits);

    return strtoll(copy, NULL, 8);
}

static void check_checksum(const char *header)
{
    long long sum = 8LL * ' ';

    for (int i = 0; i < BLOCK; i++)
        sum += i >= 148 && i < 156 ? 0 : (unsigned char)header[i];
    fuzz_require(octal(header + 148, 8) == sum, "a checksum of %lld", sum);
}

static void check_file(int root, const char *path, const struct stat *status, const char *data,
                       long long size)
{
    CLEANUP_FD int fd = openat(root, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    CLEANUP_FREE char *content = memory_allocate((size_t)size + 1);

    fuzz_require(S_ISREG(status->st_mode) && status->st_size == size, "'%s' has %lld bytes", path,
                 (long long)status->st_size);
    fuzz_require(read(fd, content, (size_t)size + 1) == size, "'%s' is not %lld bytes", path, size);
    fuzz_require(memcmp(content, data, (size_t)size) == 0, "'%s' has other bytes", path);
}

static void check_link(int root, const char *path, const struct stat *status, const char *target)
{
    char there[PATH_LENGTH_MAX + 1] = "";
    int level = 0;

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        level++;
    fuzz_require(S_ISLNK(status->st_mode) && readlinkat(root, path, there, PATH_LENGTH_MAX) > 0,
                 "'%s' is no link", path);
    fuzz_require(strcmp(there, target) == 0, "'%s', not '%s'", target, there);
    fuzz_require(!leaves(level, target), "'%s' leads to '%s'", path, target);
}

/*
 * An entry: its header, its path and target (each perhaps longer than the header holds), its
 * content.
 */
static void check_entry(int root, const char *header, char *path, const char *target,
                        const char *data, long long size)
{
    const char type = header[156];
    const long long mode = octal(header + 100, 8) & 07777; /* it has the type too */
    const size_t length = strlen(path);
    struct error error = ERROR_INIT;
    struct stat status;

    if (type == '5' && length > 0 && path[length - 1] == '/')
        path[length - 1] = '\0';
    fuzz_require(input_files_check_path(path, &error) == 0, "%s", error.message);
    fuzz_require(fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) == 0, "'%s' is not there", path);
    fuzz_require(octal(header + 108, 8) == IDS && octal(header + 116, 8) == IDS,
                 "'%s' has an owner", path);
    if (type == '5')
        fuzz_require(S_ISDIR(status.st_mode) && mode == 0755 && size == 0, "'%s': %llo", path,
                     mode);
    else if (type == '2')
        check_link(root, path, &status, target);
    else if (type == '0')
        check_file(root, path, &status, data, size);
    fuzz_require(type == '5' || type == '2' || type == '0', "'%s' is of type %d", path, type);
    if (type == '0')
        fuzz_require(mode == (status.st_mode & 0111 ? 0755 : 0644), "'%s': %llo", path, mode);
}

/* The string in a field of the header, or the long one if there was one; owned. */
static char *field_or(char **long_one, const char *field)
{
    return *long_one ? steal_pointer(long_one) : string_format("%.100s", field);
}

/* Checks all entries; returns how many there are. */
static size_t check_entries(int root, const struct strbuf *archive)
{
    CLEANUP_FREE char *long_path = NULL;
    CLEANUP_FREE char *long_target = NULL;
    size_t entries = 0, at = 0;

    while (at + BLOCK <= archive->length && archive->data[at] != '\0') {
        const char *header = archive->data + at;
        const long long size = octal(header + 124, 12);
        const size_t blocks = ((size_t)size + BLOCK - 1) / BLOCK;
        const char *data = header + BLOCK;

        check_checksum(header);
        at += BLOCK + blocks * BLOCK;
        fuzz_require(size >= 0 && at <= archive->length, "%lld bytes at %zu", size, at);
        if (header[156] == 'L' || header[156] == 'K') {
            char **string = header[156] == 'L' ? &long_path : &long_target;

            fuzz_require(!*string, "two long names for one entry");
            *string = string_format("%.*s", (int)size, data);
        } else {
            CLEANUP_FREE char *path = field_or(&long_path, header);
            CLEANUP_FREE char *target = field_or(&long_target, header + 157);

            check_entry(root, header, path, target, data, size);
            entries++;
        }
    }
    fuzz_require(archive->length - at >= 2 * BLOCK, "no end behind %zu bytes", at);
    for (; at < archive->length; at++)
        fuzz_require(archive->data[at] == '\0', "something stands behind the end");
    return entries;
}

static void check_archive(const struct tree *tree, const struct archive *archive)
{
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
    char chunk[65536];
    off_t at = 0;
    ssize_t length;
    size_t entries;

    while ((length = pread(archive_file(archive), chunk, sizeof chunk, at)) > 0) {
        strbuf_add(&bytes, chunk, (size_t)length);
        at += length;
    }
    fuzz_require(at == archive_size(archive), "%lld bytes", (long long)at);
    entries = check_entries(tree->levels[0], &bytes);
    fuzz_require(entries == tree->entries - tree->leaving, "%zu of %zu entries but %zu", entries,
                 tree->entries, tree->leaving);
}

static void check_warnings(const struct strvec *warnings, size_t leaving)
{
    fuzz_require(warnings->count ==
                     (leaving > LEFT_OUT_NAMED ? (size_t)LEFT_OUT_NAMED + 1 : leaving),
                 "%zu warnings of %zu links", warnings->count, leaving);
    for (size_t i = 0; i < warnings->count; i++)
        fuzz_require(fuzz_is_line(warnings->items[i]), "%s", warnings->items[i]);
}

static void check_tree(const struct tree *tree)
{
    CLEANUP(archive_release) struct archive archive = ARCHIVE_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *directory = string_format("%s/tree", base);
    char entrypoint[] = "main";
    const struct plan plan = {.input = {.dir = directory, .file = -1, .stdin_file = -1},
                              .entrypoint = entrypoint,
                              .policy.limits.number[LIMIT_WORKDIR] = WORKDIR_MB};
    const bool good = !tree->special && !tree->too_deep && !tree->too_long && tree->entrypoint &&
                      tree->bytes <= WORKDIR_MB << 20;

    fuzz_require(archive_open(&archive, IDS, IDS, NULL, &error) == 0, "%s", error.message);
    if (pack_input(&plan, &archive, &warnings, NULL, &error) == 0) {
        fuzz_require(good, "a tree of %zu entries, %lld bytes is taken", tree->entries,
                     tree->bytes);
        check_archive(tree, &archive);
        check_warnings(&warnings, tree->leaving);
    } else {
        fuzz_check_error(&error, false, 5 * PATH_LENGTH_MAX);
        fuzz_require(!good && error.kind == ERROR_INPUT, "refused: %s", error.message);
    }
}

/* ---- */

static void remove_base(void)
{
    remove_below(AT_FDCWD, base);
    free(base);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *directory = getenv("TMPDIR");
    CLEANUP_FREE char *outside = NULL;
    FILE *file;

    (void)argc, (void)argv;
    base = string_format("%s/isolator-fuzz-XXXXXX", directory && *directory ? directory : "/tmp");
    fuzz_require(mkdtemp(base), "cannot make '%s'", base);
    atexit(remove_base);
    outside = string_format("%s/outside", base);
    file = fopen(outside, "w");
    fuzz_require(file && fputs("of nobody's business\n", file) >= 0 && fclose(file) == 0,
                 "cannot write '%s'", outside);
    umask(022);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source = {data, size};
    struct tree tree = {.depth = 0};
    CLEANUP_FREE char *path = string_format("%s/tree", base);

    fuzz_require(mkdir(path, 0755) == 0, "cannot make '%s'", path);
    tree.levels[0] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (source.left > 0 && tree.entries < ENTRIES_MAX)
        make_record(&tree, &source);
    while (tree.depth > 0)
        leave_directory(&tree);
    check_tree(&tree);
    close(tree.levels[0]);
    remove_below(AT_FDCWD, path);
    return 0;
}
