/* A result that is written and read again, for fuzz targets that make one. */
#ifndef TESTS_FUZZ_ROUND_TRIP_H
#define TESTS_FUZZ_ROUND_TRIP_H

#include "common/result/result.h"

/* What is written of the result must be read, and written the same again; else
 * the program ends. */
void round_trip_check(const struct result *r);

#endif
