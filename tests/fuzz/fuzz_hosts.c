/* Any bytes as a launcher's variables: the nodes, the tasks on each and the
 * distribution, one line each. Each host found fits its buffer and is not a
 * list. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "trainer/comm/launcher_env.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HOSTS = 40 };

static char *
next_line(char **text)
{
	char *line = *text;

	if (line != NULL) {
		*text = strchr(line, '\n');
		if (*text != NULL)
			*(*text)++ = '\0';
	}
	return line;
}

static void
check_list(const char *list)
{
	char host[64], small[4];
	long k;

	for (k = 0; k < HOSTS; k++) {
		if (host_list_nth(list, k, host, sizeof host) != 0)
			break;
		assert(host[0] != '\0' && strlen(host) < sizeof host);
		assert(strpbrk(host, "[],") == NULL);
		/* A smaller buffer receives the same beginning. */
		assert(host_list_nth(list, k, small, sizeof small) == 0);
		assert(strncmp(host, small, sizeof small - 1) == 0);
	}
	fuzz_accepted += k > 0;
	if (k < HOSTS)
		assert(host_list_nth(list, k + 1, host, sizeof host) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = xstrndup((const char *)data, len), *rest = text;
	struct launcher l;
	char host[64];

	memset(&l, 0, sizeof l);
	l.nodes = next_line(&rest);
	l.tasks_per_node = next_line(&rest);
	l.distribution = next_line(&rest);
	check_list(l.nodes);
	for (long rank = 0; rank < HOSTS; rank++)
		if (launcher_host_of_rank(&l, rank, host, sizeof host) == 0)
			assert(host[0] != '\0' && strlen(host) < sizeof host);
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "[1-3]", "[01-10,12]", "2(x3)",
		"(x", "n[", "]", ",", "block", "cyclic", NULL };

	return mutators_lines(data, len, room, seed, words);
}
