#include <config.h>

#include "tests/files.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

void
file_put(const char *path, const char *text)
{
	const size_t len = strlen(text);
	FILE *f = fopen(path, "wb");

	CHECK(f != NULL);
	if (f == NULL)
		return;
	CHECK(fwrite(text, 1, len, f) == len);
	CHECK_INT(fclose(f), 0);
}
