/* Emulated nodes: network namespaces on this machine, each with a shaped link
 * to a common switch, for the duration of one command.
 *
 * They are in a PID namespace whose first process ends with this program, so no
 * namespace, interface or rank remains even after kill -9.
 *
 *	struct nodes_how how = { .nodes = 4, .devices = 1, .argv = argv };
 *	link_parse("2.5G", NULL, NULL, &how.link, &e);
 *	status = nodes_run(&how, &e);
 */
#ifndef TRAINER_LAUNCH_NODES_H
#define TRAINER_LAUNCH_NODES_H

#include "common/error.h"

enum {
	NODES_MAX = 200,       /* with addresses in 10.77.0.0/24 */
	NODES_MAX_RANKS = 4096 /* ranks on all nodes */
};

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

struct nodes_how {
	const char *program; /* for messages */
	long nodes, devices; /* devices: ranks of each node */
	struct link link;    /* of each node, shaped at the sender */
	double core_share;   /* of a core for each rank; 0: no limit */
	char *const *argv;   /* the command of each rank; ends with NULL */
};

/* Start the command nodes x devices times, with RANK, WORLD_SIZE, LOCAL_RANK,
 * LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT set, and wait for all.  Node I
 * is called nodeI and has the address 10.77.0.I, from 1 on.  Prints a line
 * "dlscale: nodes ..." first.
 *
 * The rank that fails first is named on stderr, and so is the first rank killed
 * by a signal, whose effect on others may be seen earlier. The other ranks are
 * killed if they run for longer than NODES_PATIENCE_S after that.
 *
 * Returns the exit status of the rank named last (128 + its signal), or 0; -1
 * with ERROR_SYSTEM, whose message names the need, if namespaces, ip or tc are
 * missing or not permitted. */
int nodes_run(const struct nodes_how *how, struct error *e);

#endif
