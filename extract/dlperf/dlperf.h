/* --compat=dlperf: reproduces the output of one of DLPerf's 30 scripts to the
 * digit, so that published tables can be checked.  The script is named or
 * inferred from the logs (dlperf_script.h).
 *
 * A wrong result of a script is reproduced, with a note on stderr that gives
 * the correct one.  A log or case at which a script would fail is reported and
 * excluded; the others are processed.
 */
#ifndef EXTRACT_DLPERF_DLPERF_H
#define EXTRACT_DLPERF_DLPERF_H

#include "common/error.h"
#include "common/strbuf.h"
#include "extract/measure/cases/case.h"
#include "extract/job/settings.h"

struct dlperf_outcome {
	struct arena arena;
	struct strbuf text;      /* standard output of the script */
	struct strbuf file;      /* contents of the script's output file */
	const char *path;        /* path of the output file; NULL: none */
	const char *inferred;    /* path of the script, if inferred */
	struct case_notes notes; /* wrong results, with the correct ones */
	struct case_notes stops; /* failures of the script */
};

/* Run the script on the logs with the suffix ".log" in the folders of dir, in
 * directory order.
 *
 * dir  as given: its last part names the result; "" if dir ends in a slash
 * out  notes and stops are set on failure too; always free it with
 *      dlperf_outcome_release
 *
 * Returns 0; -1 with ERROR_EMPTY if the script could read no log, or with
 * ERROR_SYSTEM. */
int dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e);
void dlperf_outcome_release(struct dlperf_outcome *out);

/* List each script: "27 pytorch-resnet50-time PyTorch/...". */
void dlperf_script_list(struct strbuf *sb);

#endif
