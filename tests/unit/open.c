// What happens to bytes in a connection that is opened, and the walls of the opener.
#include "test.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/setup/netns.h"
#include "secrets/dialogue/dialogue.h"
#include "text/sha.h"

static const char value[] = "ghp_KEYkeyKEYkeyKEYk", placeholder[] = "ghp_PLACEholderPLACE";
static const char foreign[] = "sk-OTHERotherOTHERoth",
		  foreign_placeholder[] = "sk-THIRDthirdTHIRDthi";

static void fill(struct keyring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->count = 2;
	ring->secrets[0] = (struct secret){ { .name = "a",
					      .only = true,
					      .host_count = 1,
					      .header_count = 1,
					      .headers = { "x-key" } },
					    sizeof(value) - 1,
					    value,
					    placeholder };
	ring->secrets[1] = (struct secret){
		{ .name = "b", .host_count = 1 }, sizeof(foreign) - 1, foreign, foreign_placeholder
	};
	assert_true(destination_parse("a.test:443", &ring->secrets[0].rule.hosts[0]));
	assert_true(destination_parse("*.b.test:443", &ring->secrets[1].rule.hosts[0]));
}

// `wanted`: the line that the server gets, or "!" and a part of the reason.
static void swaps(void **state)
{
	static const struct {
		const char *line, *wanted;
	} rows[] = {
		{ "Authorization: Bearer ghp_PLACEholderPLACE",
		  "Authorization: Bearer ghp_KEYkeyKEYkeyKEYk" },
		{ "authorization:bEARER  ghp_PLACEholderPLACE ",
		  "authorization: bEARER  ghp_KEYkeyKEYkeyKEYk" },
		{ "Authorization: token ghp_PLACEholderPLACE",
		  "Authorization: token ghp_KEYkeyKEYkeyKEYk" },
		{ "Authorization: Basic bTpnaHBfUExBQ0Vob2xkZXJQTEFDRQ==",
		  "Authorization: Basic bTpnaHBfS0VZa2V5S0VZa2V5S0VZaw==" },
		{ "X-Key: ghp_PLACEholderPLACE", "X-Key: ghp_KEYkeyKEYkeyKEYk" },
		{ "X-Api-Key: ghp_PLACEholderPLACE", "X-Api-Key: ghp_KEYkeyKEYkeyKEYk" },
		{ "X-Other: ghp_PLACEholderPLACE", "!the header X-Other" },
		{ "X-Api-Key: ghp_PLACEholderPLACEx", "!the header X-Api-Key" },
		{ "Authorization: Digest ghp_PLACEholderPLACE", "!the header Authorization" },
		{ "Authorization: Bearer Bearer ghp_PLACEholderPLACE",
		  "!the header Authorization" },
		{ "Authorization: Bearer sk-THIRDthirdTHIRDthi", "!not its own" },
		{ "X-Api-Key: sk-THIRDthirdTHIRDthi", "!not its own" },
		{ "X-Key: sk-THIRDthirdTHIRDthi", "!not its own" },
		{ "Authorization: Basic bTp4Z2hwX1BMQUNFaG9sZGVyUExBQ0U=", "!a part of Basic" },
		// Nothing else that is a credential, in whatever form, goes there.
		{ "Authorization: Basic bTpnaHBfUExBQ0Vob2xkZXJQTEFDRQ", "!another credential" },
		{ "Authorization: Basic bTpw", "!another credential" },
		{ "Authorization: Bearer ghp_PLANTEDplantedPLA", "!another credential" },
		{ "Authorization: AWS4-HMAC-SHA256 Credential=A", "!another credential" },
		{ "Authorization: x", "!another credential" },
		{ "X-Api-Key: something", "!another credential" },
		{ "PRIVATE-TOKEN: something", "!another credential" },
		{ "Job-Token: something", "!another credential" },
		{ "X-Key: something", "!another credential" },
		{ "Cookie: a=b", "" },
		{ "Authorization:", "Authorization: " },
		{ "X-Other: something", "X-Other: something" },
		{ "Range: bytes=0-3", "" },
		{ "Accept-Encoding: gzip", "" },
		{ "Upgrade: websocket", "" },
	};
	struct keyring ring;
	struct host host = { .kind = HOST_NAME, .name = "a.test" };
	static struct swapped swapped;
	static char head[SWAP_HEAD_MAX], out[SWAP_HEAD_MAX + 1], wanted[SWAP_HEAD_MAX];
	(void)state;
	fill(&ring);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct http_request request;
		int length = snprintf(head, sizeof(head),
				      "GET / HTTP/1.1\r\nHost: a.test\r\n%s\r\n\r\n", rows[i].line);
		assert_int_equal(http_request(head, (size_t)length, &request), PARSE_DONE);
		bool done = swap_head(&ring, &host, 443, head, &request, out, &swapped);
		if (rows[i].wanted[0] == '!') {
			if (done || !strstr(swapped.why, rows[i].wanted + 1))
				fail_msg("%s: %s", rows[i].line, done ? "passed" : swapped.why);
			continue;
		}
		out[swapped.length] = '\0';
		snprintf(wanted, sizeof(wanted),
			 "GET / HTTP/1.1\r\nHost: a.test\r\n%s%sAccept-Encoding: identity\r\n\r\n",
			 rows[i].wanted, rows[i].wanted[0] ? "\r\n" : "");
		if (!done || strcmp(out, wanted) != 0)
			fail_msg("%s: %s", rows[i].line, done ? out : swapped.why);
	}
}

