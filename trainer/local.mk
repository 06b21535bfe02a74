# The engine of train_imagenet: models, networks, devices.
noinst_LIBRARIES += libtrainer.a
libtrainer_a_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
libtrainer_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
libtrainer_a_SOURCES = \
	%D%/base/isa.h \
	%D%/base/machine_info.c %D%/base/machine_info.h \
	%D%/base/parallel.c %D%/base/parallel.h \
	%D%/base/philox.h \
	%D%/base/pixel.h \
	%D%/base/rng.c %D%/base/rng.h \
	%D%/base/shared_library.c %D%/base/shared_library.h \
	%D%/base/tensor.c %D%/base/tensor.h
libtrainer_a_SOURCES += \
	%D%/graph/graph.c %D%/graph/graph.h
libtrainer_a_SOURCES += \
	%D%/device/call_table.c %D%/device/call_table.h \
	%D%/device/device.c %D%/device/device.h \
	%D%/device/device.h \
	%D%/device/fused_ops.c %D%/device/fused_ops.h \
	%D%/device/memory_plan.c %D%/device/memory_plan.h
libtrainer_a_SOURCES += \
	%D%/device/reference/reference.c \
	%D%/device/reference/reference_fp64.c
libtrainer_a_SOURCES += \
	%D%/device/cuda/planning/program.c %D%/device/cuda/planning/program.h \
	%D%/device/cuda/planning/weight_piece.h
libtrainer_a_SOURCES += \
	%D%/device/cuda/engines/engine_cache.c \
	%D%/device/cuda/engines/engine_cache.h
libtrainer_a_SOURCES += \
	%D%/device/cuda/cuda_checks.c %D%/device/cuda/cuda_checks.h \
	%D%/device/cuda/cuda_device.c \
	%D%/device/cuda/executor.h \
	%D%/device/cuda/grid.h \
	%D%/device/cuda/loss_scale.h \
	%D%/device/cuda/roof_table.c

# What a program that uses the engine links with.
TRAINER_LIBS = libtrainer.a

# The cpu device's kernels, one library for each set of instructions; the
# vectors are cut to the processor's, so their calling convention is
# theirs alone.
if HAVE_DNNL
libtrainer_a_SOURCES += \
	%D%/device/cpu/cpu.c %D%/device/cpu/cpu.h \
	%D%/device/cpu/cpu_conv.c \
	%D%/device/cpu/cpu_norm.c \
	%D%/device/cpu/cpu_onednn.c %D%/device/cpu/cpu_onednn.h \
	%D%/device/cpu/cpu_ops.c \
	%D%/device/cpu/cpu_plan.c \
	%D%/device/cpu/cpu_profile.c \
	%D%/device/cpu/kernels/cpu_roof.c
KERNEL_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-psabi
noinst_LIBRARIES += libkernels_plain.a
libkernels_plain_a_CFLAGS = $(KERNEL_CFLAGS) -DKERNELS_LEVEL=0
libkernels_plain_a_SOURCES = \
	%D%/device/cpu/kernels/cpu_kernels.h \
	%D%/device/cpu/kernels/cpu_kernels_tables.c \
	%D%/device/cpu/kernels/cpu_kernels_template.h \
	%D%/device/cpu/kernels/cpu_vector.h
TRAINER_LIBS += libkernels_plain.a
if HAVE_X86_FLAGS
noinst_LIBRARIES += libkernels_avx2.a libkernels_avx512.a
libkernels_avx2_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX2_FLAGS) -DKERNELS_LEVEL=1
libkernels_avx2_a_SOURCES = \
	%D%/device/cpu/kernels/cpu_kernels_tables.c
libkernels_avx512_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX512_FLAGS) -DKERNELS_LEVEL=2
libkernels_avx512_a_SOURCES = \
	%D%/device/cpu/kernels/cpu_kernels_tables.c \
	%D%/device/cpu/kernels/linear.c %D%/device/cpu/kernels/linear.h \
	%D%/device/cpu/kernels/transpose.h \
	%D%/device/cpu/kernels/winograd.c %D%/device/cpu/kernels/winograd.h \
	%D%/device/cpu/kernels/winograd_conv.c \
	%D%/device/cpu/kernels/winograd_points.h
TRAINER_LIBS += libkernels_avx2.a libkernels_avx512.a
endif
if HAVE_AMX_FLAGS
libtrainer_a_SOURCES += \
	%D%/device/cpu/amx_conv.c %D%/device/cpu/amx_conv.h \
	%D%/device/cpu/amx_gram.c \
	%D%/device/cpu/cpu_stream.c %D%/device/cpu/cpu_stream.h
noinst_LIBRARIES += libkernels_amx.a
libkernels_amx_a_CFLAGS = $(KERNEL_CFLAGS) $(AMX_FLAGS)
libkernels_amx_a_SOURCES = \
	%D%/device/cpu/kernels/amx.c %D%/device/cpu/kernels/amx.h
