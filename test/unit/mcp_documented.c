/*
 * The numbers of isolator-mcp(1) that no other unit test asserts literally. If you change one here,
 * change the page too.
 */
#include "test.h"

#include "base/json_text.h"
#include "mcp/calls.h"
#include "mcp/resources.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "mcp/server.h"
#include "mcp/tool.h"
#include "request/inputs_dir.h"
#include "run/unrequested_files.h"

CASE(documented__times)
{
    assert_int_equal(TOOL_TIMEOUT, 45);      /* "45 s" */
    assert_int_equal(SERVER_GRACE_MS, 1500); /* "1.5 s" */
}

CASE(documented__sizes)
{
    assert_int_equal(JSON_TEXT_MAX, 67108864);        /* "at most 64 MiB" */
    assert_int_equal(MESSAGE_MAX, 1000000);           /* "1,000,000 bytes" */
    assert_int_equal(CALLS_BYTES_MAX, 268435456);     /* "256 MiB" */
    assert_int_equal(RESOURCE_BYTES_MAX, 700000);     /* "700,000 bytes" */
    assert_int_equal(RESULT_STORE_RESULTS_MAX, 500);  /* "500 results" */
    assert_int_equal(RESULT_STORE_DROPPED_MAX, 1000); /* "1000" */
    assert_int_equal(INPUTS_MAX, 10000);              /* "10,000 files" */
    assert_int_equal(INPUTS_DEPTH_MAX, 16);           /* "sixteen levels" */
    assert_int_equal(UNREQUESTED_PICTURES_MAX, 4);    /* "up to four pictures" */
    assert_int_equal(UNREQUESTED_BYTES_MAX, 1048576); /* "1 MiB" */
    assert_int_equal(RESULT_UNRETURNED_MAX, 10);      /* "up to ten of the other files" */
}
