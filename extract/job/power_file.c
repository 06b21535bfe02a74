/* Read the forms of power records.
 *
 * nvidia-smi: a heading with the requested fields and their units in brackets;
 * values with units unless "nounits" was given, "[N/A]" for missing ones
 * (nvidia-smi --help-query-gpu).
 *
 * dcgmi dmon: headings that begin with '#', then "GPU 0 71.2 ..."; field 155 is
 * DCGM_FI_DEV_POWER_USAGE, called POWER (POWR in older versions), in W.
 *
 * nvidia-smi dmon: headings "#Date Time gpu pwr ..." and rows of such cells;
 * date and time only with -o DT.
 *
 * dcgm-exporter: DCGM_FI_DEV_POWER_USAGE{gpu="0",...} 71.2 and, if it was
 * stored, the time in ms (Prometheus' text format).
 *
 * jpwr: columns timestamps, in s since 1970, and one for each device in W.
 *
 * MLPerf Training: :::MLLOG lines with the keys power_reading (W of a node),
 * conversion_eff (of its power supply) and, for switches,
 * interconnect_power_est. Beside result_N.txt, each node and switch has a file:
 * power/result_N/node_K.txt, sw_K.txt (mlcommons/logging, result_summarizer).
 *
 * codecarbon: a row per run; gpu_energy in kWh over duration in seconds, of
 * gpu_count devices (codecarbon's documentation, "Output"). */
#include <config.h>

#include "extract/job/extraction.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/input/byte_source.h"
#include "extract/input/file_list.h"
#include "extract/scan/scan_file.h"

enum {
	POWER_MAX_ROWS = 1 << 20,
	POWER_MAX_DEVICES = 1024,
	POWER_MAX_LINE = 8192,
	POWER_MAX_CELLS = 128,
	POWER_MAX_CELL = 64
};
#define POWER_MAX_WATTS 1e5
#define JOULE_PER_KWH 3.6e6

static const char prometheus[] = "DCGM_FI_DEV_POWER_USAGE{";
/* Time of an event of MLPerf in ms since 1970: "time_ms": 1592947508859. */
static const char time_ms[] = "\"time_ms\": ";

enum power_form {
	POWER_UNKNOWN,
	POWER_SMI,
	POWER_DCGM,
	POWER_DMON,
	POWER_PROMETHEUS,
	POWER_JPWR,
	POWER_MLPERF,
	POWER_CODECARBON
};

/* State while reading a file. */
struct power_reader {
	struct power_log *log;
	enum power_form form;
	int64_t line;
	int too_many;      /* rows */
	double efficiency; /* of the power supply; 1: it is not stated */
	/* Columns from 0; -1: missing. The time of dmon follows its date. */
	int at_time, at_power, at_device, at_duration, at_count;
	char devices[POWER_MAX_DEVICES][POWER_MAX_CELL];
	uint32_t n_devices;
};

/* Cells of a line, without surrounding spaces. */
struct power_cells {
	char line[POWER_MAX_LINE]; /* longer lines are cut */
	const char *cells[POWER_MAX_CELLS];
	int n;
};

/* Split a line into cells at commas or spaces. */
static void
split_line(struct power_cells *c, const char *s, const char *end, int at_commas)
{
	const char *between = at_commas ? "," : " \t\r";
	char *p = c->line, *cell;

	snprintf(c->line, sizeof c->line, "%.*s", (int)(end - s), s);
	c->n = 0;
	while (c->n < POWER_MAX_CELLS && (cell = strsep(&p, between)) != NULL) {
		char *last = cell + strlen(cell);

		while (isspace((unsigned char)*cell))
			cell++;
		while (last > cell && isspace((unsigned char)last[-1]))
			*--last = '\0';
		if (at_commas || *cell != '\0')
			c->cells[c->n++] = cell;
	}
}

/* Text of a cell, or "". */
static const char *
cell_text(const struct power_cells *c, int i)
{
	return i >= 0 && i < c->n ? c->cells[i] : "";
}

/* Number at the start of a cell, with or without a unit; or NAN. */
static double
cell_number(const struct power_cells *c, int i)
{
	const char *text = cell_text(c, i);
	double x;

	return number_scan(text, strlen(text), &x) == 0 ? NAN : x;
}

/* Column whose heading begins with the name, of len letters; or -1. */
static int
find_column(const struct power_cells *c, const char *name, size_t len)
{
	for (int i = 0; i < c->n; i++)
		if (strncasecmp(c->cells[i], name, len) == 0)
			return i;
	return -1;
}

