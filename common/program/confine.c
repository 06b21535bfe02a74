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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"

static int
is_turned_off(void)
{
	const char *wish = getenv("DLSCALE_CONFINE");

	return wish != NULL && strcmp(wish, "off") == 0;
}

static int
confine_error(const char *what, struct error *e)
{
	return error_errno(
	    e, errno, "cannot give up %s (DLSCALE_CONFINE=off keeps it)", what);
}

/* --- files ---------------------------------------------------------------- */

/* Linux 6.2, ABI version 3; older headers lack it. */
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

static long
landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
}

/* Allow writing below a folder, or to a file. Pipes are not in a file system,
 * so that rules cannot name them (EBADFD) and Landlock does not restrict
 * them.
 *
 * files  rights that apply to files */
static int
allow_writing(int ruleset, uint64_t files, const char *path)
{
	struct landlock_path_beneath_attr rule;
	struct stat st;
	int rc = -1, saved;

	memset(&rule, 0, sizeof rule);
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return -1;
	if (fstat(rule.parent_fd, &st) == 0) {
		rule.allowed_access =
		    files | (S_ISDIR(st.st_mode) ? of_outputs : 0);
		rc = (int)syscall(SYS_landlock_add_rule, ruleset,
		    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
		if (rc != 0 && errno == EBADFD)
			rc = 0;
	}
	saved = errno;
	close(rule.parent_fd);
	errno = saved;
	return rc;
}

/* Allow an output: a device itself, else its folder, or the nearest existing
 * parent. */
static int
allow_output(int ruleset, uint64_t files, const char *path)
{
	char *at = realpath(path, NULL), *slash;
	const char *place = ".";
	struct stat st;
	int rc;

	if (at == NULL)
		at = xstrdup(path);
	while ((slash = strrchr(at, '/')) != NULL) {
		place = slash == at ? "/" : at;
		*slash = '\0';
		if (slash == at || stat(at, &st) == 0)
			break;
		place = ".";
	}
	if (outfile_is_special(path) && stat(path, &st) == 0 &&
	    !S_ISDIR(st.st_mode))
		place = path;
	rc = allow_writing(ruleset, files, place);
	free(at);
	return rc;
}

int
confine_writing(
    const char *const *outputs, size_t n, int temporary, struct error *e)
{
	struct landlock_ruleset_attr attr;
	const long version = is_turned_off() ? 0 : landlock_version();
	const uint64_t files =
	    of_files | (version >= TRUNCATE_SINCE ? FS_TRUNCATE : 0);
	int ruleset, rc;

	if (version < 1)
		return 0;
	memset(&attr, 0, sizeof attr);
	attr.handled_access_fs =
	    files | of_folders | LANDLOCK_ACCESS_FS_EXECUTE;
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

/* Calls that do not exist on all architectures are in #ifdef. */
static const unsigned forbidden[] = {
	/* starting or tracing processes */
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
	SYS_process_vm_writev,
#ifdef SYS_fork
	SYS_fork, SYS_vfork,
#endif
	/* network connections */
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen,
	SYS_accept, SYS_accept4,
	/* links, devices and attributes */
	SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_setxattr, SYS_lsetxattr,
	SYS_fsetxattr,
#ifdef SYS_link
	SYS_link, SYS_symlink, SYS_mknod,
#endif
	/* system administration */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare,
	SYS_setns, SYS_bpf, SYS_userfaultfd, SYS_perf_event_open, SYS_keyctl,
	SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_kexec_load,
	/* io_uring bypasses filters */
	425 /* io_uring_setup */
};

enum {
	N_FORBIDDEN = sizeof forbidden / sizeof forbidden[0],
	CLONE3 = 435, /* its flags are in memory, which filters cannot read */
	X32 = 0x40000000 /* first system call of the x32 ABI */
};

#define LOAD(member) \
	BPF_STMT( \
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE(error) \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)(error))
#define JUMP(test, k, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_K | (test), (unsigned)(k), yes, no)

int
confine_calls(struct error *e)
{
	static const struct sock_filter begin[] = { LOAD(arch),
		JUMP(BPF_JEQ, CALLS_ARCH, 1, 0), REFUSE(EPERM), LOAD(nr),
		JUMP(BPF_JGE, X32, 0, 1), REFUSE(EPERM) };
	/* ENOSYS makes the C library fall back to clone. Threads are allowed,
	 * processes are not. */
	static const struct sock_filter end[] = { JUMP(BPF_JEQ, CLONE3, 0, 1),
		REFUSE(ENOSYS), JUMP(BPF_JEQ, SYS_clone, 0, 3), LOAD(args[0]),
		JUMP(BPF_JSET, CLONE_THREAD, 1, 0), REFUSE(EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_filter
	    steps[2 * N_FORBIDDEN + (sizeof begin + sizeof end) / sizeof *end];
	const struct sock_fprog program = { sizeof steps / sizeof *steps,
		steps };
	struct sock_filter *at = steps + sizeof begin / sizeof *begin;

	memcpy(steps, begin, sizeof begin);
	for (size_t i = 0; i < N_FORBIDDEN; i++) {
		*at++ = (struct sock_filter)JUMP(BPF_JEQ, forbidden[i], 0, 1);
		*at++ = (struct sock_filter)REFUSE(EPERM);
	}
	memcpy(at, end, sizeof end);
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
