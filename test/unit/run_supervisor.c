#include "test.h"

#include "base/memory.h"
#include "docker/container.h"
#include "run/supervisor.h"

#define NONCE "0123456789abcdef0123456789abcdef"

/* ---- the input: the archive with the program */

struct fixture {
    char *directory; /* the archive is unpacked here */
    struct plan plan;
    struct archive archive;
    struct error error;
};

static void set_up(struct fixture *fixture, const char *network)
{
    *fixture = (struct fixture){.directory = temp_create(), .plan = PLAN_INIT};
    sandbox_policy_init(&fixture->plan.policy);
    fixture->plan.policy.limits.number[LIMIT_TIMEOUT] = 1.5;
    fixture->plan.policy.network = string_copy(network);
    assert_int_equal(archive_open(&fixture->archive, 0, 0, NULL, &fixture->error), 0);
}

/* Runs a shell command in the directory. The caller releases its output. */
static struct strbuf run_in(const struct fixture *fixture, const char *command)
{
    CLEANUP_FREE char *line = string_format("cd %s && %s", fixture->directory, command);

    return shell_output(line);
}

static void unpack(struct fixture *fixture)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, "archive.tar");
    struct strbuf bytes, output;

    assert_int_equal(supervisor_control(&fixture->plan, NONCE, &fixture->archive, &fixture->error),
                     0);
    assert_int_equal(archive_finish(&fixture->archive, &fixture->error), 0);
    lseek(archive_file(&fixture->archive), 0, SEEK_SET);
    bytes = read_all(archive_file(&fixture->archive));
    write_bytes(path, bytes.data, bytes.length, 0644);
    strbuf_release(&bytes);
    output = run_in(fixture, "tar -xf archive.tar");
    strbuf_release(&output);
}

/* Executes the program as the supervisor does, with PATH and these variables as environment. */
static struct strbuf run_program(const struct fixture *fixture, const char *environment)
{
    CLEANUP_FREE char *command = string_format(
        "env -i \"PATH=$PATH\" %s sh -c '. ./.isolator-" NONCE "/program && ( program )'",
        environment);

    return run_in(fixture, command);
}

static void tear_down(struct fixture *fixture)
{
    archive_release(&fixture->archive);
    plan_release(&fixture->plan);
    error_release(&fixture->error);
    temp_remove(fixture->directory);
}

static void supervisor__command_is_a_shell_with_a_script(void **state)
{
    CLEANUP(strvec_release) struct strvec command = supervisor_command(NONCE, "/work dir");
    char *directory = temp_create();
    CLEANUP_FREE char *check = string_format("sh -n %s/script 2>&1", directory);
    struct strbuf output;

    (void)state;
    assert_int_equal(command.count, 7);
    assert_string_equal(command.items[0], "/bin/sh");
    assert_string_equal(command.items[1], "-c");
    assert_string_equal(command.items[3], "supervisor");
    assert_string_equal(command.items[5], NONCE);
    assert_string_equal(command.items[6], "/work dir");
    assert_int_equal(strlen(NONCE), SUPERVISOR_NONCE_SIZE - 1);
    for (int i = 2; i <= 4; i += 2) { /* the entry and the supervisor */
        write_in(directory, "script", command.items[i]);
        output = shell_output(check);
        assert_string_equal(strbuf_string(&output), "");
        strbuf_release(&output);
    }
    temp_remove(directory);
}

static void supervisor__control_is_a_directory_of_two_files(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    strvec_push(&fixture.plan.command, "true");
    unpack(&fixture);
    output = run_in(&fixture, "tar -tf archive.tar; cat .isolator-*/stdin");
    assert_string_equal(strbuf_string(&output), ".isolator-" NONCE "/\n"
                                                ".isolator-" NONCE "/program\n"
                                                ".isolator-" NONCE "/stdin\n");
    strbuf_release(&output);
    tear_down(&fixture);
}

