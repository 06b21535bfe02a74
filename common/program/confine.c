/* Landlock and seccomp through their system calls. Open descriptors, such as
 * the standard streams, remain usable. */
#include <config.h>

#include "common/program/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/text.h"

static int
is_turned_off(void)
{
	return text_same(getenv("DLSCALE_CONFINE"), "off");
}

static int
confine_error(const char *what, struct error *e)
{
	return error_errno(
	    e, errno, "cannot give up %s (DLSCALE_CONFINE=off keeps it)", what);
}

/* --- files ---------------------------------------------------------------- */

/* Linux 6.2, ABI version 3; older headers do not define it. */
#define FS_TRUNCATE ((uint64_t)1 << 14)

enum { TRUNCATE_SINCE = 3 };

/* Rights to files, and further rights to folders. */
static const uint64_t of_files = LANDLOCK_ACCESS_FS_WRITE_FILE;
static const uint64_t of_folders = LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
/* An output needs no devices, sockets or links. */
static const uint64_t of_outputs = LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;

/* Allow writing below a folder, or to a file. Pipes are not in a file system,
 * so that rules cannot name them (EBADFD) and Landlock does not restrict
 * them.
 *
 * files  rights that apply to files */
static int
allow_writing(int ruleset, uint64_t files, const char *path)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = { .parent_fd = fd };
	struct stat st;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		rule.allowed_access =
		    files | (S_ISDIR(st.st_mode) ? of_outputs : 0);
		rc = (int)syscall(SYS_landlock_add_rule, ruleset,
		    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
		if (rc != 0 && errno == EBADFD)
			rc = 0;
	}
	close(fd); /* does not change errno */
	return rc;
}

/* Allow an output: a device itself, else its folder, or the nearest existing
 * parent. */
static int
allow_output(int ruleset, uint64_t files, const char *path)
{
	struct stat st;
	const int is_device = outfile_is_special(path) &&
	    stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
	char *at = is_device ? NULL : realpath(path, NULL), *below;
	int rc;

	if (at == NULL)
		at = xstrdup(path);
	for (int exists = is_device; !exists; exists = stat(at, &st) == 0) {
		below = at;
		at = path_folder(below);
		free(below);
	}
	rc = allow_writing(ruleset, files, at);
	free(at);
	return rc;
}

