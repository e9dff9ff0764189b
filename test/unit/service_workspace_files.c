#include "test.h"

#include "service/workspace_files.h"

#define LINE "f 644 12 1000000000 "

/* The first name of the list; "none": it is empty; "no list". */
static char *read_list(const char *text, size_t length)
{
    struct workspace_list list = WORKSPACE_LIST_INIT;
    char *copy = malloc(length + 1), *said;

    memcpy(copy, text, length);
    copy[length] = '\0';
    said = string_copy(!workspace_list_read(&list, copy, length) ? "no list"
                       : list.count == 0                         ? "none"
                                                                 : list.items[0].name);
    workspace_list_release(&list);
    return said;
}

CASE(workspace_files__a_list)
{
    static const char text[] = "d 1755 60 5 z"
                               "\0" LINE "a b"
                               "\0"
                               "l 777 1 0 l";
    struct workspace_list list = WORKSPACE_LIST_INIT;

    assert_true(
        workspace_list_read(&list, memcpy(malloc(sizeof text), text, sizeof text), sizeof text));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0].name, "a b");
    assert_int_equal(list.items[0].type, ENTRY_FILE);
    assert_int_equal(list.items[0].mode, 0644);
    assert_int_equal(list.items[0].bytes, 12);
    assert_int_equal(list.items[0].modified, 1000000000);
    assert_int_equal(list.items[1].type, ENTRY_LINK);
    assert_int_equal(list.items[2].type, ENTRY_DIRECTORY);
    assert_int_equal(list.items[2].mode, 01755);
    workspace_list_release(&list);
}

CASE(workspace_files__what_is_no_list)
{
    static const char *const texts[] = {
        "x 644 12 1 a", "f644 12 1 a", "f 644 12 1 ",   "f 644 12 1",   "f 644 12",     "f", " ",
        "f 648 12 1 a", "f -1 12 1 a", "f 10000 1 1 a", "f 644 1x 1 a", "f 644 +1 1 a",
    };
    char *said;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        said = read_list(texts[i], strlen(texts[i]) + 1);
        assert_string_equal(said, "no list");
        free(said);
    }
    said = read_list("", 0);
    assert_string_equal(said, "none");
    free(said);
    said = read_list(LINE "a", strlen(LINE "a")); /* cut off */
    assert_string_equal(said, "no list");
    free(said);
    said = read_list(LINE "a", strlen(LINE "a") + 1);
    assert_string_equal(said, "a");
    free(said);
}