static void supervisor__control_carries_stdin_from_its_start(void **state)
{
    CLEANUP_FREE char *text = memory_allocate(100001);
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    memset(text, 's', 100000);
    text[100000] = '\0';
    set_up(&fixture, "none");
    strvec_push(&fixture.plan.command, "true");
    write_in(fixture.directory, "input", text);
    CLEANUP_FREE char *path = path_in(fixture.directory, "input");
    fixture.plan.input.stdin_file = open(path, O_RDONLY | O_CLOEXEC);
    lseek(fixture.plan.input.stdin_file, 0, SEEK_END);
    unpack(&fixture);
    output = run_in(&fixture, "cat .isolator-*/stdin");
    assert_string_equal(strbuf_string(&output), text);
    strbuf_release(&output);
    tear_down(&fixture);
}

static void supervisor__control_with_a_stdin_that_is_no_file(void **state)
{
    struct fixture fixture;
    int ends[2];

    (void)state;
    set_up(&fixture, "none");
    strvec_push(&fixture.plan.command, "true");
    assert_int_equal(pipe(ends), 0);
    fixture.plan.input.stdin_file = ends[0];
    close(ends[1]);
    assert_int_equal(supervisor_control(&fixture.plan, NONCE, &fixture.archive, &fixture.error),
                     -1);
    assert_error(&fixture.error, ERROR_SYSTEM, "cannot read the program's stdin: Illegal seek");
    tear_down(&fixture);
}

/* The timeout in whole seconds and some. */
static void supervisor__control_has_a_limit(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    strvec_push(&fixture.plan.command, "true");
    unpack(&fixture);
    output = run_in(&fixture, "sh -c '. ./.isolator-" NONCE "/program; echo $limit'");
    assert_string_equal(strbuf_string(&output), "7\n");
    strbuf_release(&output);
    tear_down(&fixture);
}

/* Every byte that an argument can have. */
static void all_bytes(char bytes[256])
{
    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)i;
    bytes[255] = '\0';
}

/* printf of the host prints the arguments, each with a NUL after it. */
static void supervisor__program_gets_its_arguments_byte_by_byte(void **state)
{
    static const char *const words[] = {
        "",      " ",       "two words", "it's",      "''", "'\\''", "\"$HOME\"", "`id`",
        "$(id)", "\\",      "\\n",       "new\nline", "\n", "*",     "~",         "-n",
        "--",    ";exit 9", "a\tb",      "\xff\xfe",  "#",  "!",     "&"};
    struct strbuf expected = STRBUF_INIT;
    char bytes[256];
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    all_bytes(bytes);
    set_up(&fixture, "none");
    strvec_push_each(&fixture.plan.command, "printf", "%s\\0", bytes, NULL);
    strbuf_add(&expected, bytes, sizeof bytes);
    for (int i = 1; i < 256; i++) { /* each alone too */
        const char word[] = {(char)i, '\0'};

        strvec_push(&fixture.plan.command, word);
        strbuf_add(&expected, word, sizeof word);
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        strvec_push(&fixture.plan.command, words[i]);
        strbuf_add(&expected, words[i], strlen(words[i]) + 1);
    }
    unpack(&fixture);
    output = run_program(&fixture, "");
    assert_int_equal(output.length, expected.length);
    assert_memory_equal(output.data, expected.data, expected.length);
    strbuf_release(&output);
    strbuf_release(&expected);
    tear_down(&fixture);
}

/* Whether a list of strings, each followed by a NUL, contains this one. */
static bool holds(const struct strbuf *list, const char *string)
{
    for (size_t at = 0; at < list->length; at += strlen(list->data + at) + 1)
        if (strcmp(list->data + at, string) == 0)
            return true;
    return false;
}

static void supervisor__program_gets_its_environment_byte_by_byte(void **state)
{
    struct fixture fixture;
    struct strbuf output;
    char bytes[256];
    CLEANUP_FREE char *everything = NULL;

    (void)state;
    all_bytes(bytes);
    everything = string_format("ALL=%s", bytes);
    set_up(&fixture, "none");
    strvec_push_each(&fixture.plan.environment, "QUOTES='\"`'\\''", "LINES=one\ntwo\n",
                     "EMPTY=", "BLANK=  a  b  ", "SIGN=a=b", "DOLLAR=$HOME $(id) \\$x", everything,
                     "_u=1", NULL);
    strvec_push_each(&fixture.plan.command, "env", "-0", NULL);
    unpack(&fixture);
    output = run_program(&fixture, "");
    for (size_t i = 0; i < fixture.plan.environment.count; i++)
        if (!holds(&output, fixture.plan.environment.items[i]))
            fail_msg("'%s' is not in the environment", fixture.plan.environment.items[i]);
    strbuf_release(&output);
    tear_down(&fixture);
}

