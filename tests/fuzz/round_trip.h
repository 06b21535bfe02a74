/* Round trips of results, for fuzz targets that make one. */
#ifndef TESTS_FUZZ_ROUND_TRIP_H
#define TESTS_FUZZ_ROUND_TRIP_H

#include "common/result/result.h"

/* Abort unless the result can be written, read and written again with the same
 * text. */
void round_trip_check(const struct result *r);

#endif
