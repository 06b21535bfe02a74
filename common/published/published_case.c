/* Cases as published tables write them: so many nodes with so many GPUs. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/published/published_parts.h"

/* "单" for 1, or a number above 0 of at most seven digits.  Returns its bytes,
 * 0 for none. */
static size_t
scan_count(const char *s, long *count)
{
	const size_t digits = strspn(s, "0123456789");

	if (strncmp(s, "单", 3) == 0) {
		*count = 1;
		return 3;
	}
	*count = digits > 0 && digits <= 7 ? strtol(s, NULL, 10) : 0;
	return *count > 0 ? digits : 0;
}

/* A count and the word after it: "4机", "8 GPUs".  No letter follows a word of
 * letters.  Returns its bytes, 0 for none. */
static size_t
scan_counted(const char *s, const char *const *words, long *count)
{
	size_t n = scan_count(s, count), word;

	n += n > 0 ? strspn(s + n, " ") : 0;
	word = n > 0 ? published_word_at(s + n, words) : 0;
	n += word;
	if (word == 0 ||
	    (isalpha((unsigned char)s[n - 1]) && isalnum((unsigned char)s[n])))
		return 0;
	return n;
}

/* "x", "×" or "*" with blanks around.  Returns its bytes, 0 for none. */
static size_t
scan_cross(const char *s)
{
	static const char *const crosses[] = { "x", "×", "*", NULL };
	const size_t before = strspn(s, " ");
	const size_t n = published_word_at(s + before, crosses);

	return n > 0 ? before + n + strspn(s + before + n, " ") : 0;
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
	const size_t n = scan_counted(s, words, count);
	size_t at;

	if (n > 0)
		return isdigit((unsigned char)s[n]) ? 0 : n;
	at = scan_count(s, count);
	if (at == 0 || scan_cross(s + at) == 0)
		return 0;
	at += scan_cross(s + at);
	return published_word_at(s + at, models) > 0
	    ? at + strcspn(s + at, " ,(")
	    : 0;
}

/* "4n8g", "1n_4c", "n1g8".  Returns its end, or NULL. */
static const char *
read_letters(const char *s, long *nodes, long *gpus)
{
	const int letters_first = tolower((unsigned char)*s) == 'n';
	size_t len = 0;

	/* Two times a letter and a number, in either order. */
	for (int i = 0; i < 2; i++) {
		const char *letters = i == 0 ? "nN" : "gGcC";
		size_t n;

		len += letters_first && strchr(letters, s[len]) != NULL;
		n = scan_count(s + len, i == 0 ? nodes : gpus);
		if (n == 0)
			return NULL;
		len += n;
		if (letters_first)
			continue;
		len += strspn(s + len, " ");
		if (s[len] == '\0' || strchr(letters, s[len++]) == NULL)
			return NULL;
		len += i == 0 && s[len] == '_';
	}
	*gpus *= *nodes;
	return isalnum((unsigned char)s[len]) ? NULL : s + len;
}

/* "2 nodes, 16 GPUs", "2 nodes x 8 GPUs", "4机32卡", "2x8", "8 GPUs".  Returns
 * its end, or NULL. */
static const char *
read_words(const char *s, long *nodes, long *gpus)
{
	static const char *const words[] = { "nodes", "node", "servers",
		"server", "machines", "machine", "hosts", "host", "机", "节点",
		NULL };
	static const char *const of_each[] = { "/node", " per node", " each",
		NULL };
	size_t n = scan_gpus(s, gpus);
	int each;

	if (n > 0) {
		*nodes = PUBLISHED_UNKNOWN;
		return s + n;
	}
	n = scan_counted(s, words, nodes);
	if (n > 0) {
		s += n;
		each = scan_cross(s) > 0;
		s += each ? scan_cross(s) : strspn(s, " ,(/+&");
		n = scan_gpus(s, gpus);
		s += n;
		each |= published_word_at(s, of_each) > 0;
		s += published_word_at(s, of_each);
		s += *s == ')';
	} else {
		n = scan_count(s, nodes);
		s += n;
		n = n > 0 ? scan_cross(s) : 0;
		s += n;
		n = n > 0 ? scan_count(s, gpus) : 0;
		s += n;
		each = 1;
		n = *s == '\0' ? n : 0;
	}
	if (n == 0)
		return NULL;
	*gpus *= each ? *nodes : 1;
	return *gpus % *nodes == 0 ? s : NULL;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	const char *s = text + strspn(text, " ");
	const char *end = read_letters(s, nodes, gpus);

	if (end == NULL)
		end = read_words(s, nodes, gpus);
	if (end == NULL)
		return 0;
	*rest = end + strspn(end, " ");
	*rest += strspn(*rest, "_");
	return 1;
}