/* The variables are the program's, not those of the shell that starts it. */
static void supervisor__environment_does_not_reach_the_supervisor(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    strvec_push_each(&fixture.plan.environment, "limit=1", "MINE=1", NULL);
    strvec_push_each(&fixture.plan.command, "true", NULL);
    unpack(&fixture);
    output = run_in(&fixture, "sh -c '. ./.isolator-" NONCE "/program; ( program ); "
                              "echo \"$limit ${MINE-unset}\"'");
    assert_string_equal(strbuf_string(&output), "7 unset\n");
    strbuf_release(&output);
    tear_down(&fixture);
}

/* A PATH of the request applies to the program, and to the search for it. */
static void supervisor__program_is_looked_up_on_its_own_path(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    free(script_in(fixture.directory, "my program", "echo \"mine $*\""));
    CLEANUP_FREE char *path = string_format("PATH=%s:/usr/bin:/bin", fixture.directory);
    strvec_push(&fixture.plan.environment, path);
    strvec_push_each(&fixture.plan.command, "my program", "a b", NULL);
    unpack(&fixture);
    output = run_program(&fixture, "");
    assert_string_equal(strbuf_string(&output), "mine a b\n");
    strbuf_release(&output);
    tear_down(&fixture);
}

/* env(1) takes words with "=" in front of the program for variables. */
static void supervisor__program_whose_name_looks_like_a_variable(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    free(script_in(fixture.directory, "a=b", "echo \"ran $*\""));
    strvec_push(&fixture.plan.environment, "HOME=/tmp");
    strvec_push_each(&fixture.plan.command, "./a=b", "x", NULL);
    unpack(&fixture);
    output = run_program(&fixture, "");
    assert_string_equal(strbuf_string(&output), "ran x\n");
    strbuf_release(&output);
    tear_down(&fixture);
}

#define PROXIES "HTTP_PROXY=p http_proxy=p all_proxy=p NO_PROXY= OLDPWD=/ KEPT=k"

static void supervisor__program_without_a_network_sees_no_proxies(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "none");
    strvec_push(&fixture.plan.environment, "HTTPS_PROXY=asked for");
    strvec_push_each(&fixture.plan.command, "env", "-0", NULL);
    unpack(&fixture);
    output = run_program(&fixture, PROXIES);
    assert_false(holds(&output, "HTTP_PROXY=p"));
    assert_false(holds(&output, "http_proxy=p"));
    assert_false(holds(&output, "all_proxy=p"));
    assert_false(holds(&output, "NO_PROXY="));
    assert_false(holds(&output, "OLDPWD=/"));
    assert_true(holds(&output, "KEPT=k"));
    assert_true(holds(&output, "HTTPS_PROXY=asked for"));
    strbuf_release(&output);
    tear_down(&fixture);
}

static void supervisor__program_with_a_network_keeps_its_proxies(void **state)
{
    struct fixture fixture;
    struct strbuf output;

    (void)state;
    set_up(&fixture, "bridge");
    strvec_push_each(&fixture.plan.command, "env", "-0", NULL);
    unpack(&fixture);
    output = run_program(&fixture, PROXIES);
    assert_true(holds(&output, "HTTP_PROXY=p"));
    assert_true(holds(&output, "NO_PROXY="));
    assert_true(holds(&output, "KEPT=k"));
    assert_false(holds(&output, "OLDPWD=/"));
    strbuf_release(&output);
    tear_down(&fixture);
}

/* ---- the output: frames between the bytes of the program */

#define FRAME(words) "\0" NONCE " " words "\n"

/* Adds a string literal with the NUL bytes in it. */
#define ADD(buffer, literal) strbuf_add(buffer, literal, sizeof(literal) - 1)

struct stream {
    struct supervisor_stream supervisor;
    struct strbuf program; /* the bytes that were passed on */
    struct strbuf files;   /* of the tar */
};

