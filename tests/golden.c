#include <config.h>

#include "tests/golden.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"

static char *
golden_path(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/%s", top != NULL ? top : ".", name);
}

char *
golden_read(const char *name, size_t *len)
{
	char *path = golden_path(name), *text = NULL;
	FILE *f = fopen(path, "rb");
	size_t n = 0, alloc = 0, got = 0;

	if (f == NULL)
		printf("# cannot open %s\n", path);
	free(path);
	CHECK(f != NULL);
	do {
		n += got;
		if (n + 1 >= alloc) {
			alloc = 2 * alloc + 4096;
			text = xreallocarray(text, alloc, 1);
		}
		got = fread(text + n, 1, alloc - n - 1, f);
	} while (got > 0);
	fclose(f);
	text[n] = '\0';
	if (len != NULL)
		*len = n;
	return text;
}

/* Print a text as TAP comments. */
static void
comment(const char *title, const char *text)
{
	printf("# %s:\n# ", title);
	for (; *text != '\0'; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("# ");
	}
	printf("\n");
}

void
golden_check(const char *text, const char *name)
{
	const char *update = getenv("UPDATE");
	char *want, *path;
	int same;
	FILE *f;

	if (update != NULL && strcmp(update, "1") == 0) {
		path = golden_path(name);
		f = fopen(path, "wb");
		free(path);
		CHECK(f != NULL);
		CHECK(fputs(text, f) >= 0);
		CHECK_INT(fclose(f), 0);
	}
	want = golden_read(name, NULL);
	same = strcmp(text, want) == 0;
	if (!same) {
		comment(name, want);
		comment("got", text);
	}
	free(want);
	CHECK(same);
}
