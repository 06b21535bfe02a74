/* Describes the machine in lines "key: value": properties that can affect
 * measured speeds. run_sweep writes them to machine.txt next to its logs;
 * report_results --environment makes a table of them.
 *
 *	struct strbuf sb;
 *	strbuf_init(&sb, MACHINE_INFO_SIZE);
 *	machine_info_describe("mpirun", machine_info_capture, &sb);
 *	fputs(sb.buf, stdout);
 */
#ifndef COMMON_MACHINE_INFO_H
#define COMMON_MACHINE_INFO_H

#include "common/strbuf.h"

enum { MACHINE_INFO_SIZE = 1 << 16 /* bytes that all lines fit in */ };

/* Run a short command and catch what it prints.  Returns 0, or -1 if it cannot
 * be run, takes too long or its status is not 0. */
typedef int machine_info_capturer(const char *const *argv, struct strbuf *out);

/* One for programs that run no other jobs: 5 s at most. */
machine_info_capturer machine_info_capture;

/* Describe this machine: host, CPU, memory, network cards and their links, GPUs
 * and how they are joined, kernel, and the versions of what a training uses.
 * Unknown properties have no line.
 *
 * mpirun   program whose version is shown
 * capture  runs it, nvidia-smi and the like */
void machine_info_describe(
    const char *mpirun, machine_info_capturer *capture, struct strbuf *sb);

/* The network cards below root/class/net and root/class/infiniband, a line
 * each: name, driver, speed of the link where it is known, in Gbit/s, which
 * cards are sold by.
 *
 * root  "/sys", or a test's copy of it */
void machine_info_nics(const char *root, struct strbuf *sb);

/* The line "gpu link": the kinds of link between the GPUs, as the matrix of
 * "nvidia-smi topo -m" has them.
 *
 * matrix  what that printed */
void machine_info_gpu_links(const char *matrix, struct strbuf *sb);

/* The line "commit": the state of the code in the current folder, by git; with
 * "-dirty" where files were changed since.  None outside of git. */
void machine_info_commit(machine_info_capturer *capture, struct strbuf *sb);

/* The line "date" of now, UTC. */
void machine_info_date(struct strbuf *sb);

#endif