static void collect(void *context, enum supervisor_state state, const char *data, size_t length)
{
    struct stream *stream = context;

    assert_true(state == SUPERVISOR_RUNNING || state == SUPERVISOR_FILES);
    strbuf_add(state == SUPERVISOR_RUNNING ? &stream->program : &stream->files, data, length);
}

static void open_stream(struct stream *stream)
{
    *stream = (struct stream){.program = STRBUF_INIT};
    supervisor_stream_init(&stream->supervisor, NONCE);
    strbuf_addstr(&stream->program, "");
}

static void feed(struct stream *stream, const char *data, size_t length)
{
    supervisor_stream_feed(&stream->supervisor, data, length, collect, stream);
}

#define FEED(stream, literal) feed(stream, literal, sizeof(literal) - 1)

static void close_stream(struct stream *stream)
{
    supervisor_stream_release(&stream->supervisor);
    strbuf_release(&stream->program);
    strbuf_release(&stream->files);
}

static void check_bytes(const struct strbuf *got, const char *expected, size_t length)
{
    assert_int_equal(got->length, length);
    assert_memory_equal(got->data, expected, length);
}

#define CHECK_PROGRAM(stream, literal) check_bytes(&(stream)->program, literal, sizeof(literal) - 1)

static void check_numbers(const struct stream *stream, int status, long long oom_kills,
                          long long peak_bytes, long long cpu_us)
{
    assert_int_equal(stream->supervisor.status, status);
    assert_int_equal(stream->supervisor.oom_kills, oom_kills);
    assert_int_equal(stream->supervisor.peak_bytes, peak_bytes);
    assert_int_equal(stream->supervisor.cpu_us, cpu_us);
}

/*
 * A stderr with frames, and with all kinds of text that resemble frames. Adds the program's bytes
 * to `program`.
 */
static struct strbuf scripted_stderr(struct strbuf *program)
{
    struct strbuf all = STRBUF_INIT;

    ADD(program, "bytes\0\n\0\0 of the" NONCE " program\n\0" NONCE "x\n\0" NONCE "\n"
                 "\0" NONCE " other\n\0"
                 "00000000000000000000000000000000 end 0 0 0 0\n\0"
                 "0123\0" NONCE " \0\n\0" NONCE " begin\n" FRAME("end0 0 0 0"));
    ADD(&all, "WARNING: docker\n" FRAME("ready") "noise\0" FRAME("begin"));
    strbuf_add(&all, program->data, program->length);
    ADD(&all, FRAME("end 3 1 1048576 2500"));
    ADD(&all, "of others" FRAME("end 4 4 4 4") "\0");
    return all;
}

static void check_scripted(const struct stream *stream, const struct strbuf *program)
{
    assert_true(stream->supervisor.ready);
    assert_int_equal(stream->supervisor.state, SUPERVISOR_ENDED);
    assert_string_equal(stream->supervisor.failure, "");
    check_bytes(&stream->supervisor.preamble, "WARNING: docker\nnoise\0", 22);
    check_bytes(&stream->program, program->data, program->length);
    check_numbers(stream, 3, 1, 1048576, 2500);
    assert_int_equal(stream->supervisor.pending.length, 0);
}

/* The archive may contain frames: only its own format says where it ends. */
static void supervisor__files_follow_their_frame(void **state)
{
    static const char all[] = FRAME("begin") "out" FRAME("end") "late" FRAME("end") FRAME("other")
        FRAME("files") "tar" FRAME("files") FRAME("end") "\0";
    static const char tar[] = "tar" FRAME("files") FRAME("end") "\0";

    (void)state;
    for (size_t first = 0; first < sizeof all - 1; first++) {
        struct stream stream;

        open_stream(&stream);
        stream.supervisor.wants_files = true;
        feed(&stream, all, first);
        feed(&stream, all + first, sizeof all - 1 - first);
        assert_int_equal(stream.supervisor.state, SUPERVISOR_FILES);
        check_bytes(&stream.program, "out", 3);
        check_bytes(&stream.files, tar, sizeof tar - 1);
        close_stream(&stream);
    }
}

