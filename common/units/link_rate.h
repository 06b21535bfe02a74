/* The rate of a network link as people write it. */
#ifndef COMMON_UNITS_LINK_RATE_H
#define COMMON_UNITS_LINK_RATE_H

/* A rate with its unit: "25Gbit/s", "12.5 GB/s", kbit/s to Gbit/s in 1e3,
 * GB/s of 8e9 bit/s.
 *
 * Returns 0 and bit/s above 0, or -1. */
int link_rate_parse(const char *text, double *bit_per_s);

#endif
