/* Any bytes as the files of a run store: a metric and a parameter of MLflow, a
 * configuration of W&B, a database of Nsight Systems. The output is complete
 * lines of JSON, or a message. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "extract/input/encoding/records.h"
#include "extract/input/run_folder.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* In memory if possible: thousands of files are written. */
static char in_memory[] = "/dev/shm/fuzz_store.XXXXXX";
static char on_disk[] = "/tmp/fuzz_store.XXXXXX";
static char *folder;

/* Possible entries of the folder; subfolders follow their files. */
static const char *const entries[] = { "meta.yaml", "metrics/loss",
	"metrics/step_time", "metrics", "params/p", "params", "tags/t", "tags",
	"config.yaml", "wandb-history.jsonl", "export", "." };

static void
remove_folder(void)
{
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		char *path = xasprintf("%s/%s", folder, entries[i]);

		if (entries[i][0] == '.')
			rmdir(folder);
		else
			remove(path);
		free(path);
	}
}

/* Make a folder for all inputs, with the subfolders of a run. */
static const char *
make_folder(void)
{
	static int made;
	static const char *const kinds[] = { "metrics", "params", "tags" };

	if (made)
		return folder;
	folder = mkdtemp(in_memory);
	if (folder == NULL)
		folder = mkdtemp(on_disk);
	made = folder != NULL;
	assert(made);
	atexit(remove_folder);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		char *kind = xasprintf("%s/%s", folder, kinds[i]);

		assert(mkdir(kind, 0700) == 0);
		free(kind);
	}
	return folder;
}

static void
put(const char *name, const void *data, size_t len)
{
	char *path = xasprintf("%s/%s", make_folder(), name);
	FILE *f = fopen(path, "wb");

	assert(f != NULL);
	assert(fwrite(data, 1, len, f) == len);
	assert(fclose(f) == 0);
	free(path);
}

static void
take_away(const char *name)
{
	char *path = xasprintf("%s/%s", make_folder(), name);

	unlink(path);
	free(path);
}

static void
check_lines(const struct strbuf *text)
{
	const char *end = text->buf + text->len;

	for (const char *line = text->buf; line < end;) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));

		assert(nl != NULL);
		assert(json_is_value(line, (size_t)(nl - line)));
		line = nl + 1;
	}
}

static void
read_run(struct strbuf *out)
{
	struct error e = ERROR_INIT;
	int cut;

	strbuf_reset(out);
	assert(run_folder_is_at(make_folder()));
	if (run_folder_read(make_folder(), out, &cut, &e) != 0)
		assert(e.code != ERROR_NONE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct error e = ERROR_INIT;
	struct strbuf out;
	char *path;

	strbuf_init(&out, 64 << 20);
	put("meta.yaml", "run_id: x\n", 10);
	put("metrics/loss", data, len);
	put("metrics/step_time", data, len / 2);
	put("params/p", data, len);
	put("tags/t", data, len);
	read_run(&out);
	check_lines(&out);
	fuzz_accepted += out.len > 0;

	put("config.yaml", data, len);
	put("wandb-history.jsonl", "", 0);
	read_run(&out);
	check_lines(&out);
	take_away("wandb-history.jsonl");

	put("export", data, len);
	path = xasprintf("%s/export", make_folder());
	strbuf_reset(&out);
	if (nsight_file_read(path, &out, &e) == 0)
		check_lines(&out);
	else
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
	free(path);
	strbuf_release(&out);
	return 0;
}
