#include "test.h"

#include "supervisor/mounts.h"

/* Checks what a line says, as "PATH TYPE WRITABLE"; NULL: it is none. */
static void check(const char *line, const char *expected)
{
    struct mount mount;
    CLEANUP_FREE char *seen = NULL;

    if (mount_parse(line, strlen(line), &mount))
        seen = string_format("%s|%s|%d", mount.path, mount.type, mount.writable);
    assert_text_or_null(seen, expected);
}

/* As a kernel writes them. */
CASE(mounts__lines)
{
    check("82 44 0:67 / / ro,relatime master:10 - overlay overlay rw,lowerdir=/a:/b,workdir=/c",
          "/|overlay|0");
    check("84 82 0:41 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755", "/dev|tmpfs|1");
    check("97 84 0:39 / /dev/mqueue rw,nosuid,nodev,noexec,relatime - mqueue mqueue rw",
          "/dev/mqueue|mqueue|1");
    check("102 82 254:0 /var/lib/hosts /etc/hosts rw shared:1 master:2 propagate_from:3 "
          "unbindable - ext4 /dev/vda rw,discard",
          "/etc/hosts|ext4|1");
    check("1 1 0:1 / /x rw - fuse.some-thing  rw", "/x|fuse.some-thing|1"); /* no source */
}

/* Both the mount and its file system have to be writable. */
CASE(mounts__writable)
{
    check("1 1 0:1 / /x rw - tmpfs x rw", "/x|tmpfs|1");
    check("1 1 0:1 / /x ro - tmpfs x rw", "/x|tmpfs|0");
    check("1 1 0:1 / /x rw - tmpfs x ro", "/x|tmpfs|0");
    check("1 1 0:1 / /x nosuid,rw - tmpfs x size=1,rw", "/x|tmpfs|1");
    check("1 1 0:1 / /x rwx,xrw, - tmpfs x rw=1,r", "/x|tmpfs|0");
    check("1 1 0:1 / /x  - tmpfs x ", "/x|tmpfs|0");
}

/* A path that would end the line or the word. */
CASE(mounts__escapes)
{
    check("1 1 0:1 / /a\\040-\\011b\\012c\\134d rw - tmpfs x rw", "/a -\tb\nc\\d|tmpfs|1");
    check("1 1 0:1 / /\\377 rw - tmpfs x rw", "/\377|tmpfs|1");
    check("1 1 0:1 / /\\000 rw - tmpfs x rw", NULL);
    check("1 1 0:1 / /\\400 rw - tmpfs x rw", NULL);
    check("1 1 0:1 / /\\08 rw - tmpfs x rw", NULL);
    check("1 1 0:1 / /\\04", NULL);
    check("1 1 0:1 / /\\04 rw - tmpfs x rw", NULL);
    check("1 1 0:1 / /\\ rw - tmpfs x rw", NULL);
}

/* A hyphen is the end of the optional words only as a word of its own, and only after the path. */
CASE(mounts__hyphens)
{
    check("1 1 0:1 - /- rw -x x- - tmpfs - rw", "/-|tmpfs|1");
    check("1 1 0:1 / /x ro - tmpfs - - rw", "/x|tmpfs|0");
    check("1 1 0:1 / /x ro -tmpfs x rw", NULL);
}

CASE(mounts__no_lines)
{
    static const char *const lines[] = {
        "",
        " ",
        "-",
        "          ",
        "1 1 0:1 / /x",
        "1 1 0:1 / /x rw",
        "1 1 0:1 / /x rw -",
        "1 1 0:1 / /x rw - ",
        "1 1 0:1 / /x rw -  x rw",
        "1 1 0:1 / /x rw - tmpfs",
        "1 1 0:1 / /x rw - tmpfs x",
        "1 1 0:1 / x rw - tmpfs x rw",
        "1 1 0:1 /  rw - tmpfs x rw",
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        check(lines[i], NULL);
}

CASE(mounts__bytes_that_are_no_text)
{
    static const char line[] = "1 1 0:1 / /a\0b rw - tmpfs x rw";
    struct mount mount;

    assert_false(mount_parse(line, sizeof line - 1, &mount));
}

/* The longest path is that of the kernel; a longer type is cut off. */
CASE(mounts__long_words)
{
    char path[PATH_MAX + 1] = "/";
    CLEANUP_FREE char *line = NULL;
    CLEANUP_FREE char *longer = NULL;
    struct mount mount;

    memset(path + 1, 'p', PATH_MAX - 2);
    line = string_format("1 1 0:1 / %s rw - a2345678901234567890123456789012345 x rw", path);
    assert_true(mount_parse(line, strlen(line), &mount));
    assert_string_equal(mount.path, path);
    assert_string_equal(mount.type, "a234567890123456789012345678901");
    path[PATH_MAX - 1] = 'p';
    longer = string_format("1 1 0:1 / %s rw - tmpfs x rw", path);
    assert_false(mount_parse(longer, strlen(longer), &mount));
}

/* Every beginning of a line is read without a look beyond it. */
CASE(mounts__cut_lines)
{
    static const char line[] = "1 1 0:1 / /a\\040b rw,x shared:1 - tmpfs x rw";

    for (size_t length = 0; length < sizeof line - 1; length++) {
        char *copy = malloc(length + 1); /* so that a sanitizer sees its end */
        struct mount mount;

        assert_non_null(copy);
        memcpy(copy + 1, line, length);
        assert_true(!mount_parse(copy + 1, length, &mount) || !mount.writable);
        free(copy);
    }
}
