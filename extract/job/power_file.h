/* Records of devices' power as their monitors write them: nvidia-smi's
 * (--query-gpu=timestamp,index,power.draw --format=csv), dcgmi dmon's (-e 155),
 * codecarbon's emissions.csv.  Internal to extract/.
 */
#ifndef EXTRACT_JOB_POWER_FILE_H
#define EXTRACT_JOB_POWER_FILE_H

#include "common/arena.h"
#include "common/error.h"
#include "extract/log/power_log.h"

/* Read a file of them, packed or not.
 *
 * p  filled; power_log_release frees what it holds, but for the name, which is
 *    path's end
 *
 * Returns 0; -1 with a message without the path: it cannot be read, it is none
 * of these, it states no power, or has more than a million rows. */
int power_file_read(const char *path, struct power_log *p, struct error *e);

/* The record that belongs to a log: LOG.power.csv (or -power.csv, _power.csv,
 * and the other names of file_list.h) next to LOG.log or LOG.log.gz, else one
 * that is called like more of its name's beginning, else power.csv in its
 * folder.
 *
 * log  its path
 * own  set to 1 where it is called after the log, 0 where it may be of other
 *      logs of the folder too
 * a    where the path lives
 *
 * Returns NULL if there is none. */
const char *power_file_find(const char *log, int *own, struct arena *a);

/* For logs whose format reads no time: the first date with a time in a line's
 * first 256 bytes, such as 2024-05-01 12:34:56,789 or
 * 2024/05/01T12:34:56+02:00, in seconds since 1970; a time without zone is
 * taken as UTC.  NAN if there is none. */
double line_date_in(const char *text, size_t len);

/* The same for a line of a file, from 1; NAN too if it cannot be read. */
double line_date(const char *path, long line);

#endif
