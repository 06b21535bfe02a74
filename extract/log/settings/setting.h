/* A setting in a log, and whether it distinguishes cases. */
#ifndef EXTRACT_LOG_SETTINGS_SETTING_H
#define EXTRACT_LOG_SETTINGS_SETTING_H

#include <stdint.h>

/* Where a setting is stated. */
enum setting_place {
	SETTING_COMMAND = 'c',
	SETTING_DUMP = 'd',
	SETTING_ENVIRONMENT = 'e',
	SETTING_EVENT = 'm', /* one per line, as MLPerf logs them */
	SETTING_STORE = 's'
};

struct stated_setting {
	const char *key;   /* as in Python: "--batch-size" is "batch_size" */
	const char *value; /* "true" for a flag */
	enum setting_place place;
	int64_t line; /* from 1 */
};

/* True if a setting distinguishes cases. Seeds, ids, ranks, hosts, ports,
 * dates, paths, names of runs and measurements do not. */
int setting_counts(const char *key, const char *value);

#endif
