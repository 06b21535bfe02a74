/* Power records as written by monitors: nvidia-smi
 * (--query-gpu=timestamp,index,power.draw --format=csv, or dmon), dcgmi dmon
 * (-e 155), dcgm-exporter, jpwr, codecarbon's emissions.csv. Internal to
 * extract/.
 */
#ifndef EXTRACT_JOB_POWER_FILE_H
#define EXTRACT_JOB_POWER_FILE_H

#include "common/arena.h"
#include "common/error.h"
#include "extract/log/log.h"

/* Read a power record, compressed or not.
 *
 * p  set; power_log_release frees its members except the name, which is the end
 *    of path
 *
 * Returns 0; -1 with a message without the path: the file cannot be read, has
 * none of these forms, has no power values, or more than a million rows. */
int power_file_read(const char *path, struct power_log *p, struct error *e);

/* Find the power record of a log: LOG.power.csv (or -power.csv, _power.csv, and
 * the other names of file_list.h) next to LOG.log or LOG.log.gz, else one named
 * after a shorter prefix of the log's name, else power.csv in its folder.
 *
 * log  path of the log
 * own  set to 1 if it is named after the log, 0 if other logs of the folder may
 *      share it
 * a    arena of the path
 *
 * Returns NULL if there is none. */
const char *power_file_find(const char *log, int *own, struct arena *a);

/* For logs whose format reads no time: the first date with a time (stamp_find)
 * in the first 256 bytes of a line of a file, in seconds since 1970. A time
 * without zone is UTC. NAN if there is none or the file cannot be read.
 *
 * line  from 1 */
double line_date(const char *path, long line);

#endif
