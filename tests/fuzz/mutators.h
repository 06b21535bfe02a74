/* Mutations of fuzz inputs that keep their form. Random bytes seldom pass the
 * first check of a format file or of JSON.
 *
 * A fuzz target that uses one defines LLVMFuzzerCustomMutator and calls it
 * there; replay.c and libFuzzer call that function if it exists. */
#ifndef TESTS_FUZZ_MUTATORS_H
#define TESTS_FUZZ_MUTATORS_H

#include <stddef.h>
#include <stdint.h>

/* Number of inputs that a target has accepted. replay.c prints it, to reveal a
 * corpus that the program no longer accepts. */
extern long fuzz_accepted;

/* Change random bytes; defined by libFuzzer and replay.c. Returns the new
 * length, at most room. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t room);

/* Called instead of LLVMFuzzerMutate where a target defines it. */
size_t LLVMFuzzerCustomMutator(
    uint8_t *data, size_t len, size_t room, unsigned seed);

/* Marsaglia's xorshift64: the same numbers everywhere.  state must not be 0. */
uint64_t mutators_random(uint64_t *state);

/* Change lines of words: duplicate, move or drop a line, replace a word by
 * another one, or change a number. A third of the calls changes bytes instead.
 *
 * data   [room] the input, of which len bytes are used
 * words  first words of the format's lines, NULL at the end; may be NULL
 *
 * Returns the new length. */
size_t mutators_lines(uint8_t *data, size_t len, size_t room, unsigned seed,
    const char *const *words);

/* Change JSON: replace a value by another one of the text or an extreme one,
 * drop or duplicate a member or an element. A fifth of the calls changes bytes
 * instead. Like mutators_lines(). */
size_t mutators_json(uint8_t *data, size_t len, size_t room, unsigned seed);

#endif
