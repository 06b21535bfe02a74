/* The keys of a sweep file: one row each. */
#ifndef TRAINER_LAUNCH_SWEEP_KEYS_H
#define TRAINER_LAUNCH_SWEEP_KEYS_H

#include "common/error.h"
#include "trainer/launch/sweep.h"

/* Values of a key that is given: how many, and with {fields}? */
enum sweep_values { VALUES_ONE, VALUES_MANY, VALUES_TEMPLATE };

struct sweep_row {
	const char *name;
	enum sweep_values values;
	/* Is text a value?  Returns 0, or -1 with a message that does not name
	 * the place.  NULL: any text but "". */
	int (*check)(const char *text, struct error *e);
	const char *def;   /* one word, or NULL */
	const char *help;  /* a sentence, no full stop */
	int is_whole;      /* of all groups alike: it stands above them */
	const char *alias; /* its name in older files, or NULL */
};

/* The rows, indexed by enum sweep_key. */
extern const struct sweep_row sweep_rows[SWEEP_KEYS];

/* The key called text[0..len), or -1. */
int sweep_key_find(const char *text, size_t len);

/* The condition before a key, as in "cpu:batch": sets it, or 0 where there is
 * none, and returns its bytes, the colon included. */
size_t sweep_condition_find(const char *text, size_t len, unsigned *condition);

/* Add to sb why text[0..len) is no key, and what to write instead: a key with
 * a colon or an equals sign, or one that is nearly spelt so. */
void sweep_key_explain(const char *text, size_t len, struct strbuf *sb);

#endif
