/* The list of --gpus. */
#include <config.h>

#include "trainer/run/options/gpu_choice.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

static int
refuse_gpus(const char *text, struct error *e)
{
	return error_set(e, ERROR_USAGE,
	    "--gpus: '%s' is no list of GPU numbers such as 0,1", text);
}

int
gpu_choice_parse(const char *text, int *list, struct error *e)
{
	int found[GPU_CHOICE_MAX], n = 0;
	const char *at = text;

	for (;;) {
		const size_t len = strcspn(at, ",");
		char word[8];
		long number;

		if (len == 0 || len >= sizeof word)
			return refuse_gpus(text, e);
		memcpy(word, at, len);
		word[len] = '\0';
		if (parse_long(word, 0, GPU_CHOICE_MAX - 1, &number) != 0)
			return refuse_gpus(text, e);
		if (n == GPU_CHOICE_MAX)
			return error_set(e, ERROR_USAGE,
			    "--gpus: more than %d GPUs", (int)GPU_CHOICE_MAX);
		found[n++] = (int)number;
		if (at[len] == '\0')
			break;
		at += len + 1;
	}
	memcpy(list, found, (size_t)n * sizeof *found);
	return n;
}

int
gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e)
{
	int list[GPU_CHOICE_MAX], n;

	if (text == NULL) {
		*gpu = rank;
		return 0;
	}
	n = gpu_choice_parse(text, list, e);
	if (n < 0)
		return -1;
	if (n != size)
		return error_set(e, ERROR_USAGE,
		    "--gpus: '%s' is %d GPU%s, but %d process%s on this "
		    "machine; each computes on one",
		    text, n, n == 1 ? "" : "s", size,
		    size == 1 ? " runs" : "es run");
	for (int i = 0; each_own && i < n; i++)
		for (int j = 0; j < i; j++)
			if (list[i] == list[j])
				return error_set(e, ERROR_USAGE,
				    "--gpus: GPU %d twice, but back end '%s' "
				    "needs one for each process",
				    list[i], owner);
	*gpu = list[rank];
	return 0;
}
