/* Reads the kernel's counters of network interfaces. */
#include <config.h>

#include "trainer/run/meters/net_counters.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* True if the interface belongs to a bridge or bond, according to /sys. */
static int
has_master(const char *name)
{
	char path[64 + NET_COUNTERS_NAME_MAX];

	snprintf(path, sizeof path, "/sys/class/net/%s/master", name);
	return access(path, F_OK) == 0;
}

static void
add_name(struct net_counters *t, const char *name)
{
	const size_t len = strlen(t->names);

	if (len + 1 + strlen(name) < sizeof t->names)
		snprintf(t->names + len, sizeof t->names - len, "%s%s",
		    len > 0 ? "," : "", name);
}

/* Format: " eth0: received_bytes 7 more sent_bytes ...", see proc(5). */
static void
parse_line(
    const char *line, int (*is_part)(const char *), struct net_counters *t)
{
	char name[NET_COUNTERS_NAME_MAX];
	double received, sent;

	if (sscanf(line, " %31[^: \t]: %lf %*s %*s %*s %*s %*s %*s %*s %lf",
		name, &received, &sent) != 3)
		return;
	if (strcmp(name, "lo") == 0) {
		t->loopback = received;
		return;
	}
	if (is_part != NULL && is_part(name))
		return;
	t->received += received;
	t->sent += sent;
	if (received > 0 || sent > 0)
		add_name(t, name);
}

void
net_counters_parse(
    const char *text, int (*is_part)(const char *name), struct net_counters *t)
{
	memset(t, 0, sizeof *t);
	while (*text != '\0') {
		const size_t len = strcspn(text, "\n");

		parse_line(text, is_part, t);
		text += len + (text[len] == '\n');
	}
}

int
net_counters_read(struct net_counters *t)
{
	char text[1 << 16];
	FILE *f = fopen("/proc/net/dev", "re");
	size_t n;

	memset(t, 0, sizeof *t);
	if (f == NULL)
		return -1;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	net_counters_parse(text, has_master, t);
	return 0;
}

void
net_counters_add(struct net_counters *sum, const struct net_counters *from,
    const struct net_counters *to)
{
	sum->received += to->received - from->received;
	sum->sent += to->sent - from->sent;
	sum->loopback += to->loopback - from->loopback;
	memcpy(sum->names, to->names, sizeof sum->names);
}

void
net_counters_show(const struct net_counters *from,
    const struct net_counters *to, double seconds, struct strbuf *sb)
{
	const double scale = seconds > 0 ? 8e-6 / seconds : 0;

	strbuf_printf(sb,
	    " receive_mbit_per_s=%.3f send_mbit_per_s=%.3f"
	    " loopback_mbit_per_s=%.3f interfaces=%s",
	    scale * (to->received - from->received),
	    scale * (to->sent - from->sent),
	    scale * (to->loopback - from->loopback),
	    to->names[0] != '\0' ? to->names : "none");
}
