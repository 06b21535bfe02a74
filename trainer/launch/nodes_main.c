/* run_on_nodes: runs a command on emulated nodes. run_sweep prepends it to the
 * commands of runs with a link. See nodes.c. */
#include <config.h>

#include <stddef.h>

#include "common/program/options.h"
#include "common/program/program_main.h"
#include "trainer/launch/nodes.h"

static long n_nodes, n_devices;
static const char *rate, *burst, *delay;
static double core_share;

static const struct opt opts[] = {
	{ OPT_INT, 'N', "nodes", "N", .help = "emulate N nodes", .def = "2",
	    .min = 1, .max = NODES_MAX, .to = &n_nodes },
	{ OPT_INT, 'g', "devices", "N",
	    .help = "start the command N times on each node", .def = "1",
	    .min = 1, .max = NODES_MAX_RANKS, .to = &n_devices },
	{ OPT_STR, 0, "link", "RATE",
	    .help = "let each node send at most RATE, as 2.5G or 100mbit "
		    "(10^9, 10^6 bit/s); none: as fast as it can",
	    .def = "none", .to = &rate },
	{ OPT_STR, 0, "burst", "SIZE",
	    .help = "after a pause let it send SIZE at once, as the links of "
		    "clouds do (64mb); default: 256kb, which has hardly any "
		    "effect",
	    .to = &burst },
	{ OPT_STR, 0, "delay", "TIME",
	    .help = "delay what it sends by TIME, as 0.5ms, where the kernel "
		    "can (netem)",
	    .to = &delay },
	{ OPT_REAL, 0, "core-share", "X", .unit = "cores",
	    .help = "give each rank X of one core, by control groups, so that "
		    "a rank computes as fast in runs of few ranks as in runs "
		    "of many; 0: no limit",
	    .def = "0", .max = 1, .to = &core_share },
	{ .kind = OPT_END },
};

static const char *const examples[] = {
	"run_on_nodes -N 4 --link=2.5G -- train_imagenet --dummy "
	"--backend=gloo",
	"four ranks, each on a link of 2.5 Gbit/s",
	"run_on_nodes --link=5G --burst=64mb -- ip addr",
	"what a node looks like",
	NULL,
};

static const struct program program = {
	.name = "run_on_nodes",
	.synopsis = "[OPTION]... -- COMMAND [WORD]...",
	.summary = "run a command on emulated nodes of this machine",
	.text =
	    "Makes network namespaces with an address, a host name and a "
	    "shaped link each, and a switch between them, and runs COMMAND in "
	    "each of them, as launchers do: RANK, WORLD_SIZE, LOCAL_RANK, "
	    "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set. The first "
	    "line of output states what was made. All of it is removed when "
	    "the ranks have ended, also when run_on_nodes is killed.\n\n"
	    "The rank that fails first is named, and the first one that a "
	    "signal ends; all others end within ten seconds, and the exit "
	    "status is that of the rank named last (128 plus the number of "
	    "its signal).\n\n"
	    "It needs ip and tc (iproute2), and root or a kernel that lets "
	    "users make namespaces; --core-share needs control groups, and "
	    "without them is ignored with a warning.",
	.opts = opts,
	.examples = examples,
	.see_also = "run_sweep(1), run_experiment(1), train_imagenet(1)",
};

static int
run_on_nodes(char **operands, size_t n, struct error *e)
{
	struct nodes_how how = { .program = program.name,
		.nodes = n_nodes,
		.devices = n_devices,
		.core_share = core_share,
		.argv = operands };

	if (n == 0)
		return options_missing_operand("the command", e);
	if (n_nodes * n_devices > NODES_MAX_RANKS)
		return error_set(
		    e, ERROR_USAGE, "more than %d ranks", NODES_MAX_RANKS);
	if (link_parse(rate, burst, delay, &how.link, e) != 0) {
		e->code = ERROR_USAGE;
		return -1;
	}
	return nodes_run(&how, e);
}

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv, run_on_nodes);
}
