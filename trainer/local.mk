# The engine of train_imagenet: models, networks, devices.
noinst_LIBRARIES += libtrainer.a
libtrainer_a_CPPFLAGS = $(AM_CPPFLAGS) $(DNNL_CPPFLAGS)
libtrainer_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
libtrainer_a_SOURCES = \
	%D%/device/memory_plan.c %D%/device/memory_plan.h \
	%D%/device/cuda/program_builder.c %D%/device/cuda/program_builder.h \
	%D%/device/cuda/cuda_checks.c %D%/device/cuda/cuda_checks.h \
	%D%/device/cuda/cuda_device.c \
	%D%/device/cuda/grid.h \
	%D%/device/cuda/engine_cache.c %D%/device/cuda/engine_cache.h \
	%D%/device/cuda/loss_scale.h \
	%D%/device/cuda/executor.h \
	%D%/device/cuda/fused_ops.c %D%/device/cuda/fused_ops.h \
	%D%/device/cuda/program.c %D%/device/cuda/program.h \
	%D%/device/cuda/program_backward.c \
	%D%/device/cuda/program_forward.c \
	%D%/device/cuda/step_queue.c %D%/device/cuda/step_queue.h \
	%D%/device/cuda/weight_piece.h \
	%D%/device/cuda/call_times.c %D%/device/cuda/call_times.h \
	%D%/device/cuda/roof_table.c \
	%D%/device/cuda/engine_tuner.c %D%/device/cuda/engine_tuner.h \
	%D%/device/device.c %D%/device/device.h %D%/device/device_list.h \
	%D%/graph/graph.c %D%/graph/graph.h \
	%D%/base/isa.h \
	%D%/base/shared_library.c %D%/base/shared_library.h \
	%D%/device/loss.c %D%/device/loss.h \
	%D%/graph/model.c %D%/graph/model.h \
	%D%/device/network.c %D%/device/network.h \
	%D%/base/parallel.c %D%/base/parallel.h \
	%D%/base/philox.h \
	%D%/base/pixel.h \
	%D%/device/reference/reference.c %D%/device/reference/reference.h \
	%D%/device/reference/reference_device.h %D%/device/reference/reference_kernels.h \
	%D%/device/reference/reference_fp32.c %D%/device/reference/reference_fp64.c \
	%D%/base/rng.c %D%/base/rng.h \
	%D%/base/tensor.c %D%/base/tensor.h

# What a program that uses the engine links with.
TRAINER_LIBS = libtrainer.a

# The cpu device's kernels, one library for each set of instructions; the
# vectors are cut to the processor's, so their calling convention is
# theirs alone.
if HAVE_DNNL
libtrainer_a_SOURCES += \
	%D%/device/cpu/cpu.c %D%/device/cpu/cpu.h \
	%D%/device/cpu/cpu_conv.c \
	%D%/device/cpu/cpu_fuse.c \
	%D%/device/cpu/cpu_norm.c \
	%D%/device/cpu/cpu_onednn.c %D%/device/cpu/cpu_onednn.h \
	%D%/device/cpu/cpu_kinds.c \
	%D%/device/cpu/cpu_ops.c \
	%D%/device/cpu/cpu_plan.c \
	%D%/device/cpu/cpu_values.c
KERNEL_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -Wno-psabi
noinst_LIBRARIES += libkernels_plain.a
libkernels_plain_a_CFLAGS = $(KERNEL_CFLAGS)
libkernels_plain_a_SOURCES = \
	%D%/device/cpu/cpu_kernels.c %D%/device/cpu/cpu_kernels.h \
	%D%/device/cpu/cpu_kernels_list.h %D%/device/cpu/cpu_kernels_template.h \
	%D%/device/cpu/cpu_kernels_plain.c \
	%D%/device/cpu/cpu_vector.h
TRAINER_LIBS += libkernels_plain.a
if HAVE_X86_FLAGS
noinst_LIBRARIES += libkernels_avx2.a libkernels_avx512.a
libkernels_avx2_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX2_FLAGS)
libkernels_avx2_a_SOURCES = %D%/device/cpu/cpu_kernels_avx2.c
libkernels_avx512_a_CFLAGS = $(KERNEL_CFLAGS) $(AVX512_FLAGS)
libkernels_avx512_a_SOURCES = %D%/device/cpu/cpu_kernels_avx512.c
TRAINER_LIBS += libkernels_avx2.a libkernels_avx512.a
endif
if HAVE_AMX_FLAGS
libtrainer_a_SOURCES += \
	%D%/device/cpu/amx_conv.c %D%/device/cpu/amx_conv.h \
	%D%/device/cpu/amx_gather.c \
	%D%/device/cpu/amx_gram.c \
	%D%/device/cpu/amx_weights.c \
	%D%/device/cpu/cpu_stream.c %D%/device/cpu/cpu_stream.h
noinst_LIBRARIES += libkernels_amx.a
libkernels_amx_a_CFLAGS = $(KERNEL_CFLAGS) $(AMX_FLAGS)
libkernels_amx_a_SOURCES = %D%/device/cpu/amx.c %D%/device/cpu/amx.h
TRAINER_LIBS += libkernels_amx.a
endif
endif