static void supervisor__files_that_were_not_requested(void **state)
{
    struct stream stream;

    (void)state;
    open_stream(&stream);
    FEED(&stream, FRAME("begin") "out" FRAME("files") FRAME("end") FRAME("files") "tar");
    assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
    CHECK_PROGRAM(&stream, "out" FRAME("files"));
    assert_int_equal(stream.files.length, 0);
    close_stream(&stream);
}

static void supervisor__stream_cut_at_every_two_places(void **state)
{
    struct strbuf program = STRBUF_INIT;
    struct strbuf all = scripted_stderr(&program);

    (void)state;
    for (size_t first = 0; first <= all.length; first++)
        for (size_t second = first; second <= all.length; second += 1 + (second - first) / 40) {
            struct stream stream;

            open_stream(&stream);
            feed(&stream, all.data, first);
            feed(&stream, all.data + first, second - first);
            feed(&stream, all.data + second, all.length - second);
            check_scripted(&stream, &program);
            close_stream(&stream);
        }
    strbuf_release(&all);
    strbuf_release(&program);
}

static void supervisor__stream_in_pieces_of_every_size(void **state)
{
    struct strbuf program = STRBUF_INIT;
    struct strbuf all = scripted_stderr(&program);

    (void)state;
    for (size_t piece = 1; piece <= all.length; piece++) {
        struct stream stream;

        open_stream(&stream);
        for (size_t at = 0; at < all.length; at += piece)
            feed(&stream, all.data + at, all.length - at < piece ? all.length - at : piece);
        check_scripted(&stream, &program);
        close_stream(&stream);
    }
    strbuf_release(&all);
    strbuf_release(&program);
}

static void supervisor__stdout_ends_without_numbers(void **state)
{
    static const char all[] =
        "noise" FRAME("begin") "out\0" FRAME("end 0 0 0 0") FRAME("end") "late";

    (void)state;
    for (size_t cut = 0; cut < sizeof all; cut++) {
        struct stream stream;

        open_stream(&stream);
        feed(&stream, all, cut);
        feed(&stream, all + cut, sizeof all - 1 - cut);
        assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
        assert_false(stream.supervisor.ready);
        CHECK_PROGRAM(&stream, "out\0" FRAME("end 0 0 0 0"));
        check_numbers(&stream, -1, -1, -1, -1);
        close_stream(&stream);
    }
}

static void supervisor__bytes_are_passed_on_as_they_come(void **state)
{
    struct stream stream;

    (void)state;
    open_stream(&stream);
    FEED(&stream, FRAME("begin") "one");
    CHECK_PROGRAM(&stream, "one");
    FEED(&stream, "two\0");
    CHECK_PROGRAM(&stream, "onetwo"); /* the NUL may begin a frame */
    FEED(&stream, "0123");
    CHECK_PROGRAM(&stream, "onetwo");
    FEED(&stream, "x");
    CHECK_PROGRAM(&stream, "onetwo\0"
                           "0123x");
    close_stream(&stream);
}

