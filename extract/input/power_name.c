/* How records of power are called.  The walk over folders asks, so that they
 * are no logs, and the job, which looks for them next to a log; it opens
 * nothing. */
#include <config.h>

#include "extract/input/power_name.h"

#include <string.h>
#include <strings.h>

static const char *const power_names[] = { "power.csv", "gpu_power.csv",
	"nvidia-smi.csv", "nvidia_smi.csv", "dcgm.txt", "dcgmi.txt", "dcgm.log",
	"dcgmi.log", "emissions.csv" };

enum { N_POWER_NAMES = sizeof power_names / sizeof power_names[0] };

int
power_name_is(const char *name)
{
	const size_t len = strlen(name);

	for (int i = 0; i < N_POWER_NAMES; i++) {
		const size_t n = strlen(power_names[i]);

		if (len >= n &&
		    strcasecmp(name + len - n, power_names[i]) == 0 &&
		    (len == n || strchr(".-_", name[len - n - 1]) != NULL))
			return 1;
	}
	return 0;
}

const char *
power_name_at(int i)
{
	return i < N_POWER_NAMES ? power_names[i] : NULL;
}
