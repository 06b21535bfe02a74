/* Changes of fuzz inputs that keep their form: random bytes seldom come past
 * the first check of a format file or of JSON, these do.
 *
 * A fuzz target that wants one defines LLVMFuzzerCustomMutator and calls it
 * there; replay.c and libFuzzer ask for that function. */
#ifndef TESTS_FUZZ_MUTATORS_H
#define TESTS_FUZZ_MUTATORS_H

#include <stddef.h>
#include <stdint.h>

/* How many inputs a target has read, not refused, so far: replay.c prints it,
 * so that a corpus that its program no longer understands is seen. */
extern long fuzz_accepted;

/* What libFuzzer and replay.c have: bytes changed without a plan.  Returns the
 * new length, at most room. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t room);

/* Called instead of LLVMFuzzerMutate where a target defines it. */
size_t LLVMFuzzerCustomMutator(
    uint8_t *data, size_t len, size_t room, unsigned seed);

/* Marsaglia's xorshift64: the same numbers everywhere.  state must not be 0. */
uint64_t mutators_random(uint64_t *state);

/* Change lines of words: a line doubled, moved or dropped, a word put in the
 * place of another, a number made another one.  A third of the calls changes
 * bytes instead.
 *
 * data  [room], len of them used
 * words NULL at their end: what the format's lines begin with; may be NULL
 *
 * Returns the new length. */
size_t mutators_lines(uint8_t *data, size_t len, size_t room, unsigned seed,
    const char *const *words);

/* Change JSON: a value replaced by another one of the text or by a nasty one, a
 * member or an element dropped or doubled.  A fifth of the calls changes bytes
 * instead.  As mutators_lines. */
size_t mutators_json(uint8_t *data, size_t len, size_t room, unsigned seed);

#endif
