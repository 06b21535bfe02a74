/* Parses rates, sizes and delays of links. */
#include <config.h>

#include "trainer/launch/nodes.h"

#include <string.h>
#include <strings.h>

#include "common/text.h"

struct link_unit {
	const char *name;
	double factor;
};

static const struct link_unit rate_units[] = { { "g", 1e9 }, { "gbit", 1e9 },
	{ "gbit/s", 1e9 }, { "gb/s", 1e9 }, { "m", 1e6 }, { "mbit", 1e6 },
	{ "mbit/s", 1e6 }, { "k", 1e3 }, { "kbit", 1e3 }, { "kbit/s", 1e3 },
	{ NULL, 0 } };
static const struct link_unit size_units[] = { { "kb", 1024 }, { "kib", 1024 },
	{ "mb", 1 << 20 }, { "mib", 1 << 20 }, { "gb", 1 << 30 },
	{ "gib", 1 << 30 }, { NULL, 0 } };
static const struct link_unit delay_units[] = { { "us", 1e-6 }, { "ms", 1e-3 },
	{ "s", 1 }, { NULL, 0 } };

/* Parse a number, in min..max, directly followed by one of the units. */
static int
parse_quantity(const char *text, const struct link_unit *units, double min,
    double max, double *out)
{
	char number[32];
	const size_t n = strspn(text, "0123456789.");
	double x;

	if (n == 0 || n >= sizeof number)
		return -1;
	memcpy(number, text, n);
	number[n] = '\0';
	if (parse_double(number, 0, 1e15, &x) != 0)
		return -1;
	for (; units->name != NULL; units++) {
		if (strcasecmp(units->name, text + n) != 0)
			continue;
		x *= units->factor;
		if (x < min || x > max)
			return -1;
		*out = x;
		return 0;
	}
	return -1;
}

int
link_parse(const char *rate, const char *burst, const char *delay,
    struct link *l, struct error *e)
{
	struct link new = { .bits_per_s = 0, .burst_bytes = 256 << 10 };

	/* tc stores a rate in 64 bits and a bucket size in 32. */
	if (strcmp(rate, "none") != 0 &&
	    parse_quantity(rate, rate_units, 1e3, 1e13, &new.bits_per_s) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is not a rate such as 2.5G or 100mbit, or "
		    "none",
		    rate);
	if (burst != NULL &&
	    parse_quantity(
		burst, size_units, 2048, 4294967295.0, &new.burst_bytes) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is not a size such as 256kb or 64mb, from 2kb to 4gb",
		    burst);
	if (delay != NULL &&
	    parse_quantity(delay, delay_units, 0, 10, &new.delay_s) != 0)
		return error_set(e, ERROR_INPUT,
		    "'%s' is not a delay such as 0.5ms, at most 10s", delay);
	*l = new;
	return 0;
}
