/* Emulated nodes: network namespaces on this machine, with a shaped link each
 * and a switch between them, for the time of one command.
 *
 * They live in a PID namespace whose first process ends with this program: even
 * after kill -9 no namespace, interface or rank remains.
 *
 *	struct nodes_how how = { .nodes = 4, .devices = 1, .argv = argv };
 *	link_parse("2.5G", NULL, NULL, &how.link, &e);
 *	status = nodes_run(&how, &e);
 */
#ifndef TRAINER_LAUNCH_NODES_H
#define TRAINER_LAUNCH_NODES_H

#include "common/error.h"

enum {
	NODES_MAX = 200,       /* nodes; a switch and an address each */
	NODES_MAX_RANKS = 4096 /* processes of all of them */
};

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

struct nodes_how {
	const char *program; /* for messages */
	long nodes, devices; /* devices: ranks of each node */
	struct link link;    /* of each node, shaped where it sends */
	double core_share;   /* of one core, for each rank; 0: as they can */
	char *const *argv;   /* the command of each rank; ends with NULL */
};

/* Start the command nodes x devices times, with RANK, WORLD_SIZE, LOCAL_RANK,
 * LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT set, and wait for all.  Node I
 * is called nodeI and has the address 10.77.0.I, from 1 on.  Prints a line
 * "dlscale: nodes ..." first.
 *
 * The rank that fails first is named on stderr, and so is the first one that a
 * signal ends, as others may give up a moment earlier because of it; the others
 * have NODES_PATIENCE_S to end by themselves and are ended then.
 *
 * Returns the exit status of the rank named last (128 + its signal), or 0; -1
 * with ERROR_SYSTEM where namespaces, ip or tc are missing or not permitted:
 * the message states what is needed. */
int nodes_run(const struct nodes_how *how, struct error *e);

#endif
