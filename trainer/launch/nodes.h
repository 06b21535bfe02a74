/* The link of an emulated node (run_on_nodes). */
#ifndef TRAINER_LAUNCH_NODES_H
#define TRAINER_LAUNCH_NODES_H

#include "common/error.h"

struct link {
	double bits_per_s;  /* sending rate of a node; 0: no limit */
	double burst_bytes; /* token bucket: data sent at once after a pause */
	double delay_s;     /* delay of each packet; 0: none */
};

/* Parse rate, burst and delay of a link.
 *
 * rate   "2.5G", "2.5gbit", "100Mbit/s", "none"
 * burst  "256kb", "64mb", in powers of 1024 bytes; NULL: 256kb, which has
 *        little effect
 * delay  "0.5ms", "1s", "200us"; NULL: none
 * l      set on success only
 *
 * Returns 0, or -1 with ERROR_INPUT and a message that quotes the text. */
int link_parse(const char *rate, const char *burst, const char *delay,
    struct link *l, struct error *e);

#endif