/* Add a row; device is the text that identifies the device. */
static void
add_row(struct power_reader *r, double at, double watts, const char *device)
{
	struct power_log *p = r->log;
	uint32_t k = 0;

	if (isnan(watts))
		return;
	if (strlen(device) >= POWER_MAX_CELL)
		device = "";
	while (k < r->n_devices && strcmp(r->devices[k], device) != 0)
		k++;
	if (k == POWER_MAX_DEVICES)
		k--;
	if (k == r->n_devices)
		memcpy(r->devices[r->n_devices++], device, strlen(device) + 1);
	if (!(watts >= 0 && watts <= POWER_MAX_WATTS))
		return;
	if (p->n == POWER_MAX_ROWS) {
		r->too_many = 1;
		return;
	}
	p->rows = vec_grow(p->rows, p->n, &p->alloc, sizeof *p->rows);
	p->rows[p->n++] = (struct power_row){ at, watts, r->line, k };
}

/* Determine the form and the columns of a file from its heading. */
static void
read_heading(struct power_reader *r, const char *s, const char *end)
{
	static const char *const devices[] = { "uuid", "gpu_uuid", "index",
		"pci.bus_id", "gpu_bus_id" };
	struct power_cells c;
	int at;

	if (s < end && *s == '#') {
		split_line(&c, s + 1, end, 0);
		at = find_column(&c, "pwr", 4);
		if (at >= 0) {
			r->form = POWER_DMON;
			r->at_power = at;
			r->at_device = find_column(&c, "gpu", 4);
			r->at_time = find_column(&c, "date", 5);
		}
		if (r->form == POWER_DMON || c.n == 0 ||
		    strcmp(c.cells[0], "HELP") == 0)
			return;
		/* "# Entity POWER": rows begin with two words, "GPU 0". */
		at = find_column(&c, "POWER", 6);
		if (at < 0)
			at = find_column(&c, "POWR", 5);
		if (at > 0) {
			r->form = POWER_DCGM;
			r->at_power = at + 1;
		}
		return;
	}
	split_line(&c, s, end, 1);
	r->at_time = find_column(&c, "timestamps", 11);
	if (r->at_time >= 0) {
		r->form = POWER_JPWR;
		return;
	}
	r->at_time = find_column(&c, "timestamp", 10);
	r->at_power = find_column(&c, "power.draw", 10);
	r->at_device = -1;
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (r->at_device < 0)
			r->at_device =
			    find_column(&c, devices[i], strlen(devices[i]) + 1);
	if (r->at_power >= 0) {
		r->form = POWER_SMI;
		return;
	}
	r->at_power = find_column(&c, "gpu_energy", 11);
	r->at_duration = find_column(&c, "duration", 9);
	r->at_count = find_column(&c, "gpu_count", 10);
	if (r->at_power >= 0 && r->at_duration >= 0)
		r->form = POWER_CODECARBON;
}

/* Read the cells of a row of a table. */
static void
read_row(struct power_reader *r, const struct power_cells *c)
{
	const char *stamp = cell_text(c, r->at_time);
	const char *device = cell_text(c, r->at_device);
	const double seconds = cell_number(c, r->at_duration);
	const double count = cell_number(c, r->at_count);
	double watts = cell_number(c, r->at_power), at = NAN;
	char text[POWER_MAX_CELL];

	switch (r->form) {
	case POWER_CODECARBON:
		if (!(seconds > 0) || !(watts > 0) || !(count >= 1))
			return;
		/* Each row is the mean of a run; keep that of the last run. */
		r->log->n = 0;
		watts *= JOULE_PER_KWH / seconds / count;
		break;
	case POWER_JPWR:
		/* An index, the time and the power of each device. */
		if (stamp_parse(stamp, strlen(stamp), &at) != STAMP_DATE)
			return;
		r->at_device = 0;
		for (int i = r->at_time + 1; i < c->n; i++) {
			snprintf(text, sizeof text, "%d", i);
			add_row(r, at, cell_number(c, i), text);
		}
		return;
	case POWER_DMON:
		/* "20260301  10:00:00" */
		snprintf(text, sizeof text, "%.4s-%.2s-%.2s %.40s", stamp,
		    stamp + strnlen(stamp, 4), stamp + strnlen(stamp, 6),
		    cell_text(c, r->at_time + 1));
		if (r->at_time >= 0 && strlen(stamp) == 8)
			(void)stamp_parse(text, strlen(text), &at);
		break;
	case POWER_DCGM:
		if (strcasecmp(cell_text(c, 0), "GPU") != 0)
			return;
		device = cell_text(c, 1);
		break;
	default:
		if (r->at_time >= 0 &&
		    stamp_parse(stamp, strlen(stamp), &at) != STAMP_DATE)
			return;
	}
	add_row(r, at, watts, device);
	if (r->form == POWER_CODECARBON)
		r->n_devices = (uint32_t)fmin(count, POWER_MAX_DEVICES);
}

