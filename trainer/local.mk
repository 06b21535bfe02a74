# The engine of train_imagenet: models, networks, devices.
noinst_LIBRARIES += libtrainer.a
libtrainer_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
libtrainer_a_SOURCES = \
	%D%/device.c %D%/device.h %D%/device_list.h \
	%D%/graph.c %D%/graph.h \
	%D%/loss.c %D%/loss.h \
	%D%/model.c %D%/model.h \
	%D%/network.c %D%/network.h \
	%D%/parallel.c %D%/parallel.h \
	%D%/reference.c %D%/reference.h \
	%D%/reference_device.h %D%/reference_kernels.h \
	%D%/reference_fp32.c %D%/reference_fp64.c \
	%D%/rng.c %D%/rng.h \
	%D%/tensor.c %D%/tensor.h

# What a program that uses the engine links with.
TRAINER_LIBS = libtrainer.a libcommon.a $(OPENMP_CFLAGS) -lm

# The program's own parts: communication, images, the log.
noinst_LIBRARIES += libtrain.a
libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(XXHASH_CFLAGS)
libtrain_a_SOURCES = \
	%D%/bucket.c %D%/bucket.h \
	%D%/clock.c %D%/clock.h \
	%D%/comm.c %D%/comm.h \
	%D%/comm_mpi.c \
	%D%/comm_self.c \
	%D%/epoch.c \
	%D%/logger.c %D%/logger.h \
	%D%/meter.c %D%/meter.h \
	%D%/options_table.c %D%/options_table.h \
	%D%/phases.c %D%/phases.h \
	%D%/reducer.c %D%/reducer.h \
	%D%/report.c %D%/report.h \
	%D%/source.c %D%/source.h \
	%D%/traffic.c %D%/traffic.h \
	%D%/train.c %D%/train.h
TRAIN_LIBS = libtrain.a $(DATA_LIBS) $(MPI_LIBS) $(XXHASH_LIBS)

bin_PROGRAMS += train_imagenet
train_imagenet_SOURCES = %D%/main.c
train_imagenet_LDADD = $(TRAIN_LIBS)