# The cuda device.
if HAVE_CUDNN
libtrainer_a_CPPFLAGS += $(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS)
libtrainer_a_SOURCES += \
	%D%/device/cuda/cudnn_graph.c %D%/device/cuda/cudnn_graph.h \
	%D%/device/cuda/cudnn_library.c %D%/device/cuda/cudnn_library.h \
	%D%/device/cuda/gpu_executor.c %D%/device/cuda/gpu_internal.h \
	%D%/device/cuda/gpu_bind.c \
	%D%/device/cuda/gpu_conv.c \
	%D%/device/cuda/gpu_phase_times.c \
	%D%/device/cuda/gpu_upload.c \
	%D%/device/cuda/gpu_memory.c \
	%D%/device/cuda/gpu_open.c \
	%D%/device/cuda/gpu_step.c \
	%D%/device/cuda/gpu_tune.c \
	%D%/device/cuda/kernels.cu %D%/device/cuda/kernels.h \
	%D%/device/cuda/kernels_common.cuh %D%/device/cuda/kernels_step.cu \
	%D%/device/cuda/kernels_pool.cu %D%/device/cuda/kernels_reduce.cuh \
	%D%/device/cuda/gpu_staging.c
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

TRAINER_LIBS += libcommon.a $(DNNL_LDFLAGS) $(DNNL_LIBS) $(OPENMP_CFLAGS) -lm

# The program's own parts: communication, images, the log.
noinst_LIBRARIES += libtrain.a
libtrain_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(CUDA_CPPFLAGS) $(NCCL_CPPFLAGS)
libtrain_a_SOURCES = \
	%D%/graph/fusion_plan.c %D%/graph/fusion_plan.h \
	%D%/sync/gradient_codec.c %D%/sync/gradient_codec.h \
	%D%/tune/gaussian_process.c %D%/tune/gaussian_process.h \
	%D%/tune/horovod_tuner.c %D%/tune/horovod_tuner.h \
	%D%/tune/minimize.c %D%/tune/minimize.h \
	%D%/tune/plan_model.c %D%/tune/plan_model.h \
	%D%/tune/plan_tuner.c %D%/tune/plan_tuner.h \
	%D%/run/autotune.c %D%/run/autotune.h \
	%D%/run/autotune_model.c %D%/run/autotune_model.h \
	%D%/run/checkpoint.c %D%/run/checkpoint.h \
	%D%/run/checkpoint_fields.c %D%/run/checkpoint_fields.h \
	%D%/base/clock.c %D%/base/clock.h \
	%D%/comm/comm.c %D%/comm/comm.h \
	%D%/comm/comm_gloo.c \
	%D%/comm/comm_host.c \
	%D%/comm/comm_mpi.c \
	%D%/comm/comm_nccl.c \
	%D%/comm/comm_open.c \
	%D%/comm/comm_self.c \
	%D%/sync/fp16_worker.c %D%/sync/fp16_worker.h \
	%D%/run/epoch.c \
	%D%/comm/rendezvous.c %D%/comm/rendezvous.h \
	%D%/comm/socket_address.c %D%/comm/socket_address.h \
	%D%/comm/gloo_shim.h \
	%D%/base/half_float.c %D%/base/half_float.h \
	%D%/comm/heartbeat.c %D%/comm/heartbeat.h \
	%D%/run/gpu_choice.c %D%/run/gpu_choice.h \
	%D%/comm/launcher_env.c %D%/comm/launcher_env.h \
	%D%/comm/launcher_hosts.c %D%/comm/launcher_hosts.h \
	%D%/run/logger.c %D%/run/logger.h \
	%D%/run/meter.c %D%/run/meter.h \
	%D%/comm/mpi_ring.c %D%/comm/mpi_ring.h \
	%D%/sync/coordinator.c %D%/sync/coordinator.h \
	%D%/run/options_table.c %D%/run/options_table.h \
	%D%/run/phases.c %D%/run/phases.h \
	%D%/run/example_options.c %D%/run/example_options.h \
	%D%/run/file_roles.c %D%/run/file_roles.h \
	%D%/run/fusion_options.c %D%/run/fusion_options.h \
	%D%/run/free_memory.c %D%/run/free_memory.h \
	%D%/sync/gradient_reducer.c %D%/sync/gradient_reducer.h \
	%D%/run/run_report.c %D%/run/run_report.h \
	%D%/run/process_times.c %D%/run/process_times.h \
	%D%/run/run_means.c %D%/run/run_means.h \
	%D%/run/resume.c %D%/run/resume.h \
	%D%/run/signals.c %D%/run/signals.h \
	%D%/data/image_source.c %D%/data/image_source.h \
	%D%/device/host_staging.c %D%/device/host_staging.h \
	%D%/sync/timeline_writer.c %D%/sync/timeline_writer.h \
	%D%/sync/collective_trace.c %D%/sync/collective_trace.h \
	%D%/run/net_counters.c %D%/run/net_counters.h \
	%D%/run/train.c %D%/run/train.h \
	%D%/run/train_share.c \
	%D%/run/train_fusion.c \
	%D%/run/train_device_allreduce.c \
	%D%/comm/watchdog.c %D%/comm/watchdog.h
TRAIN_LIBS = libtrain.a $(DATA_LIBS) $(MPI_LIBS) $(XXHASH_LIBS) \
	$(NCCL_LDFLAGS) $(CUDA_LDFLAGS) $(CUDA_LIBS)

if HAVE_NCCL
libtrain_a_SOURCES += %D%/comm/nccl_library.c %D%/comm/nccl_library.h
endif

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
