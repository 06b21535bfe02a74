/* The main program of a fuzz target in an ordinary build: runs the target on
 * the files of its seed corpus, each as it is and in a number of deterministic
 * mutations.  A build with --enable-fuzz has libFuzzer's main instead.
 *
 *	fuzz_result FILE...
 *
 * DLSCALE_FUZZ_RUNS in the environment: mutations of each file (200). */
#include <config.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/options.h"

enum { MAX_INPUT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What runs now, for the message of a crash. */
static char now[512];

/* Report which input it was; only async-signal-safe calls. */
static void
on_crash(int sig)
{
	const ssize_t n = write(STDERR_FILENO, now, strlen(now));

	(void)n;
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Marsaglia's xorshift64: the same numbers everywhere. */
static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* One change: another byte, a flipped bit, a piece cut out, a piece doubled, a
 * nasty token, the end cut off.  Returns the new length. */
static size_t
mutate(uint8_t *data, size_t len, uint64_t *state)
{
	static const char *const tokens[] = { "null", "-1", "1e999", "NaN",
		"\"\"", "[[", "{}", "\\u0000", "\xff", "99999999999999999999",
		"\n", ":", "e", "-", ".", "," };
	const size_t at = len > 0 ? next_random(state) % len : 0;
	const size_t size = 1 + next_random(state) % 16;
	const char *token = tokens[next_random(state) % 16];
	const size_t token_len = strlen(token);

	switch (len > 0 ? next_random(state) % 6 : 4) {
	case 0:
		data[at] = (uint8_t)next_random(state);
		return len;
	case 1:
		data[at] ^= (uint8_t)(1u << next_random(state) % 8);
		return len;
	case 2:
		if (at + size > len)
			return at;
		memmove(data + at, data + at + size, len - at - size);
		return len - size;
	case 3:
		if (at + size > len || len + size > MAX_INPUT)
			return len;
		memmove(data + at + size, data + at, len - at);
		return len + size;
	case 4:
		if (len + token_len > MAX_INPUT)
			return len;
		memmove(data + at + token_len, data + at, len - at);
		memcpy(data + at, token, token_len);
		return len + token_len;
	default:
		return at;
	}
}

/* The target wants memory that ends where the input ends, so that sanitizers
 * see who reads on. */
static void
run(const uint8_t *data, size_t len)
{
	uint8_t *copy = xmalloc(len > 0 ? len : 1);

	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static int
replay(const char *path, long runs)
{
	uint8_t *seed = xmalloc(MAX_INPUT), *data = xmalloc(MAX_INPUT);
	uint64_t state = 88172645463325252u;
	FILE *f = fopen(path, "rb");
	size_t len, n;
	long i;

	if (f == NULL) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		free(seed);
		free(data);
		return 3;
	}
	len = fread(seed, 1, MAX_INPUT, f);
	fclose(f);
	snprintf(now, sizeof now, "replay: crash in '%s'\n", path);
	run(seed, len);
	for (i = 0; i < runs; i++) {
		uint64_t changes = 1 + next_random(&state) % 4;

		snprintf(now, sizeof now,
		    "replay: crash in '%s', mutation "
		    "%ld\n",
		    path, i + 1);
		memcpy(data, seed, len);
		for (n = len; changes > 0; changes--)
			n = mutate(data, n, &state);
		run(data, n);
	}
	free(seed);
	free(data);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *text = getenv("DLSCALE_FUZZ_RUNS");
	long runs = 200;
	int i, status = 0;

	if (text != NULL && parse_long(text, 0, 1000000000, &runs) != 0) {
		fprintf(stderr,
		    "replay: DLSCALE_FUZZ_RUNS='%s' is not a whole "
		    "number\n",
		    text);
		return 2;
	}
	signal(SIGABRT, on_crash);
	signal(SIGSEGV, on_crash);
	for (i = 1; i < argc && status == 0; i++)
		status = replay(argv[i], runs);
	if (status == 0)
		printf("%d files, %ld mutations of each\n", argc - 1, runs);
	return status;
}
