# The engine of train_imagenet: models, networks, devices.
noinst_LIBRARIES += libtrainer.a
libtrainer_a_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
libtrainer_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
libtrainer_a_SOURCES = \
	%D%/cpu_memory.c %D%/cpu_memory.h \
	%D%/cuda/builder.c %D%/cuda/builder.h \
	%D%/cuda/checks.c %D%/cuda/checks.h \
	%D%/cuda/device.c \
	%D%/cuda/grid.h \
	%D%/cuda/engine_cache.c %D%/cuda/engine_cache.h \
	%D%/cuda/loss_scale.h \
	%D%/cuda/machine.h \
	%D%/cuda/ops.c %D%/cuda/ops.h \
	%D%/cuda/program.c %D%/cuda/program.h \
	%D%/cuda/program_backward.c \
	%D%/cuda/program_forward.c \
	%D%/cuda/step.c %D%/cuda/step.h \
	%D%/cuda/times.c %D%/cuda/times.h \
	%D%/cuda/tuner.c %D%/cuda/tuner.h \
	%D%/device.c %D%/device.h %D%/device_list.h \
	%D%/graph.c %D%/graph.h \
	%D%/isa.h \
	%D%/library.c %D%/library.h \
	%D%/loss.c %D%/loss.h \
	%D%/model.c %D%/model.h \
	%D%/network.c %D%/network.h \
	%D%/parallel.c %D%/parallel.h \
	%D%/philox.h \
	%D%/pixel.h \
	%D%/reference.c %D%/reference.h \
	%D%/reference_device.h %D%/reference_kernels.h \
	%D%/reference_fp32.c %D%/reference_fp64.c \
	%D%/rng.c %D%/rng.h \
	%D%/tensor.c %D%/tensor.h

# What a program that uses the engine links with.
TRAINER_LIBS = libtrainer.a

# The cpu device's kernels, one library for each set of instructions; the
# vectors are cut to the processor's, so their calling convention is nobody's
# business.
if HAVE_DNNL
libtrainer_a_SOURCES += \
	%D%/cpu.c %D%/cpu.h \
	%D%/cpu_conv.c \
	%D%/cpu_fuse.c \
	%D%/cpu_norm.c \
	%D%/cpu_onednn.c %D%/cpu_onednn.h \
	%D%/cpu_ops.c \
	%D%/cpu_plan.c
KERNEL_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-psabi
noinst_LIBRARIES += libkernels_plain.a
libkernels_plain_a_CFLAGS = $(KERNEL_CFLAGS)
libkernels_plain_a_SOURCES = \
	%D%/cpu_kernels.c %D%/cpu_kernels.h \
	%D%/cpu_kernels_list.h %D%/cpu_kernels_template.h \
	%D%/cpu_kernels_plain.c \
	%D%/cpu_vector.h
TRAINER_LIBS += libkernels_plain.a
if HAVE_X86_FLAGS
noinst_LIBRARIES += libkernels_avx2.a libkernels_avx512.a
libkernels_avx2_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX2_FLAGS)
libkernels_avx2_a_SOURCES = %D%/cpu_kernels_avx2.c
libkernels_avx512_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX512_FLAGS)
libkernels_avx512_a_SOURCES = %D%/cpu_kernels_avx512.c
TRAINER_LIBS += libkernels_avx2.a libkernels_avx512.a
endif
if HAVE_AMX_FLAGS
libtrainer_a_SOURCES += \
	%D%/cpu_amx.c %D%/cpu_amx.h \
	%D%/cpu_amx_gather.c \
	%D%/cpu_amx_gram.c \
	%D%/cpu_amx_weights.c \
	%D%/cpu_stream.c %D%/cpu_stream.h
noinst_LIBRARIES += libkernels_amx.a
libkernels_amx_a_CFLAGS = $(KERNEL_CFLAGS) $(AMX_FLAGS)
libkernels_amx_a_SOURCES = %D%/amx.c %D%/amx.h
TRAINER_LIBS += libkernels_amx.a
endif
endif

# The cuda device.
if HAVE_CUDNN
libtrainer_a_CPPFLAGS += $(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS)
libtrainer_a_SOURCES += \
	%D%/cuda/cudnn_graph.c %D%/cuda/cudnn_graph.h \
	%D%/cuda/cudnn_library.c %D%/cuda/cudnn_library.h \
	%D%/cuda/gpu.c %D%/cuda/gpu.h \
	%D%/cuda/gpu_bind.c \
	%D%/cuda/gpu_conv.c \
	%D%/cuda/gpu_events.c \
	%D%/cuda/gpu_input.c \
	%D%/cuda/gpu_memory.c \
	%D%/cuda/gpu_open.c \
	%D%/cuda/gpu_step.c \
	%D%/cuda/gpu_tune.c \
	%D%/cuda/kernels.cu %D%/cuda/kernels.h \
	%D%/cuda/kernels_common.cuh %D%/cuda/kernels_step.cu \
	%D%/cuda/stage.c
