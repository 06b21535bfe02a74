/* Lists of hosts as Slurm writes them. rendezvous.c asks for the host of a
 * rank that did not come; nothing of sockets is known here. */
#include <config.h>

#include "trainer/comm/launcher_hosts.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of one name of a list: the comma after it, outside of brackets. */
static const char *
name_end(const char *at)
{
	int in_brackets = 0;

	for (; *at != '\0' && (*at != ',' || in_brackets); at++)
		if (*at == '[' || *at == ']')
			in_brackets = *at == '[';
	return at;
}

/* One range of a bracket, "07" or "1-12"; width is that of its first number,
 * whose zeros in front belong to the name. */
struct host_range {
	long first, n;
	int width;
};

/* Read the range at *at and go on to the next, or to the bracket's end.
 * Returns 0, or -1: it is none. */
static int
host_range_read(const char **at, const char *end, struct host_range *r)
{
	char *after;
	long last;

	if (!isdigit((unsigned char)**at))
		return -1;
	r->first = last = strtol(*at, &after, 10);
	r->width = (int)(after - *at);
	if (*after == '-' && isdigit((unsigned char)after[1]))
		last = strtol(after + 1, &after, 10);
	if (after > end || last < r->first || last == LONG_MAX)
		return -1;
	r->n = last - r->first + 1;
	*at = after + (*after == ',');
	return 0;
}

/* Number k of a bracket's numbers, from at to end, as text; without text it
 * only counts.  Returns how many there are, 0 for what is no list. */
static long
bracket_nth(const char *at, const char *end, long k, char *text, size_t size)
{
	struct host_range r;
	long n = 0;

	while (at < end) {
		if (host_range_read(&at, end, &r) != 0 || n > INT_MAX - r.n)
			return 0;
		if (text != NULL && k >= n && k < n + r.n)
			snprintf(text, size, "%0*ld", r.width, r.first + k - n);
		n += r.n;
	}
	return n;
}

/* How many hosts a name stands for: the product over its brackets.  0: it is
 * no name. */
static long
name_count(const char *at, const char *end)
{
	long n = at < end;

	for (; n > 0 && at < end; at++) {
		const char *close;
		long k;

		if (*at == ']')
			return 0;
		if (*at != '[')
			continue;
		close = memchr(at, ']', (size_t)(end - at));
		if (close == NULL)
			return 0;
		k = bracket_nth(at + 1, close, 0, NULL, 0);
		if (k == 0 || n > INT_MAX / k)
			return 0;
		n *= k;
		at = close;
	}
	return n;
}

/* Host k of those that a name stands for, n; the last bracket counts fastest.
 */
static void
name_nth(
    const char *at, const char *end, long n, long k, char *host, size_t size)
{
	size_t len = 0;

	while (at < end && len + 1 < size) {
		const char *close =
		    *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
		char number[32] = "";
		long of_bracket;

		if (close == NULL) {
			host[len++] = *at++;
			continue;
		}
		of_bracket = bracket_nth(at + 1, close, 0, NULL, 0);
		n /= of_bracket;
		bracket_nth(
		    at + 1, close, k / n % of_bracket, number, sizeof number);
		snprintf(host + len, size - len, "%s", number);
		len += strlen(host + len);
		at = close + 1;
	}
	host[len] = '\0';
}

int
host_list_nth(const char *list, long k, char *host, size_t size)
{
	while (*list != '\0') {
		const char *end = name_end(list);
		const long n = name_count(list, end);

		if (n == 0)
			return -1;
		if (k < n) {
			name_nth(list, end, n, k, host, size);
			return 0;
		}
		k -= n;
		list = end + (*end == ',');
	}
	return -1;
}

/* The number of the node on which a rank is, by "2(x3),1" tasks of a node; -1:
 * none. */
static long
node_of_rank(const char *tasks, long rank)
{
	long node = 0;

	while (isdigit((unsigned char)*tasks)) {
		char *after;
		const long each = strtol(tasks, &after, 10);
		long nodes = 1;

		if (strncmp(after, "(x", 2) == 0) {
			nodes = strtol(after + 2, &after, 10);
			after += *after == ')';
		}
		if (each < 1 || each > INT_MAX || nodes < 1 || nodes > INT_MAX)
			return -1;
		if (rank < each * nodes)
			return node + rank / each;
		rank -= each * nodes;
		node += nodes;
		tasks = after + (*after == ',');
	}
	return -1;
}

int
launcher_host_of_rank(
    const struct launcher *l, long rank, char *host, size_t size)
{
	long node;

	if (l->nodes == NULL || l->tasks_per_node == NULL ||
	    (l->distribution != NULL &&
		strncmp(l->distribution, "block", 5) != 0))
		return -1;
	node = node_of_rank(l->tasks_per_node, rank);
	return node < 0 ? -1 : host_list_nth(l->nodes, node, host, size);
}
