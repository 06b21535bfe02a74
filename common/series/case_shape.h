/* The shape of a case: on how many nodes and GPUs it ran.  Where the GPUs are
 * not known, cases are of one shape if they have one name. */
#ifndef COMMON_SERIES_CASE_SHAPE_H
#define COMMON_SERIES_CASE_SHAPE_H

#include "common/hash_index.h"
#include "common/result/result.h"
#include "common/text.h"

struct case_shape {
	long nodes, gpus; /* or RESULT_UNKNOWN */
	const char *name; /* of the case, or NULL */
};

/* The shape of a case, whose name it borrows. */
static inline struct case_shape
case_shape_of(const struct result_case *c)
{
	return (struct case_shape){ c->nodes, c->gpus, c->name };
}

/* Are they the same? */
static inline int
case_shape_same(struct case_shape a, struct case_shape b)
{
	return a.gpus == b.gpus && a.nodes == b.nodes &&
	    (a.gpus != RESULT_UNKNOWN || text_same(a.name, b.name));
}

/* A hash, which is the same of shapes that are; begin as hash_bytes has it. */
static inline uint32_t
case_shape_hash(uint32_t begin, struct case_shape x)
{
	const long counts[] = { x.nodes, x.gpus };
	const uint32_t hash = hash_bytes(begin, counts, sizeof counts);

	return x.gpus == RESULT_UNKNOWN ? hash_text(hash, x.name) : hash;
}

#endif
