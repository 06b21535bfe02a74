/* Signs of a run that failed, in its log.  run_job.c asks for them once a log
 * is excluded.  It knows no log format: whoever ends a run early prints the
 * same under any framework's lines. */
#include <config.h>

#include "extract/job/failed_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "extract/input/byte_source.h"
#include "extract/input/lines.h"

enum { MAX_LINE = 4096, MAX_TEXT = 200 };

/* What is printed where there is no memory: on a device, then on the host. */
static const char *const memory_signs[] = {
	"CUDA out of memory",            /* PyTorch */
	"HIP out of memory",             /* the same on ROCm */
	"NPU out of memory",             /* the same on Ascend */
	"OutOfMemoryError",              /* its exception from 1.13 on */
	"CUDA_ERROR_OUT_OF_MEMORY",      /* TensorFlow, XLA */
	"OOM when allocating",           /* TensorFlow */
	"RESOURCE_EXHAUSTED",            /* XLA */
	"ResourceExhaustedError",        /* TensorFlow, Paddle */
	"cudaMalloc failed: out of mem", /* MXNet */
	"CUDA error: out of memory",     /* cuBLAS and others through PyTorch */
	"Out of memory error on GPU",    /* Paddle */
	"allocate memory: you tried",    /* PyTorch, of the host */
	"CUDNN_STATUS_ALLOC_FAILED",     /* cuDNN */
	"std::bad_alloc",                /* C++ */
	"MemoryError",                   /* Python */
	"Cannot allocate memory",        /* the C library */
	": out of memory",               /* programs, our own trainer too */
	"oom-kill",                      /* Slurm, the kernel */
	"oom_kill", "Out of memory: Kill", /* the kernel */
	"OOM Killed",                      /* Slurm */
};

/* What is printed where a run ends for another reason. */
static const char *const crash_signs[] = {
	"NCCL error",             /* NCCL through PyTorch */
	"NCCL failure",           /* nccl-tests */
	"ncclUnhandledCudaError", /* its codes */
	"ncclSystemError",
	"ncclInternalError",
	"ncclRemoteError",
	"Watchdog caught collective operation timeout",
	"NCCL operations have failed or timed out",
	"CUDA error: ",
	"CUDA failure",
	"HIP error: ",
	"Segmentation fault",
	"Bus error",
	"Floating point exception",
	"Illegal instruction",
	"(core dumped)",
	"MPI_ABORT was invoked",
	"exited on signal", /* mpirun */
	"terminated by signal",
	"terminate called after", /* C++ */
	"Fatal Python error",
	"ChildFailedError",  /* torchrun */
	"DUE TO TIME LIMIT", /* Slurm */
	"DUE TO NODE FAILURE",
	"DUE TO PREEMPTION",
	"srun: error: ",
	"ORTE has lost communication", /* mpirun */
	"Horovod has been shut down",
};

/* Every sign holds one of these; most lines of a log hold none. */
static const char *const hints[] = { "rror", "emory", "MORY", "OOM", "oom",
	"bad_alloc", "RESOURCE_EXH", "ALLOC_FAILED", "NCCL", "fault",
	"exception", "instruction", "core dumped", "MPI_ABORT", "signal",
	"terminate", "DUE TO", "ORTE", "Horovod", "Killed", "CUDA failure",
	"Traceback" };

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* While a log is looked through. */
struct failure_search {
	struct arena *arena;
	struct failed_log *out;
	int found;   /* 1: a crash; 2: of memory, which nothing goes before */
	int stopped; /* 1: by its user */
	/* A traceback whose exception is still to come. */
	int in_traceback;
	char prefix[64]; /* of its lines, such as "[rank0]: " */
	char line[MAX_LINE + 1];
};

static int
has_any(const char *line, const char *const *signs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(line, signs[i]) != NULL)
			return 1;
	return 0;
}

/* "Killed" as a shell or mpirun prints it: a word that ends its part. */
static int
is_killed(const char *line)
{
	const char *p = strstr(line, "Killed");

	if (p == NULL || (p > line && isalnum((unsigned char)p[-1])))
		return 0;
	p += strlen("Killed");
	return *p == '\0' || *p == ')' || strncmp(p, "  ", 2) == 0;
}

