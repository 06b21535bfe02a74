EXTRA_DIST += %D%/README.md
experimentsdir = $(pkgdatadir)/experiments
dist_experiments_DATA = \
	%D%/000-bandwidth.sweep \
	%D%/001-fusion.sweep \
	%D%/002-devices.sweep \
	%D%/003-batches.sweep \
	%D%/004-nodes.sweep \
	%D%/dlscale-cpu.sweep \
	%D%/quickstart.sweep
