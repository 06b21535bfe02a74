# Runs of train_imagenet: one, many, on nodes and under Slurm.  run_sweep is a C
# program and not a shell script because it needs what POSIX sh has no means
# for: times below a second and those of children, a process group to end with
# all its ranks, a lock that a kill releases, and errors with line and column.
bin_PROGRAMS += run_sweep
run_sweep_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
run_sweep_SOURCES = %D%/sweep_main.c
run_sweep_LDADD = $(LAUNCH_LIBS)

bin_PROGRAMS += run_on_nodes
run_on_nodes_SOURCES = %D%/nodes_main.c
run_on_nodes_LDADD = liblaunch.a libcommon.a -lm

noinst_LIBRARIES += liblaunch.a
liblaunch_a_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
liblaunch_a_SOURCES = \
	%D%/job.c %D%/job.h \
	%D%/nodes.c %D%/nodes.h \
	%D%/plan.c %D%/plan.h \
	%D%/runner.c \
	%D%/sweep.c %D%/sweep.h
LAUNCH_LIBS = liblaunch.a $(TRAINER_LIBS) $(DNNL_LDFLAGS) $(DNNL_LIBS)

launchdir = $(pkgdatadir)/launch
dist_launch_SCRIPTS = \
	%D%/run_multi_nodes.sh \
	%D%/run_single_node.sh \
	%D%/run_two_nodes.sh \
	%D%/slurm.sbatch \
	%D%/train.sh
dist_launch_DATA = %D%/launch.sh