/* Read a line of dcgm-exporter: value and time follow the labels, of which gpu
 * and Hostname identify the device. */
static void
read_sample(struct power_reader *r, const char *s, const char *end)
{
	const char *labels = s + sizeof prometheus - 1, *gpu, *host;
	const char *close = memchr(labels, '}', (size_t)(end - labels));
	char device[POWER_MAX_CELL];
	struct power_cells c;
	double at = NAN;

	if (close == NULL)
		return;
	gpu = memmem(labels, (size_t)(close - labels), "gpu=", 4);
	host = memmem(labels, (size_t)(close - labels), "Hostname=", 9);
	gpu = gpu != NULL ? gpu : "}";
	host = host != NULL ? host : "}";
	snprintf(device, sizeof device, "%.*s %.*s", (int)strcspn(gpu, ",}"),
	    gpu, (int)strcspn(host, ",}"), host);
	split_line(&c, close + 1, end, 0);
	if (c.n > 1)
		(void)stamp_parse(c.cells[1], strlen(c.cells[1]), &at);
	r->form = POWER_PROMETHEUS;
	r->at_device = 0;
	add_row(r, at, cell_number(&c, 0), device);
}

/* Number after the first occurrence of a text in a line, or NAN. */
static double
number_after(const char *s, const char *end, const char *text)
{
	const size_t len = strlen(text);
	const char *at = memmem(s, (size_t)(end - s), text, len);
	double x;

	return at != NULL &&
		number_scan(at + len, (size_t)(end - at) - len, &x) > 0
	    ? x
	    : NAN;
}

/* Read a line of MLPerf: "key": "power_reading", "value": {"value": 8123.5}. */
static void
read_event(struct power_reader *r, const char *s, const char *end)
{
	static const char key[] = "\"key\": \"";
	const char *name = memmem(s, (size_t)(end - s), key, sizeof key - 1);
	const double x = number_after(s, end, "{\"value\": ");

	if (name == NULL || isnan(x))
		return;
	name += sizeof key - 1;
	r->form = POWER_MLPERF;
	if (strncmp(name, "power_reading\"", 14) == 0)
		add_row(r, number_after(s, end, time_ms) / 1e3, x, "");
	else if (strncmp(name, "conversion_eff\"", 15) == 0)
		r->efficiency = x;
	else if (strncmp(name, "interconnect_power_est\"", 23) == 0)
		r->log->switches_w += x;
}

/* Implements line_consumer. */
static void
read_line(void *arg, const char *s, size_t len, unsigned flags, int64_t number)
{
	struct power_reader *r = arg;
	const char *end = s + len;
	struct power_cells c;

	(void)flags;
	r->line = number;
	if (len >= sizeof prometheus &&
	    memcmp(s, prometheus, sizeof prometheus - 1) == 0) {
		read_sample(r, s, end);
	} else if (memmem(s, len, ":::MLLOG", 8) != NULL) {
		read_event(r, s, end);
	} else if (r->form == POWER_UNKNOWN || (s < end && *s == '#')) {
		read_heading(r, s, end);
	} else if (r->form != POWER_PROMETHEUS && r->form != POWER_MLPERF) {
		split_line(
		    &c, s, end, r->form != POWER_DCGM && r->form != POWER_DMON);
		read_row(r, &c);
	}
}

/* Read the files of further nodes and of the switches of MLPerf. */
static int
read_nodes(struct power_reader *r, const char *first, struct error *e)
{
	static const char *const kinds[] = { "node", "sw" };
	const size_t folder = (size_t)(strrchr(first, '/') - first);
	int rc = 0;

	for (size_t kind = 0; kind < 2; kind++)
		for (int k = 0; rc == 0 && k < POWER_MAX_DEVICES; k++) {
			char *path = xasprintf("%.*s/%s_%d.txt", (int)folder,
			    first, kinds[kind], k);
			const size_t before = r->log->n;
			const int there = access(path, R_OK) == 0;

			r->efficiency = 1;
			if (there && strcmp(path, first) != 0)
				rc = byte_source_each_line(
				    path, 0, read_line, r, e);
			r->log->devices += r->log->n > before;
			for (size_t i = before; i < r->log->n; i++)
				r->log->rows[i].watts *= r->efficiency;
			free(path);
			/* The first node has number 0 or 1. */
			if (!there && k > 0)
				break;
		}
	return rc;
}

