/* Seccomp by its system call: a filter that refuses what readers never ask
 * for.  extract_logs, report_results and predict_scaling call it; it knows no
 * files, which are Landlock's part (confine.c). */
#include <config.h>

#include "common/program/confine.h"

#ifdef __has_include
#if __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
#endif

/* Which numbers mean which calls. */
#if defined(__x86_64__) && defined(__LP64__)
#define CALLS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#endif

/* Sanitizers trace their own process as it ends. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef CALLS_ARCH
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#undef CALLS_ARCH
#endif
#endif

#if defined(CALLS_ARCH) && defined(SECCOMP_RET_ERRNO)

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Those that only some architectures or kernels have stand in #ifdef. */
static const unsigned forbidden[] = {
	/* other programs */
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
	SYS_process_vm_writev,
#ifdef SYS_fork
	SYS_fork, SYS_vfork,
#endif
	/* other machines */
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen,
	SYS_accept, SYS_accept4,
	/* names and modes of files that no output has */
	SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_setxattr, SYS_lsetxattr,
	SYS_fsetxattr,
#ifdef SYS_link
	SYS_link, SYS_symlink, SYS_mknod,
#endif
	/* the system itself */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare,
	SYS_setns, SYS_bpf, SYS_userfaultfd, SYS_perf_event_open, SYS_keyctl,
	SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_kexec_load,
	/* calls by another way, past this filter */
	425 /* io_uring_setup */
};

enum {
	N_FORBIDDEN = sizeof forbidden / sizeof forbidden[0],
	CLONE3 = 435,     /* its flags stand where no filter can read them */
	X32 = 0x40000000, /* numbers of x86-64's other calls */
	MAX_STEPS = 2 * N_FORBIDDEN + 16
};

/* A filter while it is made. */
struct call_filter {
	struct sock_filter steps[MAX_STEPS];
	unsigned short n;
};

static void
filter_step(struct call_filter *f, unsigned short code, unsigned char yes,
    unsigned char no, unsigned k)
{
	f->steps[f->n++] = (struct sock_filter){ code, yes, no, k };
}

static void
filter_load(struct call_filter *f, size_t at)
{
	filter_step(f, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)at);
}

static void
filter_refuse(struct call_filter *f, unsigned error)
{
	filter_step(f, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error);
}

static void
filter_make(struct call_filter *f)
{
	const unsigned short equal = BPF_JMP | BPF_JEQ | BPF_K;

	f->n = 0;
	filter_load(f, offsetof(struct seccomp_data, arch));
	filter_step(f, equal, 1, 0, CALLS_ARCH);
	filter_refuse(f, EPERM);
	filter_load(f, offsetof(struct seccomp_data, nr));
	filter_step(f, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
	filter_refuse(f, EPERM);
	for (size_t i = 0; i < N_FORBIDDEN; i++) {
		filter_step(f, equal, 0, 1, forbidden[i]);
		filter_refuse(f, EPERM);
	}
	/* The C library takes clone then. */
	filter_step(f, equal, 0, 1, CLONE3);
	filter_refuse(f, ENOSYS);
	/* Threads, but no processes. */
	filter_step(f, equal, 0, 3, SYS_clone);
	filter_load(f, offsetof(struct seccomp_data, args[0]));
	filter_step(f, BPF_JMP | BPF_JSET | BPF_K, 1, 0, CLONE_THREAD);
	filter_refuse(f, EPERM);
	filter_step(f, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

int
confine_calls(void)
{
	const char *wish = getenv("DLSCALE_CONFINE");
	struct call_filter f;
	struct sock_fprog program;

	if (wish != NULL && strcmp(wish, "off") == 0)
		return 0;
	filter_make(&f);
	program = (struct sock_fprog){ f.n, f.steps };
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

int
confine_calls(void)
{
	return 0;
}

#endif