# cuDNN is loaded when a GPU is to be used: only where it is is told here.
TRAINER_LIBS += $(CUDNN_LDFLAGS) $(CUDA_LDFLAGS) $(CUDA_LIBS) -lstdc++
endif

# How a .cu file is compiled, quiet or not as V=0/1 says.
AM_V_NVCC = $(am__v_NVCC_@AM_V@)
am__v_NVCC_ = $(am__v_NVCC_@AM_DEFAULT_V@)
am__v_NVCC_0 = @echo "  NVCC    " $@;
am__v_NVCC_1 =
AM_NVCCFLAGS = -std=c++17 -lineinfo --Werror all-warnings \
	-Xcompiler -Wall,-Wextra
NVCC_COMPILE = $(NVCC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) \
	$(CUDA_CPPFLAGS) $(CPPFLAGS) $(CUDA_GENCODE) $(AM_NVCCFLAGS) \
	$(NVCCFLAGS)

SUFFIXES = .cu
.cu.o:
	$(AM_V_NVCC)$(MKDIR_P) $(@D)/$(DEPDIR) && \
	$(NVCC_COMPILE) -MMD -MP -MF $(@D)/$(DEPDIR)/$(*F).cu.d -MT $@ \
	    -c -o $@ $<
-include %D%/cuda/$(DEPDIR)/*.cu.d

clean-local: clean-cuda
clean-cuda:
	-rm -f %D%/cuda/*.o %D%/cuda/$(DEPDIR)/*.cu.d
.PHONY: clean-cuda

TRAINER_LIBS += libcommon.a $(DNNL_LDFLAGS) $(DNNL_LIBS) $(OPENMP_CFLAGS) -lm

# The program's own parts: communication, images, the log.
noinst_LIBRARIES += libtrain.a
libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
libtrain_a_SOURCES = \
	%D%/bucket.c %D%/bucket.h \
	%D%/carrier.c %D%/carrier.h \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/checkpoint_fields.c %D%/checkpoint_fields.h \
	%D%/clock.c %D%/clock.h \
	%D%/comm.c %D%/comm.h \
	%D%/comm_gloo.c \
	%D%/comm_mpi.c \
	%D%/comm_nccl.c \
	%D%/comm_self.c \
	%D%/converter.c %D%/converter.h \
	%D%/epoch.c \
	%D%/exchange.c %D%/exchange.h \
	%D%/gloo_shim.h \
	%D%/half.c %D%/half.h \
	%D%/heartbeat.c %D%/heartbeat.h \
	%D%/gpus.c %D%/gpus.h \
	%D%/launcher.c %D%/launcher.h \
	%D%/logger.c %D%/logger.h \
	%D%/meter.c %D%/meter.h \
	%D%/mpi_ring.c %D%/mpi_ring.h \
	%D%/negotiator.c %D%/negotiator.h \
	%D%/options_table.c %D%/options_table.h \
	%D%/phases.c %D%/phases.h \
	%D%/ram.c %D%/ram.h \
	%D%/reducer.c %D%/reducer.h \
	%D%/report.c %D%/report.h \
	%D%/resume.c %D%/resume.h \
	%D%/signals.c %D%/signals.h \
	%D%/source.c %D%/source.h \
	%D%/stage.c %D%/stage.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/trace.c %D%/trace.h \
	%D%/traffic.c %D%/traffic.h \
	%D%/train.c %D%/train.h \
	%D%/train_share.c \
	%D%/train_fusion.c \
	%D%/train_sums.c \
	%D%/watchdog.c %D%/watchdog.h
TRAIN_LIBS = libtrain.a $(DATA_LIBS) $(MPI_LIBS) $(XXHASH_LIBS) \
	$(NCCL_LDFLAGS) $(CUDA_LDFLAGS) $(CUDA_LIBS)

if HAVE_NCCL
libtrain_a_SOURCES += %D%/nccl_library.c %D%/nccl_library.h
endif

# Gloo is C++; in a library it is, programs are still linked as C.
if HAVE_GLOO
libtrain_a_SOURCES += %D%/gloo_shim.cc
libtrain_a_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17
libtrain_a_CPPFLAGS += $(GLOO_CPPFLAGS)
TRAIN_LIBS += $(GLOO_LDFLAGS) $(GLOO_LIBS)
endif

bin_PROGRAMS += train_imagenet
train_imagenet_SOURCES = %D%/main.c
train_imagenet_LDADD = $(TRAIN_LIBS)
