/* Who is the first of a hostfile.  command.c asks, for the address at which the
 * ranks of a run meet; what else stands in the file is mpirun's. */
#include <config.h>

#include "trainer/launch/hostfile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a host's name, which a port or number of slots may follow; an IPv6
 * address has more than one colon. */
static size_t
name_length(const char *word)
{
	const size_t n = strcspn(word, " \t\r\n#"), name = strcspn(word, ":");
	const char *colon = memchr(word, ':', n);

	if (colon == NULL ||
	    memchr(colon + 1, ':', n - (size_t)(colon + 1 - word)) != NULL)
		return n;
	return name;
}

static int
is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	    strncmp(host, "127.", 4) == 0;
}

/* Skip what is left of a line of which fgets() read the first part. */
static void
skip_rest(const char *line, FILE *f)
{
	int c = strchr(line, '\n') != NULL ? '\n' : 0;

	while (c != '\n' && c != EOF)
		c = getc(f);
}

int
hostfile_first(const char *path, char *host, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[512];
	size_t n = 0;

	if (f == NULL)
		return -1;
	while (n == 0 && fgets(line, sizeof line, f) != NULL) {
		const char *word = line + strspn(line, " \t\r\n"), *user;

		user = memchr(word, '@', strcspn(word, " \t\r\n#"));
		word = user != NULL ? user + 1 : word;
		skip_rest(line, f);
		n = name_length(word);
		if (n > 0 && n < size) {
			memcpy(host, word, n);
			host[n] = '\0';
		}
	}
	fclose(f);
	if (n == 0 || n >= size)
		return -1;
	return is_loopback(host) ? gethostname(host, size) : 0;
}
