/* Precedence if several launchers set their variables: ranks of torchrun that
 * srun or mpirun started, and ranks started by hand in a job of one task. */
#include <config.h>

#include "trainer/comm/launcher_env.h"

#include <stdlib.h>

#include "tests/tap.h"
#include "trainer/comm/comm.h"

/* Set these pairs of name and value, and unset all other variables of
 * launchers. */
static void
set_environment(const char *const *pairs)
{
	static const char *const all[] = { "OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
		"OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE", "PMIX_RANK",
		"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
		"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
		"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST",
		"SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NUM_NODES",
		"SLURM_DISTRIBUTION", "RANK", "WORLD_SIZE", "LOCAL_RANK",
		"LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID", "MASTER_ADDR",
		"MASTER_PORT", "OMPI_MCA_orte_precondition_transports",
		"DLSCALE_JOB_TOKEN" };

	for (size_t i = 0; i < N_TESTS(all); i++)
		unsetenv(all[i]);
	for (; pairs[0] != NULL; pairs += 2)
		setenv(pairs[0], pairs[1], 1);
}

static void
check_place(long rank, long size)
{
	struct launcher l;

	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK_INT(l.rank, rank);
	CHECK_INT(l.size, size);
}

static void
test_one_launcher(void)
{
	set_environment((const char *[]){ NULL });
	check_place(0, 1);
	set_environment((const char *[]){
	    "OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4", NULL });
	check_place(2, 4);
	CHECK_INT(comm_launched(), 4);
	set_environment((const char *[]){ "SLURM_PROCID", "1",
	    "SLURM_STEP_NUM_TASKS", "3", "RANK", "5", NULL });
	check_place(1, 3);
	set_environment(
	    (const char *[]){ "RANK", "1", "WORLD_SIZE", "2", NULL });
	check_place(1, 2);
}

/* Slurm states the number of hosts of a step, not of ranks on a host. */
static void
test_step_of_slurm(void)
{
	static const struct {
		const char *n_nodes;
		long local_size;
	} cases[] = { { "1", 4 }, { "2", -1 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct launcher l;

		set_environment((const char *[]){ "SLURM_PROCID", "3",
		    "SLURM_STEP_NUM_TASKS", "4", "SLURM_LOCALID", "1",
		    "SLURM_STEP_NUM_NODES", cases[i].n_nodes, NULL });
		CHECK_INT(launcher_env_read(&l, NULL), 0);
		CHECK_INT(l.local_size, cases[i].local_size);
		CHECK_INT(l.local_rank, 1);
		CHECK(l.port == NULL);
	}
}

/* "srun torchrun --nproc_per_node=2 train_imagenet" on two nodes. */
static void
test_torchrun_of_srun(void)
{
	struct launcher l;

	set_environment((const char *[]){ "SLURM_PROCID", "1",
	    "SLURM_STEP_NUM_TASKS", "2", "SLURM_LOCALID", "0", "SLURM_JOB_ID",
	    "7", "SLURM_STEP_ID", "0", "SLURM_STEP_NODELIST", "n[1-2]",
	    "PMIX_RANK", "1", "RANK", "3", "WORLD_SIZE", "4", "LOCAL_RANK", "1",
	    "LOCAL_WORLD_SIZE", "2", "TORCHELASTIC_RUN_ID", "job", NULL });
	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK_INT(l.rank, 3);
	CHECK_INT(l.size, 4);
	CHECK_INT(l.local_rank, 1);
	CHECK_INT(l.local_size, 2);
	CHECK_STR(l.job, "job");
	CHECK(l.nodes == NULL);
	/* None of the four ranks was started for MPI. */
	CHECK_INT(comm_launched(), 1);
}

/* "--world-size 2 --rank 1" in the shell of a job of one task. */
static void
test_by_hand(void)
{
	set_environment((const char *[]){ "SLURM_PROCID", "0",
	    "SLURM_STEP_NUM_TASKS", "1", "OMPI_COMM_WORLD_RANK", "0",
	    "OMPI_COMM_WORLD_SIZE", "1", NULL });
	check_place(0, 1);
	launcher_env_set(1, 2);
	check_place(1, 2);
}

static void
test_bad_numbers(void)
{
	struct error e = ERROR_INIT;
	struct launcher l;

	set_environment(
	    (const char *[]){ "RANK", "x", "WORLD_SIZE", "2", NULL });
	CHECK_INT(launcher_env_read(&l, &e), -1);
	CHECK_STR(e.message,
	    "environment variable RANK: 'x' is not a number from 0 on");
	set_environment(
	    (const char *[]){ "RANK", "2", "WORLD_SIZE", "2", NULL });
	CHECK_INT(launcher_env_read(&l, &e), -1);
	CHECK_STR(e.message, "environment variable RANK: rank 2 of 2 ranks");
}

/* mpirun's own secret, else the token; for torchrun's ranks the token. */
static void
test_secret(void)
{
	struct launcher l;

	set_environment((const char *[]){
	    "OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2", NULL });
	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK(l.secret == NULL);
	setenv("DLSCALE_JOB_TOKEN", "token", 1);
	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK_STR(l.secret, "token");
	setenv("OMPI_MCA_orte_precondition_transports", "key", 1);
	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK_STR(l.secret, "key");
	setenv("RANK", "0", 1);
	setenv("WORLD_SIZE", "2", 1);
	setenv("TORCHELASTIC_RUN_ID", "none", 1);
	CHECK_INT(launcher_env_read(&l, NULL), 0);
	CHECK_STR(l.secret, "token");
}

static const struct tap_test tests[] = {
	TEST(test_one_launcher),
	TEST(test_step_of_slurm),
	TEST(test_torchrun_of_srun),
	TEST(test_by_hand),
	TEST(test_bad_numbers),
	TEST(test_secret),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
