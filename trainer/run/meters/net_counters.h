/* Bytes that the machine's network interfaces received and sent, from the
 * kernel's counters; the difference of two readings divided by the time between
 * them is a rate. The counters include all traffic of the machine, not only
 * this program's.
 *
 * The loopback interface is counted separately. Interfaces that belong to a
 * bridge or bond are excluded: their traffic is counted in the bridge.
 *
 *	struct net_counters a, b;
 *	net_counters_read(&a);
 *	...
 *	net_counters_read(&b);
 *	printf("%.0f bytes", b.received - a.received);
 */
#ifndef TRAINER_RUN_METERS_NET_COUNTERS_H
#define TRAINER_RUN_METERS_NET_COUNTERS_H

#include <stddef.h>

#include "common/strbuf.h"

enum { NET_COUNTERS_NAMES_SIZE = 256, NET_COUNTERS_NAME_MAX = 32 };

struct net_counters {
	double received, sent;               /* bytes, all but loopback */
	double loopback;                     /* bytes, each counted once */
	char names[NET_COUNTERS_NAMES_SIZE]; /* interfaces counted, "eth0,eth1";
					  truncated at a comma if too long */
};

/* Read /proc/net/dev. Returns 0, or -1 (all zero) if it does not exist. */
int net_counters_read(struct net_counters *t);

/* The same for a text in the format of /proc/net/dev.
 *
 * is_part  tests whether an interface belongs to another one;
 *          NULL: none does */
void net_counters_parse(
    const char *text, int (*is_part)(const char *name), struct net_counters *t);

/* Add the difference of two readings to sum, which is all zero at first; its
 * names become those of the last reading. */
void net_counters_add(struct net_counters *sum, const struct net_counters *from,
    const struct net_counters *to);

/* Add " receive_mbit_per_s=... send_mbit_per_s=... loopback_mbit_per_s=..."
 * (10^6 bit/s) and " interfaces=eth0" ("none" without any) to sb.
 *
 * seconds  between the readings; 0: rates are 0 */
void net_counters_show(const struct net_counters *from,
    const struct net_counters *to, double seconds, struct strbuf *sb);

#endif