static void supervisor__states(void **state)
{
    struct stream stream;

    (void)state;
    open_stream(&stream);
    assert_int_equal(stream.supervisor.state, SUPERVISOR_WAITING);
    FEED(&stream, "x" FRAME("ready"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_WAITING);
    assert_true(stream.supervisor.ready);
    FEED(&stream, FRAME("begin"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_RUNNING);
    FEED(&stream, FRAME("end 0 0 0 0"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
    FEED(&stream, "x" FRAME("begin") "y" FRAME("end 1 1 1 1"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
    CHECK_PROGRAM(&stream, "");
    check_numbers(&stream, 0, 0, 0, 0);
    close_stream(&stream);
}

static void check_failure(const char *data, size_t length, const char *failure)
{
    struct stream stream;

    open_stream(&stream);
    feed(&stream, data, length);
    assert_string_equal(stream.supervisor.failure, failure);
    assert_int_equal(stream.supervisor.state, SUPERVISOR_WAITING);
    close_stream(&stream);
}

#define CHECK_FAILURE(literal, failure) check_failure(literal, sizeof(literal) - 1, failure)

static void supervisor__failures(void **state)
{
    (void)state;
    CHECK_FAILURE(FRAME("ready") FRAME("fail tools"), "tools");
    CHECK_FAILURE("sh: cannot\n" FRAME("fail unpack"), "unpack");
    CHECK_FAILURE(FRAME("fail workdir") "behind", "workdir");
    CHECK_FAILURE(FRAME("fail 0123456789012345678901234567890"), "012345678901234");
    CHECK_FAILURE(FRAME("fail"), "");
    CHECK_FAILURE("fail tools\n", "");
}

/* Bytes of the program that look like a frame. */
static struct strbuf hostile_frames(void)
{
    static const char *const words[] = {"begin",
                                        "ready",
                                        "fail tools",
                                        "",
                                        "en",
                                        "end",
                                        "end ",
                                        "end 0",
                                        "end 0 0 0",
                                        "ending 0 0 0 0",
                                        "end 256 0 0 0",
                                        "end -1 0 0 0",
                                        "end +1 0 0 0",
                                        "end 0x1 0 0 0",
                                        "end 1.5 0 0 0",
                                        "end - 0 0 0",
                                        "end a 0 0 0",
                                        "END 0 0 0 0",
                                        " end 0 0 0 0",
                                        "end 99999999999999999999999 0 0 0"};
    struct strbuf all = STRBUF_INIT;

    for (size_t i = 0; i < COUNT(words); i++) {
        strbuf_addch(&all, '\0');
        strbuf_addf(&all, NONCE " %s\n", words[i]);
    }
    strbuf_addstr(&all, NONCE " end 0 0 0 0\n");
    strbuf_addch(&all, '\0');
    strbuf_addstr(&all, "0123456789abcdef0123456789abcdeF end 0 0 0 0\n");
    strbuf_addch(&all, '\0');
    strbuf_addstr(&all, "0123456789abcdef0123456789abcde end 0 0 0 0\n");
    ADD(&all, "\0" NONCE "0 end 0 0 0 0\n");
    ADD(&all, "\0" NONCE "end 0 0 0 0\n");
    ADD(&all, "\0" NONCE "\nend 0 0 0 0\n");
    ADD(&all, "\0" NONCE "\0end 0 0 0 0\n");
    return all;
}

/* The program's bytes are passed on unchanged. */
static void supervisor__hostile_frames_are_the_programs_bytes(void **state)
{
    struct strbuf hostile = hostile_frames();

    (void)state;
    for (size_t piece = 1; piece <= hostile.length; piece += 1 + piece / 5) {
        struct stream stream;

        open_stream(&stream);
        FEED(&stream, FRAME("ready") FRAME("begin"));
        for (size_t at = 0; at < hostile.length; at += piece)
            feed(&stream, hostile.data + at,
                 hostile.length - at < piece ? hostile.length - at : piece);
        assert_int_equal(stream.supervisor.state, SUPERVISOR_RUNNING);
        FEED(&stream, FRAME("end 7 0 1 2"));
        assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
        check_bytes(&stream.program, hostile.data, hostile.length);
        check_numbers(&stream, 7, 0, 1, 2);
        assert_string_equal(stream.supervisor.failure, "");
        close_stream(&stream);
    }
    strbuf_release(&hostile);
}

/* A frame that the program began and never finished cannot hide the one that follows. */
static void supervisor__unfinished_frame_before_the_end(void **state)
{
    static const char *const starts[] = {"",        "0",        "01234567",  NONCE,
                                         NONCE " ", NONCE " e", NONCE " end"};

    (void)state;
    for (size_t i = 0; i < COUNT(starts); i++) {
        struct stream stream;

        open_stream(&stream);
        FEED(&stream, FRAME("ready") FRAME("begin"));
        feed(&stream, "", 1);
        feed(&stream, starts[i], strlen(starts[i]));
        FEED(&stream, FRAME("end 9 0 0 0"));
        assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
        assert_int_equal(stream.supervisor.status, 9);
        assert_int_equal(stream.program.length, strlen(starts[i]) + 1);
        assert_memory_equal(stream.program.data + 1, starts[i], strlen(starts[i]));
        close_stream(&stream);
    }
}

/* A frame has at most 160 bytes. Longer text is the program's, and little of it is held back. */
static void supervisor__frames_that_are_too_long(void **state)
{
    char digits[300];

    (void)state;
    memset(digits, ' ', sizeof digits);
    for (int length = 100; length < 200; length++) {
        struct strbuf frame = STRBUF_INIT;
        struct stream stream;

        ADD(&frame, "\0" NONCE " end 0 0 0 0");
        strbuf_addf(&frame, "%.*s\n", length - (int)frame.length - 1, digits);
        assert_int_equal(frame.length, length);
        open_stream(&stream);
        FEED(&stream, FRAME("ready") FRAME("begin"));
        for (size_t at = 0; at < frame.length; at++)
            feed(&stream, frame.data + at, 1);
        assert_int_equal(stream.supervisor.state,
                         length <= 160 ? SUPERVISOR_ENDED : SUPERVISOR_RUNNING);
        assert_int_equal(stream.program.length, length <= 160 ? 0 : length);
        close_stream(&stream);
        strbuf_release(&frame);
    }
}

static void supervisor__frame_without_an_end_holds_back_little(void **state)
{
    struct stream stream;

    (void)state;
    open_stream(&stream);
    FEED(&stream, FRAME("begin") "\0" NONCE " ");
    for (int i = 0; i < 1000; i++) {
        FEED(&stream, "abcdefghij");
        assert_true(stream.supervisor.pending.length <= 160);
    }
    assert_int_equal(stream.program.length, 34 + 10000);
    close_stream(&stream);
}

static void supervisor__floods_of_nul_bytes(void **state)
{
    struct strbuf flood = STRBUF_INIT;
    struct stream stream;

    (void)state;
    for (int i = 0; i < 1 << 20; i++)
        strbuf_addch(&flood, '\0');
    open_stream(&stream);
    FEED(&stream, FRAME("ready") FRAME("begin"));
    feed(&stream, flood.data, flood.length);
    for (size_t at = 0; at < 10000; at++)
        feed(&stream, flood.data, 1);
    FEED(&stream, FRAME("end 0 0 0 0"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
    assert_int_equal(stream.program.length, (1 << 20) + 10000);
    assert_memory_equal(stream.program.data, flood.data, 1 << 20);
    close_stream(&stream);
    strbuf_release(&flood);
}

/* Many incomplete frames take no longer than other bytes. */
static void supervisor__floods_of_starts_of_frames(void **state)
{
    struct strbuf flood = STRBUF_INIT;
    struct stream stream;

    (void)state;
    while (flood.length < 1 << 20)
        ADD(&flood, "\0" NONCE " e\0" NONCE "\0"
                    "0123");
    open_stream(&stream);
    FEED(&stream, FRAME("ready") FRAME("begin"));
    for (size_t at = 0; at < flood.length; at += 4096)
        feed(&stream, flood.data + at, flood.length - at < 4096 ? flood.length - at : 4096);
    FEED(&stream, FRAME("end 0 0 0 0"));
    check_bytes(&stream.program, flood.data, flood.length);
    close_stream(&stream);
    strbuf_release(&flood);
}

static void check_end(const char *data, size_t length, int status, long long oom_kills,
                      long long peak_bytes, long long cpu_us)
{
    struct stream stream;

    open_stream(&stream);
    FEED(&stream, FRAME("ready") FRAME("begin"));
    feed(&stream, data, length);
    assert_int_equal(stream.supervisor.state, SUPERVISOR_ENDED);
    check_numbers(&stream, status, oom_kills, peak_bytes, cpu_us);
    close_stream(&stream);
}

#define CHECK_END(words, status, oom_kills, peak_bytes, cpu_us)                                    \
    check_end(FRAME(words), sizeof(FRAME(words)) - 1, status, oom_kills, peak_bytes, cpu_us)

static void supervisor__numbers_of_the_end(void **state)
{
    (void)state;
    CHECK_END("end 0 0 0 0", 0, 0, 0, 0);
    CHECK_END("end 255 1 2 3", 255, 1, 2, 3);
    CHECK_END("end 137 - - -", 137, -1, -1, -1);
    CHECK_END("end 0 -1 +1 0x1", 0, -1, -1, -1);
    CHECK_END("end 0 1.5 1e3 nan", 0, -1, -1, -1);
    CHECK_END("end 0 1 999999999999999999 3", 0, 1, 999999999999999999, 3);
    CHECK_END("end 0 1 9223372036854775807 3", 0, 1, -1, 3);
}

/* A number never continues in the next field. */
static void supervisor__numbers_that_are_too_long(void **state)
{
    (void)state;
    CHECK_END("end 0 99999999999999999999 5 6", 0, -1, 5, 6);
    CHECK_END("end 0 1 18446744073709551615 6", 0, 1, -1, 6);
}

static void supervisor__frames_in_the_wrong_state(void **state)
{
    struct stream stream;

    (void)state;
    open_stream(&stream);
    FEED(&stream, FRAME("end") FRAME("end 5 5 5 5"));
    assert_int_equal(stream.supervisor.state, SUPERVISOR_WAITING);
    check_numbers(&stream, -1, -1, -1, -1);
    FEED(&stream, FRAME("ready") FRAME("begin") FRAME("end 1 2 3 4"));
    check_numbers(&stream, 1, 2, 3, 4);
    CHECK_PROGRAM(&stream, "");
    close_stream(&stream);
}

static void supervisor__preamble_is_bounded(void **state)
{
    struct strbuf noise = STRBUF_INIT;
    struct stream stream;

    (void)state;
    for (int i = 0; i < 10000; i++)
        strbuf_addch(&noise, (char)('a' + i % 26));
    open_stream(&stream);
    feed(&stream, noise.data, 4000);
    feed(&stream, noise.data + 4000, 6000);
    assert_int_equal(stream.supervisor.preamble.length, 4096);
    assert_memory_equal(stream.supervisor.preamble.data, noise.data, 4096);
    FEED(&stream, "more" FRAME("begin") "program");
    assert_int_equal(stream.supervisor.preamble.length, 4096);
    CHECK_PROGRAM(&stream, "program");
    close_stream(&stream);
    strbuf_release(&noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supervisor__command_is_a_shell_with_a_script),
        cmocka_unit_test(supervisor__control_is_a_directory_of_two_files),
        cmocka_unit_test(supervisor__control_carries_stdin_from_its_start),
        cmocka_unit_test(supervisor__control_with_a_stdin_that_is_no_file),
        cmocka_unit_test(supervisor__control_has_a_limit),
        cmocka_unit_test(supervisor__program_gets_its_arguments_byte_by_byte),
        cmocka_unit_test(supervisor__program_gets_its_environment_byte_by_byte),
        cmocka_unit_test(supervisor__environment_does_not_reach_the_supervisor),
        cmocka_unit_test(supervisor__program_is_looked_up_on_its_own_path),
        cmocka_unit_test(supervisor__program_whose_name_looks_like_a_variable),
        cmocka_unit_test(supervisor__program_without_a_network_sees_no_proxies),
        cmocka_unit_test(supervisor__program_with_a_network_keeps_its_proxies),
        cmocka_unit_test(supervisor__files_follow_their_frame),
        cmocka_unit_test(supervisor__files_that_were_not_requested),
        cmocka_unit_test(supervisor__stream_cut_at_every_two_places),
        cmocka_unit_test(supervisor__stream_in_pieces_of_every_size),
        cmocka_unit_test(supervisor__stdout_ends_without_numbers),
        cmocka_unit_test(supervisor__bytes_are_passed_on_as_they_come),
        cmocka_unit_test(supervisor__states),
        cmocka_unit_test(supervisor__failures),
        cmocka_unit_test(supervisor__hostile_frames_are_the_programs_bytes),
        cmocka_unit_test(supervisor__unfinished_frame_before_the_end),
        cmocka_unit_test(supervisor__frames_that_are_too_long),
        cmocka_unit_test(supervisor__frame_without_an_end_holds_back_little),
        cmocka_unit_test(supervisor__floods_of_nul_bytes),
        cmocka_unit_test(supervisor__floods_of_starts_of_frames),
        cmocka_unit_test(supervisor__numbers_of_the_end),
        cmocka_unit_test(supervisor__numbers_that_are_too_long),
        cmocka_unit_test(supervisor__frames_in_the_wrong_state),
        cmocka_unit_test(supervisor__preamble_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
