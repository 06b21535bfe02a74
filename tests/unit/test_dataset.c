#include <config.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/images.h"
#include "tests/tap.h"
#include "trainer/data/dataset.h"

static char *top;

/* top/name; the caller frees it. */
static char *
in_top(const char *name)
{
	return xasprintf("%s/%s", top, name);
}

static void
put(const char *name)
{
	char *path = in_top(name);

	file_write(path, "x", 1);
	free(path);
}

static void
new_folder(const char *name)
{
	char *path = in_top(name);

	CHECK_INT(mkdir(path, 0755), 0);
	free(path);
}

/* Classes and images are in torchvision's order (ImageFolder of 0.14.1 on the
 * same tree): folders by name, a folder's images before those of its
 * subfolders. */
static void
test_order(void)
{
	static const struct {
		const char *name;
		int label;
	} want[] = { { "Zebra/1.png", 0 }, { "ant/10.JPEG", 1 },
		{ "ant/2.jpg", 1 }, { "ant/sub/1.PNG", 1 },
		{ "ant/sub-a/4.jpeg", 1 }, { "ant/sub/b/0.jpg", 1 },
		{ "bee/x.y.jpg", 2 } };
	static const char *const others[] = { "t/ant/notes.txt", "t/ant/jpg",
		"t/ant/.3.jpg", "t/.git/x.jpg", "t/9.jpg", "t/ant/a.gif" };
	struct dataset *d;

	for (int i = 0; i < N_TESTS(want); i++) {
		char *name = xasprintf("t/%s", want[i].name);

		put(name);
		free(name);
	}
	for (int i = 0; i < N_TESTS(others); i++)
		put(others[i]);
	CHECK_INT(dataset_open(top, "t", &d, NULL), 0);
	CHECK_INT(d->n_classes, 3);
	CHECK_STR(d->classes[0], "Zebra");
	CHECK_STR(d->classes[1], "ant");
	CHECK_STR(d->classes[2], "bee");
	CHECK_INT(d->n_images, N_TESTS(want));
	for (int i = 0; i < N_TESTS(want); i++) {
		char *path = dataset_path(d, (size_t)i);
		char *name = xasprintf("%s/t/%s", top, want[i].name);

		CHECK_STR(path, name);
		CHECK_INT(d->images[i].label, want[i].label);
		free(path);
		free(name);
	}
	dataset_close(d);
	dataset_close(NULL);
}

static void
expect_error(const char *part, enum error_code code, const char *format)
{
	struct error e = ERROR_INIT;
	struct dataset *d;
	char *path = in_top(part), *want = xasprintf("%s", format), *at;

	CHECK_INT(dataset_open(top, part, &d, &e), -1);
	CHECK_INT(e.code, code);
	/* "%" stands for the folder. */
	while ((at = strchr(want, '%')) != NULL) {
		char *longer =
		    xasprintf("%.*s%s%s", (int)(at - want), want, path, at + 1);

		free(want);
		want = longer;
	}
	CHECK_STR(e.message, want);
	free(want);
	free(path);
}

static void
test_errors(void)
{
	char *loop, *here;

	expect_error("none", ERROR_SYSTEM,
	    "cannot read folder '%': No such file or directory");
	put("file");
	expect_error(
	    "file", ERROR_SYSTEM, "cannot read folder '%': Not a directory");
	put("flat/1.jpg");
	expect_error("flat", ERROR_EMPTY,
	    "'%' has no class folders: images must be in '%/CLASS/'");
	put("empty/a/1.png");
	new_folder("empty/b");
	put("empty/c/1.png");
	expect_error("empty", ERROR_EMPTY,
	    "class folder '%/b' has no images (.jpg, .jpeg, .png)");
	put("loop/a/1.png");
	loop = in_top("loop/a/l");
	here = in_top("loop/a");
	CHECK_INT(symlink(here, loop), 0);
	expect_error("loop", ERROR_INPUT,
	    "folder '%/a/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/l/"
	    "l/l/l/l/l/l/l' is more than 32 folders below '%/a'");
	free(loop);
	free(here);
}

/* A class folder and an image reached through symbolic links. */
static void
test_links(void)
{
	char *from = in_top("links/b"), *to = in_top("links/a");
	struct dataset *d;

	put("links/a/1.png");
	CHECK_INT(symlink(to, from), 0);
	CHECK_INT(dataset_open(top, "links", &d, NULL), 0);
	CHECK_INT(d->n_classes, 2);
	CHECK_INT(d->n_images, 2);
	dataset_close(d);
	free(from);
	free(to);
}

static void
same(const char *a, const char *b, const char *want)
{
	struct error e = ERROR_INIT;
	struct dataset *x, *y;

	CHECK_INT(dataset_open(top, a, &x, NULL), 0);
	CHECK_INT(dataset_open(top, b, &y, NULL), 0);
	CHECK_INT(dataset_same_classes(x, y, &e), want == NULL ? 0 : -1);
	if (want != NULL)
		CHECK(strncmp(e.message, want, strlen(want)) == 0);
	dataset_close(x);
	dataset_close(y);
}

static void
test_same_classes(void)
{
	put("one/a/1.png");
	put("one/b/1.png");
	put("two/a/1.png");
	put("two/b/1.png");
	put("two/c/1.png");
	put("three/a/1.png");
	put("three/c/1.png");
	same("one", "one", NULL);
	same("one", "two", "class 'c' is in '");
	same("two", "one", "class 'c' is in '");
	same("one", "three", "class 'b' is in '");
	same("three", "one", "class 'b' is in '");
}

/* A missing library is reported when the folder is opened. */
static void
test_libraries(void)
{
	put("jpeg/a/1.jpg");
	put("png/a/1.png");
	for (int f = 0; f < N_IMAGE_FORMATS; f++) {
		const char *part = f == IMAGE_FORMAT_JPEG ? "jpeg" : "png";
		struct error e = ERROR_INIT;
		struct dataset *d = NULL;

		if (decode_has(f)) {
			CHECK_INT(dataset_open(top, part, &d, &e), 0);
			dataset_close(d);
			continue;
		}
		CHECK_INT(dataset_open(top, part, &d, &e), -1);
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(strstr(e.message,
			  f == IMAGE_FORMAT_JPEG
			      ? "/jpeg/a/1.jpg': this program was built "
				"without libjpeg (JPEG)"
			      : "/png/a/1.png': this program was built "
				"without libpng (PNG)") != NULL);
	}
}

int
main(void)
{
	/* The first needs no library; the others use both formats. */
	static const struct tap_test tests[] = {
		TEST(test_libraries),
		TEST(test_order),
		TEST(test_errors),
		TEST(test_links),
		TEST(test_same_classes),
	};

	const int all =
	    decode_has(IMAGE_FORMAT_JPEG) && decode_has(IMAGE_FORMAT_PNG);

	top = folder_new();
	tap_main(tests, all ? N_TESTS(tests) : 1);
	folder_remove(top);
	return 0;
}