static void queries(void **state)
{
	static const struct {
		const char *target;
		bool found;
	} rows[] = {
		{ "GET /a?access_token=x HTTP/1.1", true },
		{ "GET /a?b=c&Private_Token=x HTTP/1.1", true },
		{ "GET /a?b;api_key HTTP/1.1", true },
		{ "GET /a?acc%65ss%5Ftoken=x HTTP/1.1", true },
		{ "GET /a?access_token%3Dx HTTP/1.1", false },
		{ "GET /access_token=x HTTP/1.1", false },
		{ "GET /a?b=access_token HTTP/1.1", false },
		{ "GET /a?access_token2=x HTTP/1.1", false },
		{ "GET /a?%6 HTTP/1.1", false },
		{ "GET /a? HTTP/1.1", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((credential_in_query(rows[i].target, strlen(rows[i].target)) != NULL) !=
		    rows[i].found)
			fail_msg("%s", rows[i].target);
}

// Cut in two at every byte, and two of them behind each other.
static void scrubs(void **state)
{
	static struct scrubber scrubber;
	struct keyring keys;
	fill(&keys);
	scrub_begin(&scrubber, &keys);
	static const char text[] =
		"x ghp_KEYkeyKEYkeyKEYk y sk-OTHERotherOTHERothghp_KEYkeyKEYkeyKEYk ghp_KEY";
	static const char clean[] =
		"x ghp_PLACEholderPLACE y sk-THIRDthirdTHIRDthighp_PLACEholderPLACE ghp_KEY";
	(void)state;
	for (size_t cut = 0; cut <= sizeof(text) - 1; cut++) {
		char bytes[sizeof(text)], out[sizeof(text)] = "";
		memcpy(bytes, text, cut);
		size_t passed = scrub(&scrubber, bytes, cut, false);
		memcpy(out, bytes, passed);
		size_t rest = sizeof(text) - 1 - passed;
		memmove(bytes, bytes + passed, cut - passed);
		memcpy(bytes + cut - passed, text + cut, sizeof(text) - 1 - cut);
		assert_int_equal(scrub(&scrubber, bytes, rest, true), rest);
		memcpy(out + passed, bytes, rest);
		assert_string_equal(out, clean);
	}
}

static void coded(void **state)
{
	static const char *const bad[] = { "A",    "AA",   "AAA",  "====", "A===",
					   "AA=A", "AB==", "AAB=", "A-A=", "AA==AAAA" };
	unsigned char text[256], back[512];
	char again[512];
	(void)state;
	for (unsigned length = 0; length < sizeof(text); length++) {
		for (unsigned i = 0; i < length; i++)
			text[i] = (unsigned char)(i * 37 + length);
		base64_encode(text, length, again, sizeof(again));
		assert_int_equal(base64_decode(again, strlen(again), back, sizeof(back)), length);
		assert_memory_equal(back, text, length);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(base64_decode(bad[i], strlen(bad[i]), back, sizeof(back)), 0);
	assert_int_equal(base64_decode("AAAA", 4, back, 2), 0);
}

static void placeholders(void **state)
{
	static const struct {
		const char *value, *kept; // what stays, '#' for the rest
	} rows[] = {
		{ "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
		  "ghp_####################################" },
		{ "sk-ant-api03-abcdefghij_klmnop-qrstuv",
		  "sk-ant-api03-##########_######-######" },
		{ "sk-0123456789", "##-##########" }, // too short for a prefix to stay
		{ "a.b/c+d=0123456789abcdef", "#.#/#+#=################" },
	};
	uint16_t random[SECRET_BYTES_MAX];
	char made[128];
	(void)state;
	for (size_t i = 0; i < SECRET_BYTES_MAX; i++)
		random[i] = (uint16_t)(i * 7919);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length = strlen(rows[i].value);
		placeholder_make(rows[i].value, length, random, made);
		assert_int_equal(strlen(made), length);
		for (size_t j = 0; j < length; j++)
			assert_true(rows[i].kept[j] == '#' || rows[i].kept[j] == made[j]);
	}
	assert_null(secret_problem("0123456789abcdef", 16));
	assert_non_null(secret_problem("0123456789abcde", 15));
	assert_non_null(secret_problem("0123456789 abcdef", 17));
	assert_non_null(secret_problem("0123456789abcdef\n", 17));
	assert_non_null(secret_problem("", 0));
}

static int do_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int do_connect(void)
{
	struct sockaddr address = { .sa_family = AF_UNIX };
	return connect(0, &address, sizeof(address));
}

static int do_pair(void)
{
	int ends[2];
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int do_open(void)
{
	return open("/etc/passwd", O_RDONLY) >= 0 ? 0 : errno;
}

static int do_exec(void)
{
	return execl("/bin/true", "true", NULL);
}

static int do_fork(void)
{
	return (int)fork();
}

static int do_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	       MAP_FAILED;
}

static int do_protect(void)
{
	return mprotect(&errno, 1, PROT_READ | PROT_EXEC);
}

static int do_kill(void)
{
	return kill(getppid(), 0);
}

static int do_nothing(void)
{
	return write(-1, "", 0) < 0 ? 0 : 1;
}

static int try(unsigned locks, int (*act)(void))
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		if (confine(CONFINED_OPENER, locks) < 0)
			_exit(99);
		syscall(SYS_exit_group, act()); // before _exit() ASan makes a call that is locked
	}
	waitpid(child, &status, 0);
	return status;
}

static void walls(void **state)
{
	static int (*const acts[])(void) = { do_socket, do_connect, do_pair,    do_exec,
					     do_fork,   do_memory,  do_protect, do_kill };
	const unsigned locks = CONFINE_FILES | CONFINE_CALLS;
	(void)state;
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		int ended = try(locks, acts[i]);
		if (!WIFSIGNALED(ended) || WTERMSIG(ended) != SIGSYS)
			fail_msg("act %zu: status %x", i, (unsigned)ended);
	}
	int ended = try(locks, do_nothing);
	assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
	ended = try(locks, do_open);
	assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == ENOENT);
	// Landlock alone, where the kernel has it.
	ended = try(CONFINE_FILES, do_open);
	assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) != 99);
	if (access("/sys/kernel/security/landlock", F_OK) == 0)
		assert_int_equal(WEXITSTATUS(ended), EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swaps), cmocka_unit_test(queries),      cmocka_unit_test(scrubs),
		cmocka_unit_test(coded), cmocka_unit_test(placeholders), cmocka_unit_test(walls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