noinst_LIBRARIES += libkernels_bf16.a
libkernels_bf16_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX512_FLAGS) -mavx512bf16
libkernels_bf16_a_SOURCES = \
	%D%/device/cpu/kernels/bf16_grad.c %D%/device/cpu/kernels/bf16_grad.h
TRAINER_LIBS += libkernels_amx.a libkernels_bf16.a
endif
endif

# The cuda device.
if HAVE_CUDNN
libtrainer_a_CPPFLAGS += $(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS)
libtrainer_a_SOURCES += \
	%D%/device/cuda/engines/cudnn_graph.c \
	%D%/device/cuda/engines/cudnn_graph.h
libtrainer_a_SOURCES += \
	%D%/device/cuda/kernels.cu %D%/device/cuda/kernels.h \
	%D%/device/cuda/kernels_common.cuh \
	%D%/device/cuda/kernels_pool.cu \
	%D%/device/cuda/kernels_reduce.cuh \
	%D%/device/cuda/kernels_step.cu
libtrainer_a_SOURCES += \
	%D%/device/cuda/gpu/gpu_calls.c \
	%D%/device/cuda/gpu/gpu_executor.c \
	%D%/device/cuda/gpu/gpu_internal.h \
	%D%/device/cuda/gpu/gpu_memory.c \
	%D%/device/cuda/gpu/gpu_open.c \
	%D%/device/cuda/gpu/gpu_staging.c \
	%D%/device/cuda/gpu/gpu_tune.c
# cuDNN is loaded when a GPU is to be used: only its place is set here.
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
-include %D%/device/cuda/$(DEPDIR)/*.cu.d

clean-local: clean-cuda
clean-cuda:
	-rm -f %D%/device/cuda/*.o %D%/device/cuda/$(DEPDIR)/*.cu.d
.PHONY: clean-cuda

TRAINER_LIBS += libcommon.a $(JSON_C_LIBS) $(DNNL_LDFLAGS) $(DNNL_LIBS) \
	$(OPENMP_CFLAGS) -lm

# The program's own parts: communication, images, the log.
noinst_LIBRARIES += libtrain.a
libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
libtrain_a_SOURCES = \
	%D%/base/host_state.c %D%/base/host_state.h

libtrain_a_SOURCES += \
	%D%/graph/fusion_plan.c %D%/graph/fusion_plan.h
libtrain_a_SOURCES += \
	%D%/device/host_staging.c %D%/device/host_staging.h
libtrain_a_SOURCES += \
	%D%/comm/comm.c %D%/comm/comm.h \
	%D%/comm/comm_gloo.c \
	%D%/comm/comm_mpi.c \
	%D%/comm/comm_nccl.c \
	%D%/comm/gloo_shim.h \
	%D%/comm/launcher_env.c %D%/comm/launcher_env.h \
	%D%/comm/rendezvous.c %D%/comm/rendezvous.h \
	%D%/comm/watchdog.c %D%/comm/watchdog.h
libtrain_a_SOURCES += \
	%D%/sync/collective_trace.c %D%/sync/collective_trace.h \
	%D%/sync/gradient_reducer.c %D%/sync/gradient_reducer.h
libtrain_a_SOURCES += \
	%D%/tune/horovod_tuner.c %D%/tune/horovod_tuner.h \
	%D%/tune/plan_model.c %D%/tune/plan_model.h
libtrain_a_SOURCES += \
	%D%/run/meters/meter.c %D%/run/meters/meter.h
libtrain_a_SOURCES += \
	%D%/run/options/options_check.c \
	%D%/run/options/options_table.c %D%/run/options/options_table.h
libtrain_a_SOURCES += \
	%D%/run/checkpoint.c %D%/run/checkpoint.h \
	%D%/run/epoch.c \
	%D%/run/train.c %D%/run/train.h \
	%D%/run/train_fusion.c
TRAIN_LIBS = libtrain.a $(DATA_LIBS) $(MPI_LIBS) $(XXHASH_LIBS) \
	$(NCCL_LDFLAGS) $(CUDA_LDFLAGS) $(CUDA_LIBS)

# Gloo is C++; in a library it is, programs are still linked as C.
if HAVE_GLOO
libtrain_a_SOURCES += %D%/comm/gloo_shim.cc
libtrain_a_CXXFLAGS = $(AM_CXXFLAGS) -std=c++17
libtrain_a_CPPFLAGS += $(GLOO_CPPFLAGS)
TRAIN_LIBS += $(GLOO_LDFLAGS) $(GLOO_LIBS)
endif

bin_PROGRAMS += train_imagenet
train_imagenet_SOURCES = %D%/run/main.c
train_imagenet_LDADD = $(TRAIN_LIBS)
