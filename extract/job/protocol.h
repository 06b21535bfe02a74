/* Published conventions of measuring: --protocol=NAME. They are rows of the
 * files known.protocols in the folders of formats, those of users first:
 *
 *	NAME | OPTION=VALUE ... | meaning
 *
 * The options are those of extract_logs, and iterations=A-B: the iterations
 * that a log prints as A to B.
 */
#ifndef EXTRACT_JOB_PROTOCOL_H
#define EXTRACT_JOB_PROTOCOL_H

#include "extract/job/settings.h"

/* Set the options of the protocol that s->rule.protocol names, and
 * s->rule.by_number for one of printed iterations.
 *
 * Returns 0; -1 with ERROR_USAGE, which lists the known protocols, for an
 * unknown one, or if the command line sets an option that a protocol sets;
 * ERROR_INPUT with the place of a bad row. */
int protocol_apply(struct settings *s, struct error *e);

#endif
