/* The main program of a fuzz target in an ordinary build: runs the target on
 * the files of its seed corpus, each unchanged and in a number of deterministic
 * mutations. A build with --enable-fuzz uses libFuzzer's main instead.
 *
 *	fuzz_result FILE...
 *
 * DLSCALE_FUZZ_RUNS in the environment: mutations of each file (200);
 * DLSCALE_FUZZ_SECONDS: seconds of mutating the files alternately, instead;
 * DLSCALE_FUZZ_SEED: seed of the mutations; DLSCALE_FUZZ_CRASH: file for the
 * input of a crash. */
#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"
#include "tests/fuzz/mutators.h"

enum {
	MAX_INPUT = 1 << 20,
	TURN_RUNS = 50 /* mutations of a file before the next file */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* NULL in targets without one. */
#pragma weak LLVMFuzzerCustomMutator

/* The current input, for the message of a crash. */
static char now[512];
static const uint8_t *now_data;
static size_t now_len;
static const char *crash_path;

/* Report and keep the current input; only async-signal-safe calls. */
static void
on_crash(int sig)
{
	const ssize_t n = write(STDERR_FILENO, now, strlen(now));
	const int fd = crash_path != NULL && now_data != NULL
	    ? open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0666)
	    : -1;

	(void)n;
	if (fd >= 0)
		(void)!write(fd, now_data, now_len);
	signal(sig, SIG_DFL);
	raise(sig);
}

static uint64_t random_state = 88172645463325252u;

/* One change: another byte, a flipped bit, a piece removed or doubled, a nasty
 * token inserted, the end cut off. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t len, size_t room)
{
	uint64_t *state = &random_state;
	static const char *const tokens[] = { "null", "-1", "1e999", "NaN",
		"\"\"", "[[", "{}", "\\u0000", "\xff", "99999999999999999999",
		"\n", ":", "e", "-", ".", "," };
	const size_t at = len > 0 ? mutators_random(state) % len : 0;
	const size_t size = 1 + mutators_random(state) % 16;
	const char *token = tokens[mutators_random(state) % 16];
	const size_t token_len = strlen(token);

	switch (len > 0 ? mutators_random(state) % 6 : 4) {
	case 0:
		data[at] = (uint8_t)mutators_random(state);
		return len;
	case 1:
		data[at] ^= (uint8_t)(1u << mutators_random(state) % 8);
		return len;
	case 2:
		if (at + size > len)
			return at;
		memmove(data + at, data + at + size, len - at - size);
		return len - size;
	case 3:
		if (at + size > len || len + size > room)
			return len;
		memmove(data + at + size, data + at, len - at);
		return len + size;
	case 4:
		if (len + token_len > room)
			return len;
		memmove(data + at + token_len, data + at, len - at);
		memcpy(data + at, token, token_len);
		return len + token_len;
	default:
		return at;
	}
}

/* Run the target on a copy of exactly len bytes, so that sanitizers detect
 * reads beyond the end. */
static void
run_target(const uint8_t *data, size_t len)
{
	uint8_t *copy = xmalloc(len > 0 ? len : 1);

	memcpy(copy, data, len);
	now_data = copy;
	now_len = len;
	LLVMFuzzerTestOneInput(copy, len);
	now_data = NULL;
	free(copy);
}

/* A file of the corpus. */
struct seed {
	const char *path;
	uint8_t *data;
	size_t len;
	long runs; /* mutations so far */
};

static int
seed_read(struct seed *s, const char *path)
{
	FILE *f = fopen(path, "rb");

	*s = (struct seed){ .path = path, .data = xmalloc(MAX_INPUT) };
	if (f == NULL) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		return 3;
	}
	s->len = fread(s->data, 1, MAX_INPUT, f);
	fclose(f);
	s->data = xreallocarray(s->data, s->len > 0 ? s->len : 1, 1);
	return 0;
}

static void
seed_mutate(struct seed *s, uint8_t *data)
{
	uint64_t changes = 1 + mutators_random(&random_state) % 4;
	size_t n = s->len;

	snprintf(now, sizeof now, "replay: crash in '%s', mutation %ld\n",
	    s->path, ++s->runs);
	memcpy(data, s->data, s->len);
	for (; changes > 0; changes--)
		n = LLVMFuzzerCustomMutator != NULL
		    ? LLVMFuzzerCustomMutator(data, n, MAX_INPUT,
			  (unsigned)mutators_random(&random_state))
		    : LLVMFuzzerMutate(data, n, MAX_INPUT);
	run_target(data, n);
}

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Run each seed unchanged, then mutations: runs of each or, if seconds > 0, of
 * all alternately until the time is up. Returns the number of mutations. */
static long
replay(struct seed *seeds, int n, long runs, long seconds)
{
	const double end = seconds_now() + (double)seconds;
	uint8_t *data = xmalloc(MAX_INPUT);
	long done = 0;

	for (int i = 0; i < n; i++) {
		snprintf(
		    now, sizeof now, "replay: crash in '%s'\n", seeds[i].path);
		run_target(seeds[i].data, seeds[i].len);
	}
	/* A target may have closed stdout. */
	fprintf(stderr, "%d files, %ld read", n, fuzz_accepted);
	for (int i = 0; n > 0; i = (i + 1) % n) {
		const long turn = seconds > 0 ? TURN_RUNS : runs;

		for (long k = 0; k < turn; k++, done++)
			seed_mutate(&seeds[i], data);
		if (seconds > 0 ? seconds_now() > end : i == n - 1)
			break;
	}
	free(data);
	return done;
}

/* Whole number from the environment, or value if it is unset; -1 if it is
 * invalid. */
static long
number_from(const char *name, long value)
{
	const char *text = getenv(name);

	if (text != NULL && parse_long(text, 0, 1000000000, &value) != 0) {
		fprintf(stderr, "replay: %s='%s' is not a whole number\n", name,
		    text);
		return -1;
	}
	return value;
}

int
main(int argc, char **argv)
{
	const long runs = number_from("DLSCALE_FUZZ_RUNS", 200);
	const long seconds = number_from("DLSCALE_FUZZ_SECONDS", 0);
	const long seed = number_from("DLSCALE_FUZZ_SEED", 0);
	struct seed *seeds = xcalloc((size_t)argc, sizeof *seeds);
	int status = 0;
	long done;

	if (runs < 0 || seconds < 0 || seed < 0)
		return 2;
	random_state += (uint64_t)seed * 2;
	crash_path = getenv("DLSCALE_FUZZ_CRASH");
	signal(SIGABRT, on_crash);
	signal(SIGSEGV, on_crash);
	for (int i = 1; i < argc && status == 0; i++)
		status = seed_read(&seeds[i - 1], argv[i]);
	if (status == 0) {
		done = replay(seeds, argc - 1, runs, seconds);
		fprintf(stderr, "; %ld mutations, %ld read with the files\n",
		    done, fuzz_accepted);
	}
	for (int i = 1; i < argc; i++)
		free(seeds[i - 1].data);
	free(seeds);
	return status;
}