static void
found_failure(
    struct failure_search *s, enum remark_code code, int rank, int64_t line)
{
	const char *text = s->line + strspn(s->line, " \t");
	size_t len = strlen(text);

	if (s->found >= rank)
		return;
	s->found = rank;
	if (len > MAX_TEXT) {
		len = MAX_TEXT;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	*s->out = (struct failed_log){ code, line,
		arena_strndup(s->arena, text, len) };
}

/* A traceback begins: whatever stands before it begins its other lines, too. */
static void
open_traceback(struct failure_search *s, const char *at)
{
	const size_t len = (size_t)(at - s->line);

	s->in_traceback = len < sizeof s->prefix;
	if (!s->in_traceback)
		return;
	memcpy(s->prefix, s->line, len);
	s->prefix[len] = '\0';
}

/* A line in a traceback: its frames are indented, its end is not. */
static void
read_traceback(struct failure_search *s, int64_t number)
{
	const size_t len = strlen(s->prefix);
	const char *rest = s->line + len;

	if (strncmp(s->line, s->prefix, len) != 0 || *rest == ' ' ||
	    *rest == '\t' || *rest == '\0')
		return;
	s->in_traceback = 0;
	if (strncmp(rest, "KeyboardInterrupt", 17) == 0 ||
	    strncmp(rest, "SystemExit: 0", 13) == 0)
		s->stopped = 1;
	else
		found_failure(s, REMARK_CRASHED, 1, number);
}

static void
look_at_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct failure_search *s = arg;
	const char *at;

	(void)flags;
	if (s->found == 2)
		return;
	if (len > MAX_LINE)
		len = MAX_LINE;
	memcpy(s->line, text, len);
	s->line[len] = '\0';
	if (s->in_traceback)
		read_traceback(s, number);
	if (!has_any(s->line, hints, COUNT(hints)))
		return;
	if (has_any(s->line, memory_signs, COUNT(memory_signs)))
		found_failure(s, REMARK_OUT_OF_MEMORY, 2, number);
	else if (is_killed(s->line) ||
	    has_any(s->line, crash_signs, COUNT(crash_signs)))
		found_failure(s, REMARK_CRASHED, 1, number);
	else if ((at = strstr(s->line, "Traceback (most recent call last)")) !=
	    NULL)
		open_traceback(s, at);
}

/* Lines of bytes without escape sequences where there are some. */
static void
look_at_any_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	char clean[MAX_LINE + 1];
	int64_t n_nul = 0;
	size_t n;

	if (!(flags & LINE_CONTROL)) {
		look_at_line(arg, text, len, flags, number);
		return;
	}
	n = line_clean(text, len < MAX_LINE ? len : MAX_LINE, clean, &n_nul);
	for (size_t at = 0; at < n; at += strlen(clean + at) + 1)
		look_at_line(
		    arg, clean + at, strlen(clean + at), flags, number);
}

static void
search_bytes(struct byte_source *source, struct failure_search *s)
{
	struct line_walker w;

	line_walker_init(&w, MAX_LINE);
	for (;;) {
		const int last = source->last;
		const size_t used = line_walker_consume(
		    &w, source->data, source->len, last, look_at_any_line, s);

		if (last || s->found == 2)
			return;
		if (byte_source_next(source, used, NULL) != 1 && !source->last)
			return;
	}
}

int
failed_log_find(const char *path, struct arena *a, struct failed_log *out)
{
	struct failure_search *s = xcalloc(1, sizeof *s);
	struct byte_source source;
	int found;

	s->arena = a;
	s->out = out;
	byte_source_init(&source);
	if (byte_source_open(&source, path, 0, NULL) == 0) {
		if (source.size <= FAILED_LOG_MAX_BYTES)
			search_bytes(&source, s);
		byte_source_close(&source);
	}
	byte_source_release(&source);
	found = s->found == 2 || (s->found == 1 && !s->stopped);
	free(s);
	return found;
}