int
confine_writing(
    const char *const *outputs, size_t n, int temporary, struct error *e)
{
	const long version = is_turned_off()
	    ? 0
	    : syscall(SYS_landlock_create_ruleset, NULL, 0,
		  LANDLOCK_CREATE_RULESET_VERSION);
	const uint64_t files =
	    of_files | (version >= TRUNCATE_SINCE ? FS_TRUNCATE : 0);
	const struct landlock_ruleset_attr attr = { .handled_access_fs = files |
		    of_folders | LANDLOCK_ACCESS_FS_EXECUTE };
	int ruleset, rc;

	if (version < 1)
		return 0;
	ruleset =
	    (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	rc = ruleset >= 0 ? 0 : -1;
	for (size_t i = 0; i < n && rc == 0; i++)
		if (outputs[i] != NULL && strcmp(outputs[i], "-") != 0)
			rc = allow_output(ruleset, files, outputs[i]);
	if (rc == 0 && temporary && access(P_tmpdir, F_OK) == 0)
		rc = allow_writing(ruleset, files, P_tmpdir);
	if (rc == 0)
		rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (rc == 0)
		rc = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
	if (rc != 0)
		rc = confine_error("writing to other files", e);
	if (ruleset >= 0)
		close(ruleset);
	return rc;
}

/* --- system calls --------------------------------------------------------- */

/* Architecture of the system call numbers. */
#if defined(__x86_64__) && defined(__LP64__)
#define CALLS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#endif

/* Sanitizers trace their own process at exit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef CALLS_ARCH
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#undef CALLS_ARCH
#endif
#endif

#ifdef CALLS_ARCH

/* System calls that the programs, the C library, SQLite and PCRE2 use to read,
 * compute and write, including those of other versions. The list comes from
 * traces. Other calls fail with ENOSYS, so that libraries fall back. */
static const unsigned allowed[] = {
	/* descriptors */
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev,
	SYS_lseek, SYS_close, SYS_dup, SYS_dup3, SYS_pipe2, SYS_fsync,
	SYS_fdatasync, SYS_flock, SYS_fadvise64, SYS_fallocate, SYS_ftruncate,
	SYS_ppoll, SYS_pselect6,
	/* files and folders */
	SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs,
	SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_mkdirat,
	SYS_unlinkat, SYS_renameat, SYS_renameat2,
	/* memory */
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise,
	SYS_membarrier,
	/* threads of this process, and their signals */
	SYS_futex, SYS_set_robust_list, SYS_sched_yield, SYS_sched_getaffinity,
	SYS_getcpu, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group,
	/* clocks, limits, names */
	SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
	SYS_gettimeofday, SYS_getrandom, SYS_getrusage, SYS_sysinfo, SYS_uname,
	SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid,
	SYS_getegid,
	/* further restriction */
	SYS_landlock_create_ruleset, SYS_landlock_add_rule,
	SYS_landlock_restrict_self,
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_stat /* older forms of the above, not on ARM64 */
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_mkdir,
	SYS_unlink, SYS_rename, SYS_dup2, SYS_poll, SYS_select, SYS_getrlimit,
	SYS_time
#endif
};

/* Calls allowed if an argument equals the value, has any of the value's bits,
 * or has none of them. */
struct call_rule {
	unsigned call, argument;
	enum { EQUAL, HAS, LACKS } test;
	unsigned value;
};

enum {
	SPECIAL_MODES = S_ISUID | S_ISGID | S_ISVTX,
	X32 = 0x40000000 /* first system call of the x32 ABI */
};
#define TCGETS2_NUMBER 0x802c542a /* its macro needs <asm/termbits.h> */

static const struct call_rule rules[] = {
	{ SYS_openat, 3, LACKS, SPECIAL_MODES },
#ifdef SYS_open
	{ SYS_open, 2, LACKS, SPECIAL_MODES },
#endif
	/* Detect a terminal and its size. TIOCSTI would type into it. */
	{ SYS_ioctl, 1, EQUAL, TCGETS },
	{ SYS_ioctl, 1, EQUAL, TCGETS2_NUMBER },
	{ SYS_ioctl, 1, EQUAL, TIOCGWINSZ },
	/* F_SETOWN would send signals to other processes. */
	{ SYS_fcntl, 1, EQUAL, F_DUPFD },
	{ SYS_fcntl, 1, EQUAL, F_DUPFD_CLOEXEC },
	{ SYS_fcntl, 1, EQUAL, F_GETFD }, { SYS_fcntl, 1, EQUAL, F_SETFD },
	{ SYS_fcntl, 1, EQUAL, F_GETFL }, { SYS_fcntl, 1, EQUAL, F_SETFL },
	{ SYS_fcntl, 1, EQUAL, F_GETLK }, { SYS_fcntl, 1, EQUAL, F_SETLK },
	{ SYS_fcntl, 1, EQUAL, F_SETLKW },
	{ SYS_prctl, 0, EQUAL, PR_SET_NO_NEW_PRIVS },
	{ SYS_prlimit64, 0, EQUAL, 0 },      /* of this process */
	{ SYS_clone, 0, HAS, CLONE_THREAD }, /* clone3's flags are in memory,
						unreadable to a filter */
};

enum {
	N_ALLOWED = sizeof allowed / sizeof *allowed,
	N_RULES = sizeof rules / sizeof *rules,
	MAX_STEPS = 8 + 2 * N_ALLOWED + 5 * (N_RULES + 1)
};

#define LOAD(member) \
	BPF_STMT( \
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE(error) \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)(error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define JUMP(test, k, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_K | (test), (unsigned)(k), yes, no)

static struct sock_filter *
add_steps(struct sock_filter *at, const struct sock_filter *steps, size_t size)
{
	memcpy(at, steps, size);
	return at + size / sizeof *steps;
}

static struct sock_filter *
add_rule(struct sock_filter *at, const struct call_rule *r)
{
	const struct sock_filter steps[] = { LOAD(nr),
		JUMP(BPF_JEQ, r->call, 0, 3), LOAD(args[r->argument]),
		JUMP(r->test == EQUAL ? BPF_JEQ : BPF_JSET, r->value,
		    r->test == LACKS, r->test != LACKS),
		ALLOW };

	return add_steps(at, steps, sizeof steps);
}

int
confine_calls(struct error *e)
{
	static const struct sock_filter begin[] = { LOAD(arch),
		JUMP(BPF_JEQ, CALLS_ARCH, 1, 0), REFUSE(EPERM), LOAD(nr),
		JUMP(BPF_JGE, X32, 0, 1), REFUSE(EPERM) };
	static const struct sock_filter end[] = { REFUSE(ENOSYS) };
	const struct call_rule own = { SYS_tgkill, 0, EQUAL,
		(unsigned)getpid() };
	struct sock_filter steps[MAX_STEPS];
	struct sock_filter *at = add_steps(steps, begin, sizeof begin);
	struct sock_fprog program = { .filter = steps };

	for (size_t i = 0; i < N_ALLOWED; i++) {
		const struct sock_filter one[] = {
			JUMP(BPF_JEQ, allowed[i], 0, 1), ALLOW
		};

		at = add_steps(at, one, sizeof one);
	}
	for (size_t i = 0; i < N_RULES; i++)
		at = add_rule(at, &rules[i]);
	at = add_rule(at, &own);
	at = add_steps(at, end, sizeof end);
	program.len = (unsigned short)(at - steps);
	if (is_turned_off())
		return 0;
	/* A kernel with filters rejects the NULL address with EFAULT. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0 &&
	    errno != EFAULT)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return confine_error("other system calls", e);
	return 0;
}

#else

int
confine_calls(struct error *e)
{
	(void)e;
	return 0;
}

#endif
