/* --compat=dlperf: what one of DLPerf's 30 scripts prints and writes, to the
 * digit, so that published tables can be checked.  The script is named, or
 * inferred from the logs (dlperf_script.h).
 *
 * Its silent wrong values are given as it gives them, with a note on stderr
 * with the right answer; where it fails the log or case is named and excluded,
 * and the rest is done.
 */
#ifndef EXTRACT_DLPERF_DLPERF_H
#define EXTRACT_DLPERF_DLPERF_H

#include "common/error.h"
#include "common/strbuf.h"
#include "extract/measure/cases/case.h"
#include "extract/job/settings.h"

struct dlperf_outcome {
	struct arena arena;
	struct strbuf text;      /* what the script prints */
	struct strbuf file;      /* what it writes */
	const char *path;        /* where it writes that; NULL: nowhere */
	const char *inferred;    /* path of the script that was inferred */
	struct case_notes notes; /* where it is wrong, and the right answers */
	struct case_notes stops; /* where it would have failed */
};

/* Do it for the logs with the suffix ".log" in the folders of dir, in the order
 * of the folders' entries.
 *
 * dir  as given: its last part names the result, "" with a slash at its end
 * out  notes and stops are set on failure too; free it with
 *      dlperf_outcome_release in any case
 *
 * Returns 0; -1 with ERROR_EMPTY without a log that the script could read, or
 * with ERROR_SYSTEM. */
int dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e);
void dlperf_outcome_release(struct dlperf_outcome *out);

/* "27  pytorch-resnet50-time  PyTorch/..." for each script. */
void dlperf_script_list(struct strbuf *sb);

#endif
