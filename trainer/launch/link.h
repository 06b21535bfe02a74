/* The link of an emulated node: its rate, how much of it may be saved up, its
 * delay, as options and sweep files write them.
 *
 *	struct link l;
 *	if (link_parse("2.5G", "64mb", NULL, &l, &e) != 0) ...
 */
#ifndef TRAINER_LAUNCH_LINK_H
#define TRAINER_LAUNCH_LINK_H

#include "common/error.h"

struct link {
	double bits_per_s;  /* what a node may send; 0: as fast as it can */
	double burst_bytes; /* depth of the token bucket, what may be sent at
	                       once after a pause */
	double delay_s;     /* of each packet; 0: none */
};

/* Read the three texts of a link.
 *
 * rate   "2.5G", "2.5gbit", "100Mbit/s", "none"
 * burst  "256kb", "64mb", units of 1024 bytes; NULL: 256kb, which is too
 *        little to matter
 * delay  "0.5ms", "1s", "200us"; NULL: none
 * l      set on success only
 *
 * Returns 0, or -1 with ERROR_INPUT and a message that quotes the text. */
int link_parse(const char *rate, const char *burst, const char *delay,
    struct link *l, struct error *e);

#endif
