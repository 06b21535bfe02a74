/* What the machine's network interfaces have received and sent, from the
 * kernel's counters; the difference of two readings over the time between them
 * is a rate.  All that the machine does is in it, not only this program.
 *
 * The loopback interface is counted apart.  Interfaces that belong to a bridge
 * or bond are left out: their traffic is the bridge's.
 *
 *	struct traffic a, b;
 *	traffic_read(&a);
 *	...
 *	traffic_read(&b);
 *	printf("%.0f bytes", b.received - a.received);
 */
#ifndef TRAINER_TRAFFIC_H
#define TRAINER_TRAFFIC_H

#include <stddef.h>

#include "common/strbuf.h"

enum { TRAFFIC_NAMES_SIZE = 256, TRAFFIC_NAME_MAX = 32 };

struct traffic {
	double received, sent;          /* bytes, all but loopback */
	double loopback;                /* bytes, each counted once */
	char names[TRAFFIC_NAMES_SIZE]; /* "eth0,eth1": what was counted; cut
	                                   at a comma if too long */
};

/* Read /proc/net/dev.  Returns 0, or -1 (all zero) where there is none. */
int traffic_read(struct traffic *t);

/* The same from a text in its form.
 *
 * is_part  says whether an interface belongs to another one; NULL: none does */
void traffic_parse(
    const char *text, int (*is_part)(const char *name), struct traffic *t);

/* Add " receive_mbit_per_s=... send_mbit_per_s=... loopback_mbit_per_s=..."
 * (10^6 bit/s) and " interfaces=eth0" ("none" without any) to sb.
 *
 * seconds  between the readings; 0: rates are 0 */
void traffic_show(const struct traffic *from, const struct traffic *to,
    double seconds, struct strbuf *sb);

#endif