int
power_file_read(const char *path, struct power_log *p, struct error *e)
{
	struct power_reader *r = xcalloc(1, sizeof *r);
	const char *slash = strrchr(path, '/');
	int rc;

	*p = (struct power_log){ .name = slash != NULL ? slash + 1 : path };
	r->log = p;
	r->at_time = r->at_power = r->at_device = r->at_count = -1;
	r->efficiency = 1;
	rc = byte_source_each_line(path, 0, read_line, r, e);
	/* Without a device column the number of devices is unknown. */
	p->devices =
	    r->at_device < 0 && r->form == POWER_SMI ? 0 : (long)r->n_devices;
	if (rc == 0 && r->form == POWER_MLPERF) {
		for (size_t i = 0; i < p->n; i++)
			p->rows[i].watts *= r->efficiency;
		p->of_nodes = 1;
		rc = read_nodes(r, path, e);
	}
	if (rc == 0 && r->form == POWER_UNKNOWN)
		rc = error_set(e, ERROR_INPUT,
		    "not a power record; readable are those of nvidia-smi "
		    "(--query-gpu=timestamp,index,power.draw --format=csv, or "
		    "dmon), dcgmi dmon (-e 155), dcgm-exporter, jpwr and "
		    "codecarbon");
	else if (rc == 0 && r->too_many)
		rc = error_set(e, ERROR_LIMIT, "more than %d rows of power",
		    POWER_MAX_ROWS);
	else if (rc == 0 && p->n == 0)
		rc = error_set(e, ERROR_INPUT, "states no power");
	free(r);
	if (rc != 0)
		power_log_release(p);
	return rc;
}

/* Find a power record whose path is the first stem bytes of a log's path, a
 * character of joins ('\0': none), and a name. NULL if there is none. */
static const char *
find_named(const char *log, size_t stem, const char *joins, struct arena *a)
{
	const char *name;

	for (int i = 0; (name = power_name_at(i)) != NULL; i++)
		for (const char *join = joins;; join++) {
			const char *path = arena_printf(
			    a, "%.*s%.1s%s", (int)stem, log, join, name);

			if (access(path, R_OK) == 0)
				return path;
			if (join[0] == '\0' || join[1] == '\0')
				break;
		}
	return NULL;
}

const char *
power_file_find(const char *log, int *own, struct arena *a)
{
	static const char *const packed[] = { ".gz", ".zst", ".xz" };
	const char *slash = strrchr(log, '/'), *path;
	const size_t folder = slash != NULL ? (size_t)(slash - log) + 1 : 0;
	int ends = 0; /* number of removed suffixes */

	/* For "r50.fp16.log.gz" try the whole name first. Records named after
	 * less than "r50.fp16" may belong to other logs, too. */
	for (size_t stem = strlen(log); stem > folder; stem--) {
		if (log[stem] != '.' && log[stem] != '\0')
			continue;
		ends += log[stem] == '.';
		for (int i = 0; i < 3; i++)
			ends -= strcmp(log + stem, packed[i]) == 0;
		path = find_named(log, stem, ".-_", a);
		*own = ends <= 1;
		if (path != NULL)
			return path;
	}
	/* MLPerf: power/result_0/node_0.txt beside result_0.txt. */
	*own = 1;
	for (int k = 0; k < 2; k++) {
		path =
		    arena_printf(a, "%.*spower/%.*s/node_%d.txt", (int)folder,
			log, (int)strcspn(log + folder, "."), log + folder, k);
		if (access(path, R_OK) == 0)
			return path;
	}
	*own = 0;
	return find_named(log, folder, "", a);
}

/* --- dates in lines of logs ----------------------------------------------- */

enum { LOOKED_AT = 256 /* bytes of a line */ };

/* Search for a line by number. */
struct line_search {
	int64_t wanted;
	double at;
};

/* Implements line_consumer. */
static void
look_at_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct line_search *s = arg;
	const char *stamp;
	size_t size;

	(void)flags;
	if (number != s->wanted || !isnan(s->at))
		return;
	stamp = stamp_find(text, len < LOOKED_AT ? len : LOOKED_AT, &size);
	if (stamp != NULL)
		stamp_parse(stamp, size, &s->at);
	else
		s->at = number_after(text, text + len, time_ms) / 1e3;
}

double
line_date(const char *path, long line)
{
	struct line_search s = { line, NAN };
	struct error e = ERROR_INIT;

	return byte_source_each_line(path, 1, look_at_line, &s, &e) != 0 ? NAN
									 : s.at;
}
