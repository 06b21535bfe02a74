/* Cases as published tables write them: so many nodes with so many GPUs. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " ");
}

/* A count and the word after it: "4机", "单机" for 1.  Returns bytes. */
static size_t
scan_counted(const char *s, const char *const *words, long *count)
{
	size_t n = 0;

	*count = 0;
	if (strncmp(s, "单", 3) == 0) {
		*count = 1;
		n = 3;
	}
	while (*count < 1000000 && n < 8 && isdigit((unsigned char)s[n]) &&
	    strncmp(s, "单", 3) != 0)
		*count = *count * 10 + (s[n++] - '0');
	if (n == 0 || *count == 0)
		return 0;
	n += strspn(s + n, " ");
	for (; *words != NULL; words++)
		if (strncasecmp(s + n, *words, strlen(*words)) == 0)
			return n + strlen(*words);
	return 0;
}

/* A number of at most seven digits above 0.  Returns its bytes, 0 for none. */
static size_t
scan_number_of(const char *s, long *count)
{
	size_t n = 0;

	for (*count = 0; n < 7 && isdigit((unsigned char)s[n]); n++)
		*count = *count * 10 + (s[n] - '0');
	return *count > 0 && !isdigit((unsigned char)s[n]) ? n : 0;
}

/* "x", "×" or "*" with blanks around.  Returns its bytes, 0 for none. */
static size_t
scan_cross(const char *s)
{
	const size_t before = strspn(s, " ");
	const char *at = s + before;
	const size_t n = strncmp(at, "×", 2) == 0       ? 2
	    : strchr("xX*", *at) != NULL && *at != '\0' ? 1
							: 0;

	return n > 0 ? before + n + strspn(at + n, " ") : 0;
}

/* "4n8g", "n1g8", "4机32卡". */
static int
read_short_case(const char *text, long *nodes, long *gpus, const char **rest)
{
	static const char *const chinese_nodes[] = { "机", "节点", NULL };
	static const char *const chinese_gpus[] = { "卡", "GPU", NULL };
	static const char *const n[] = { "n_", "n", NULL };
	static const char *const g[] = { "g", "c", NULL };
	const char *s = text;
	size_t len = scan_counted(s, chinese_nodes, nodes), more;

	if (len > 0) {
		more = scan_counted(skip_blanks(s + len), chinese_gpus, gpus);
		if (more == 0 || *gpus % *nodes != 0)
			return 0;
		*rest = skip_blanks(skip_blanks(s + len) + more);
		return 1;
	}
	len = scan_counted(s, n, nodes);
	more = len > 0 ? scan_counted(s + len, g, gpus) : 0;
	if (more == 0 && tolower((unsigned char)*s) == 'n') {
		/* "n1g8" */
		*nodes = *gpus = 0;
		for (len = 1; len < 8 && isdigit((unsigned char)s[len]); len++)
			*nodes = *nodes * 10 + (s[len] - '0');
		if (tolower((unsigned char)s[len]) != 'g')
			return 0;
		for (more = 1;
		     more < 8 && isdigit((unsigned char)s[len + more]); more++)
			*gpus = *gpus * 10 + (s[len + more] - '0');
	}
	if (more == 0 || *nodes == 0 || *gpus == 0 ||
	    isalnum((unsigned char)s[len + more]))
		return 0;
	*gpus *= *nodes;
	*rest = skip_blanks(s + len + more);
	*rest += strspn(*rest, "_");
	return 1;
}

/* A number of GPUs and its word: "8 GPUs", "1 GPU", "8卡", "8x V100".  Returns
 * its bytes, 0 for none. */
static size_t
scan_gpus(const char *s, long *count)
{
	static const char *const words[] = { "GPUs", "GPU", "devices", "device",
		"cards", "card", "accelerators", "张卡", "块卡", "卡", NULL };
	static const char *const models[] = { "V100", "A100", "H100", "H200",
		"A800", "H800", "P100", "T4", "L4", "A10", "RTX", "GPU", NULL };
	size_t n = scan_counted(s, words, count), k;

	if (n > 0)
		return isalnum((unsigned char)s[n]) ? 0 : n;
	n = scan_number_of(s, count);
	k = scan_cross(s + n);
	if (n == 0 || k == 0)
		return 0;
	for (size_t i = 0; models[i] != NULL; i++)
		if (strncasecmp(s + n + k, models[i], strlen(models[i])) == 0)
			return n + k + strcspn(s + n + k, " ,(");
	return 0;
}

/* "2 nodes, 16 GPUs", "2 nodes x 8 GPUs", "2x8", "8 GPUs". */
static int
read_long_case(const char *text, long *nodes, long *gpus, const char **rest)
{
	static const char *const words[] = { "nodes", "node", "servers",
		"server", "machines", "machine", "hosts", "host", "机", "节点",
		NULL };
	size_t len = scan_gpus(text, gpus), n;
	int each;

	if (len > 0) {
		*nodes = PUBLISHED_UNKNOWN;
		*rest = text + len;
		return 1;
	}
	len = scan_counted(text, words, nodes);
	if (len > 0) {
		each = scan_cross(text + len) > 0;
		len += each ? scan_cross(text + len)
			    : strspn(text + len, " ,(/+&");
		n = scan_gpus(text + len, gpus);
		if (n == 0)
			return 0;
		len += n;
		for (const char *const *w = (const char *const[]){ "/node",
			 " per node", " each", NULL };
		     *w != NULL; w++)
			if (strncasecmp(text + len, *w, strlen(*w)) == 0) {
				each = 1;
				len += strlen(*w);
			}
		len += text[len] == ')';
	} else {
		len = scan_number_of(text, nodes);
		n = len > 0 ? scan_cross(text + len) : 0;
		len += n;
		n = n > 0 ? scan_number_of(text + len, gpus) : 0;
		len += n;
		each = 1;
		if (n == 0 || text[len] != '\0')
			return 0;
	}
	if (each)
		*gpus *= *nodes;
	*rest = text + len;
	return *gpus % *nodes == 0;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	const char *s = text + strspn(text, " ");

	if (read_short_case(s, nodes, gpus, rest))
		return 1;
	if (!read_long_case(s, nodes, gpus, rest))
		return 0;
	*rest += strspn(*rest, " ");
	return 1;
}
