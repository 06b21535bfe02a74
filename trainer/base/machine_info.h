/* Description of the machine in lines "key: value": properties that can affect
 * measured speeds. machine.txt next to the logs has this format.
 *
 *	struct strbuf sb;
 *	strbuf_init(&sb, MACHINE_INFO_SIZE);
 *	machine_info_describe("mpirun", &sb);
 *	fputs(sb.buf, stdout);
 */
#ifndef TRAINER_BASE_MACHINE_INFO_H
#define TRAINER_BASE_MACHINE_INFO_H

#include "common/alloc.h"

enum { MACHINE_INFO_SIZE = 1 << 16 /* bytes, enough for all lines */ };

/* Add word to sb, in single quotes if the shell needs them. */
void shell_word_add(struct strbuf *sb, const char *word);

/* Run a short command and capture its output. Returns 0, or -1 if it cannot be
 * run, takes more than 5 s or exits with a status other than 0. */
int machine_info_capture(const char *const *argv, struct strbuf *out);

/* Describe this machine: host, CPU, memory, network cards, GPUs and their
 * links, kernel, and versions of the training libraries. Unknown properties are
 * omitted.
 *
 * mpirun  program whose version is shown */
void machine_info_describe(const char *mpirun, struct strbuf *sb);

/* Add a line per network card below root/class/net and root/class/infiniband:
 * name, driver, link speed in Gbit/s if known.
 *
 * root  "/sys", or a test's copy of it */
void machine_info_nics(const char *root, struct strbuf *sb);

/* Add the line "commit": the git commit of the current folder, with "-dirty" if
 * files have changed. No line outside a git repository. */
void machine_info_commit(struct strbuf *sb);

#endif
