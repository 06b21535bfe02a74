# Every test speaks TAP; one driver reads them all.
TEST_EXTENSIONS = .sh .mpi
TAP = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP)
SH_LOG_DRIVER = $(TAP)
MPI_LOG_DRIVER = $(TAP)
MPI_LOG_COMPILER = $(builddir)/tests/run-mpi
# A test that hangs is ended, and so fails by its name, after so many seconds;
# the longest take about 200.
TEST_SECONDS = 900
LIMITED = timeout -k 10 $(TEST_SECONDS)
LOG_COMPILER = $(LIMITED)
SH_LOG_COMPILER = $(LIMITED) $(SHELL)
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C; TZ=UTC; bindir='$(abs_builddir)'; \
	top_srcdir='$(abs_top_srcdir)'; PROGRAMS='$(bin_PROGRAMS)'; \
	FUZZ_TARGETS='$(fuzz_targets)'; \
	DLSCALE_FORMAT_PATH='$(abs_top_srcdir)/extract/formats:$(abs_top_srcdir)/extract/layouts'; \
	XDG_CONFIG_HOME=/nonexistent; PYTHONDONTWRITEBYTECODE=1; \
	export LC_ALL TZ bindir top_srcdir PROGRAMS FUZZ_TARGETS \
	DLSCALE_FORMAT_PATH XDG_CONFIG_HOME PYTHONDONTWRITEBYTECODE;

# The longest scripts go first, so that none of them runs alone at the end.
TESTS += %D%/e2e/train.sh %D%/e2e/allreduce.sh %D%/e2e/experiments.sh \
	%D%/e2e/resume.sh %D%/e2e/converge_fp16.sh %D%/e2e/backends.sh \
	%D%/e2e/autotune.sh %D%/e2e/watchdog.sh %D%/e2e/page.sh \
	%D%/e2e/comm_trace.sh %D%/e2e/faults.sh %D%/cli/check_and_bench.sh \
	%D%/e2e/slurm.sh %D%/fuzz/replay.sh %D%/e2e/parity.sh \
	%D%/e2e/converge.sh %D%/e2e/chain.sh %D%/e2e/data_time.sh \
	%D%/e2e/bad_images.sh %D%/e2e/launch_mpi.sh %D%/e2e/netns.sh

check_LIBRARIES += libtap.a
libtap_a_SOURCES = %D%/tap.c %D%/tap.h %D%/files.c %D%/files.h %D%/golden.c \
	%D%/golden.h
UNIT_LIBS = libtap.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm

# The longest first here, too.
unit_tests = tests/unit/test_parity
tests_unit_test_parity_SOURCES = %D%/unit/test_parity.c
tests_unit_test_parity_LDADD = libtap.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_line_time
tests_unit_test_line_time_SOURCES = %D%/unit/test_line_time.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_line_time_LDADD = libtap.a $(EXTRACT_LIBS)

unit_tests += tests/unit/test_error
tests_unit_test_error_SOURCES = %D%/unit/test_error.c
tests_unit_test_error_LDADD = $(UNIT_LIBS)

unit_tests += tests/unit/test_units
tests_unit_test_units_SOURCES = %D%/unit/test_units.c
tests_unit_test_units_LDADD = $(UNIT_LIBS)
# Pictures.
unit_tests += tests/unit/test_loader_order
tests_unit_test_loader_order_SOURCES = %D%/unit/test_loader_order.c
tests_unit_test_loader_order_LDADD = libtap.a $(DATA_LIBS)
check_LIBRARIES += libimages.a
libimages_a_CPPFLAGS = $(AM_CPPFLAGS) $(JPEG_CPPFLAGS) $(PNG_CPPFLAGS)
libimages_a_SOURCES = %D%/encode.c %D%/images.c %D%/images.h
IMAGE_LIBS = libtap.a libimages.a $(DATA_LIBS)
unit_tests += tests/unit/test_decode
tests_unit_test_decode_SOURCES = %D%/unit/test_decode.c
tests_unit_test_decode_LDADD = $(IMAGE_LIBS)
unit_tests += tests/unit/test_resize
tests_unit_test_resize_SOURCES = %D%/unit/test_resize.c
tests_unit_test_resize_LDADD = $(IMAGE_LIBS)
unit_tests += tests/unit/test_dataset
tests_unit_test_dataset_SOURCES = %D%/unit/test_dataset.c
tests_unit_test_dataset_LDADD = $(IMAGE_LIBS)
unit_tests += tests/unit/test_batches
tests_unit_test_batches_SOURCES = %D%/unit/test_batches.c
tests_unit_test_batches_LDADD = $(IMAGE_LIBS)
unit_tests += tests/unit/test_toy
tests_unit_test_toy_SOURCES = %D%/unit/test_toy.c trainer/tools/toy.c
tests_unit_test_toy_LDADD = $(IMAGE_LIBS)
EXTRA_PROGRAMS += tests/e2e/dump_images
CLEANFILES += tests/e2e/dump_images
tests/e2e/images.log: tests/e2e/dump_images$(EXEEXT) tests/peak$(EXEEXT)
tests_e2e_dump_images_SOURCES = %D%/e2e/dump_images.c
tests_e2e_dump_images_LDADD = $(IMAGE_LIBS)
TESTS += %D%/e2e/images.sh
EXTRA_DIST += %D%/e2e/bad_images.sh
EXTRA_DIST += %D%/e2e/images.sh %D%/e2e/images.py %D%/e2e/odd_images.py
EXTRA_PROGRAMS += tests/bench/bench_data
tests_bench_bench_data_SOURCES = %D%/bench/bench_data.c
tests_bench_bench_data_LDADD = $(IMAGE_LIBS)
BENCH_BINARIES += tests/bench/bench_data
BENCHES += tests/bench/bench_data tests/bench/bench_loaders.sh
EXTRA_DIST += %D%/bench/bench_loaders.sh %D%/bench/bench_loaders.py
EXTRA_DIST += %D%/bench/loader_step.py
unit_tests += tests/unit/test_stats
tests_unit_test_stats_SOURCES = %D%/unit/test_stats.c
tests_unit_test_stats_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_rank_test
tests_unit_test_rank_test_SOURCES = %D%/unit/test_rank_test.c
tests_unit_test_rank_test_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_distribution
tests_unit_test_distribution_SOURCES = %D%/unit/test_distribution.c
tests_unit_test_distribution_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_change_points
tests_unit_test_change_points_SOURCES = %D%/unit/test_change_points.c
tests_unit_test_change_points_LDADD = libtap.a libcommon.a -lm
unit_tests += tests/unit/test_settled
tests_unit_test_settled_SOURCES = %D%/unit/test_settled.c
tests_unit_test_settled_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_statistics
tests_unit_test_statistics_SOURCES = %D%/unit/test_statistics.c
tests_unit_test_statistics_LDADD = $(UNIT_LIBS)

unit_tests += tests/unit/test_sample_size
tests_unit_test_sample_size_SOURCES = %D%/unit/test_sample_size.c
tests_unit_test_sample_size_LDADD = $(UNIT_LIBS)

unit_tests += tests/unit/test_model
tests_unit_test_model_SOURCES = %D%/unit/test_model.c
tests_unit_test_model_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_gradient
tests_unit_test_gradient_SOURCES = %D%/unit/test_gradient.c
tests_unit_test_gradient_LDADD = libtap.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_hash_index
tests_unit_test_hash_index_SOURCES = %D%/unit/test_hash_index.c
tests_unit_test_hash_index_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_strbuf
tests_unit_test_strbuf_SOURCES = %D%/unit/test_strbuf.c
tests_unit_test_strbuf_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_arena
tests_unit_test_arena_SOURCES = %D%/unit/test_arena.c
tests_unit_test_arena_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_outfile
tests_unit_test_outfile_SOURCES = %D%/unit/test_outfile.c
tests_unit_test_outfile_LDADD = $(UNIT_LIBS)

unit_tests += tests/unit/test_json
tests_unit_test_json_SOURCES = %D%/unit/test_json.c
tests_unit_test_json_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_dlperf_published
tests_unit_test_dlperf_published_SOURCES = \
	%D%/unit/test_dlperf_published.c
tests_unit_test_dlperf_published_LDADD = $(UNIT_LIBS)

unit_tests += tests/unit/test_run_means
tests_unit_test_run_means_SOURCES = %D%/unit/test_run_means.c
tests_unit_test_run_means_LDADD = libtap.a $(TRAIN_LIBS)

unit_tests += tests/unit/test_meter
tests_unit_test_meter_SOURCES = %D%/unit/test_meter.c
tests_unit_test_meter_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_phases
tests_unit_test_phases_SOURCES = %D%/unit/test_phases.c
tests_unit_test_phases_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_loader_source
tests_unit_test_loader_source_SOURCES = %D%/unit/test_loader_source.c
tests_unit_test_loader_source_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_fusion_plan
tests_unit_test_fusion_plan_SOURCES = %D%/unit/test_fusion_plan.c
tests_unit_test_fusion_plan_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_plan_model
tests_unit_test_plan_model_SOURCES = %D%/unit/test_plan_model.c
tests_unit_test_plan_model_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_host_state_wait
tests_unit_test_host_state_wait_SOURCES = %D%/unit/test_host_state_wait.c
tests_unit_test_host_state_wait_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_host_state_quota
tests_unit_test_host_state_quota_SOURCES = %D%/unit/test_host_state_quota.c
tests_unit_test_host_state_quota_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_train_fusion
tests_unit_test_train_fusion_SOURCES = %D%/unit/test_train_fusion.c
tests_unit_test_train_fusion_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_plan_tuner
tests_unit_test_plan_tuner_SOURCES = %D%/unit/test_plan_tuner.c
tests_unit_test_plan_tuner_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_gaussian_process
tests_unit_test_gaussian_process_SOURCES = %D%/unit/test_gaussian_process.c
tests_unit_test_gaussian_process_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_horovod_tuner
tests_unit_test_horovod_tuner_SOURCES = %D%/unit/test_horovod_tuner.c
tests_unit_test_horovod_tuner_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_sha256
tests_unit_test_sha256_SOURCES = %D%/unit/test_sha256.c
tests_unit_test_sha256_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_machine_info
tests_unit_test_machine_info_SOURCES = %D%/unit/test_machine_info.c
tests_unit_test_machine_info_LDADD = libtrainer.a $(UNIT_LIBS)
unit_tests += tests/unit/test_sessions
tests_unit_test_sessions_SOURCES = %D%/unit/test_sessions.c
tests_unit_test_sessions_LDADD = libtap.a libreport.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
unit_tests += tests/unit/test_coverage
tests_unit_test_coverage_SOURCES = %D%/unit/test_coverage.c
tests_unit_test_coverage_LDADD = libtap.a libreport.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
LONG_TESTS += tests/coverage_long.sh
EXTRA_DIST += %D%/coverage_long.sh %D%/audit_rates.py
unit_tests += tests/unit/test_many_cases
tests_unit_test_many_cases_SOURCES = %D%/unit/test_many_cases.c
tests_unit_test_many_cases_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_spell
tests_unit_test_spell_SOURCES = %D%/unit/test_spell.c
tests_unit_test_spell_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_signals
tests_unit_test_signals_SOURCES = %D%/unit/test_signals.c
tests_unit_test_signals_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_host_state_memory
tests_unit_test_host_state_memory_SOURCES = %D%/unit/test_host_state_memory.c
tests_unit_test_host_state_memory_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_checkpoint
tests_unit_test_checkpoint_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_unit_test_checkpoint_SOURCES = %D%/unit/test_checkpoint.c
tests_unit_test_checkpoint_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_example_options
tests_unit_test_example_options_SOURCES = %D%/unit/test_example_options.c
tests_unit_test_example_options_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_logger
tests_unit_test_logger_SOURCES = %D%/unit/test_logger.c
tests_unit_test_logger_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_options_check_gpus
tests_unit_test_options_check_gpus_SOURCES = %D%/unit/test_options_check_gpus.c
tests_unit_test_options_check_gpus_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_host_staging
tests_unit_test_host_staging_SOURCES = %D%/unit/test_host_staging.c \
	%D%/host_staging_memory.c %D%/host_staging_memory.h
tests_unit_test_host_staging_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_gradient_reducer
tests_unit_test_gradient_reducer_SOURCES = %D%/unit/test_gradient_reducer.c
tests_unit_test_gradient_reducer_LDADD = libtap.a $(TRAIN_LIBS)

unit_tests += tests/unit/test_remark
tests_unit_test_remark_SOURCES = %D%/unit/test_remark.c
tests_unit_test_remark_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_result
tests_unit_test_result_SOURCES = %D%/unit/test_result.c
tests_unit_test_result_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_format
tests_unit_test_format_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS)
tests_unit_test_format_SOURCES = %D%/unit/test_format.c
tests_unit_test_format_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_scan_file
tests_unit_test_scan_file_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
tests_unit_test_scan_file_SOURCES = %D%/unit/test_scan_file.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_scan_file_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_scan_many
tests_unit_test_scan_many_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
tests_unit_test_scan_many_SOURCES = %D%/unit/test_scan_many.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_scan_many_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_scan_files
tests_unit_test_scan_files_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) \
	$(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
tests_unit_test_scan_files_SOURCES = %D%/unit/test_scan_files.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_scan_files_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_byte_source
tests_unit_test_byte_source_SOURCES = %D%/unit/test_byte_source.c
tests_unit_test_byte_source_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_setting
tests_unit_test_setting_SOURCES = %D%/unit/test_setting.c
tests_unit_test_setting_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_stated_settings
tests_unit_test_stated_settings_SOURCES = %D%/unit/test_stated_settings.c
tests_unit_test_stated_settings_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_lines
tests_unit_test_lines_SOURCES = %D%/unit/test_lines.c
tests_unit_test_lines_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_line_template
tests_unit_test_line_template_SOURCES = %D%/unit/test_line_template.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_line_template_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_detect
tests_unit_test_detect_SOURCES = %D%/unit/test_detect.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_detect_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_format_self_test
tests_unit_test_format_self_test_SOURCES = %D%/unit/test_format_self_test.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_format_self_test_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_scan_emit
tests_unit_test_scan_emit_SOURCES = %D%/unit/test_scan_emit.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_scan_emit_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_scanner_state
tests_unit_test_scanner_state_SOURCES = %D%/unit/test_scanner_state.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_scanner_state_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_line_types
tests_unit_test_line_types_SOURCES = %D%/unit/test_line_types.c
tests_unit_test_line_types_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_command_line
tests_unit_test_command_line_SOURCES = %D%/unit/test_command_line.c
tests_unit_test_command_line_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_run_path
tests_unit_test_run_path_SOURCES = %D%/unit/test_run_path.c
tests_unit_test_run_path_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_path_layout
tests_unit_test_path_layout_SOURCES = %D%/unit/test_path_layout.c
tests_unit_test_path_layout_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_path_template
tests_unit_test_path_template_SOURCES = %D%/unit/test_path_template.c
tests_unit_test_path_template_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_model_flop
tests_unit_test_model_flop_SOURCES = %D%/unit/test_model_flop.c
tests_unit_test_model_flop_LDADD = libtap.a $(TRAINER_LIBS) $(EXTRACT_LIBS)
unit_tests += tests/unit/test_run_phases
tests_unit_test_run_phases_SOURCES = %D%/unit/test_run_phases.c
tests_unit_test_run_phases_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_run_metrics
tests_unit_test_run_metrics_SOURCES = %D%/unit/test_run_metrics.c
tests_unit_test_run_metrics_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_power_file
tests_unit_test_power_file_SOURCES = %D%/unit/test_power_file.c
tests_unit_test_power_file_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_metadata_digits
tests_unit_test_metadata_digits_SOURCES = %D%/unit/test_metadata_digits.c
tests_unit_test_metadata_digits_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_metadata_map
tests_unit_test_metadata_map_SOURCES = %D%/unit/test_metadata_map.c
tests_unit_test_metadata_map_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_object_pattern
tests_unit_test_object_pattern_SOURCES = %D%/unit/test_object_pattern.c
tests_unit_test_object_pattern_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_profile_file
tests_unit_test_profile_file_SOURCES = %D%/unit/test_profile_file.c
tests_unit_test_profile_file_LDADD = libtap.a $(EXTRACT_LIBS)
EXTRA_DIST += %D%/data/profiles/make_profile.py %D%/data/profiles/make_nsight.py
unit_tests += tests/unit/test_wandb_file
tests_unit_test_wandb_file_SOURCES = %D%/unit/test_wandb_file.c
tests_unit_test_wandb_file_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_printed_unit
tests_unit_test_printed_unit_SOURCES = %D%/unit/test_printed_unit.c
tests_unit_test_printed_unit_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_records_encoding
tests_unit_test_records_encoding_SOURCES = %D%/unit/test_records_encoding.c
tests_unit_test_records_encoding_LDADD = libtap.a $(EXTRACT_LIBS)
EXTRA_DIST += %D%/data/stores/make_wandb.py \
	%D%/data/stores/run.expected %D%/data/stores/run.wandb
unit_tests += tests/unit/test_nsight_file
tests_unit_test_nsight_file_SOURCES = %D%/unit/test_nsight_file.c
tests_unit_test_nsight_file_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_event_file
tests_unit_test_event_file_SOURCES = %D%/unit/test_event_file.c
tests_unit_test_event_file_LDADD = libtap.a $(EXTRACT_LIBS)
EXTRA_DIST += %D%/data/events/make_events.py \
	%D%/data/events/again.tfevents %D%/data/events/before.tfevents \
	%D%/data/events/steps.expected %D%/data/events/steps.tfevents \
	%D%/data/events/values.expected %D%/data/events/values.tfevents
unit_tests += tests/unit/test_file_list
tests_unit_test_file_list_SOURCES = %D%/unit/test_file_list.c
tests_unit_test_file_list_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_table
tests_unit_test_table_SOURCES = %D%/unit/test_table.c
tests_unit_test_table_LDADD = $(UNIT_LIBS)

LOGS_BY_HAND = %D%/unit/logs.c %D%/unit/logs.h
unit_tests += tests/unit/test_records
tests_unit_test_records_SOURCES = %D%/unit/test_records.c
tests_unit_test_records_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_steps
tests_unit_test_steps_SOURCES = %D%/unit/test_steps.c $(LOGS_BY_HAND)
tests_unit_test_steps_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_restart
tests_unit_test_restart_SOURCES = %D%/unit/test_restart.c $(LOGS_BY_HAND)
tests_unit_test_restart_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_steps_order
tests_unit_test_steps_order_SOURCES = \
	%D%/unit/test_steps_order.c $(LOGS_BY_HAND)
tests_unit_test_steps_order_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_window
tests_unit_test_window_SOURCES = %D%/unit/test_window.c $(LOGS_BY_HAND)
tests_unit_test_window_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_measure_run
tests_unit_test_measure_run_SOURCES = %D%/unit/test_measure_run.c $(LOGS_BY_HAND)
tests_unit_test_measure_run_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_measure_work
tests_unit_test_measure_work_SOURCES = %D%/unit/test_measure_work.c $(LOGS_BY_HAND)
tests_unit_test_measure_work_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_horovod_timeline
tests_unit_test_horovod_timeline_SOURCES = %D%/unit/test_horovod_timeline.c
tests_unit_test_horovod_timeline_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_benchmark_tests
tests_unit_test_benchmark_tests_SOURCES = \
	%D%/unit/test_benchmark_tests.c $(LOGS_BY_HAND)
tests_unit_test_benchmark_tests_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_measure_summary
tests_unit_test_measure_summary_SOURCES = \
	%D%/unit/test_measure_summary.c $(LOGS_BY_HAND)
tests_unit_test_measure_summary_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_tuned_steps
tests_unit_test_tuned_steps_SOURCES = %D%/unit/test_tuned_steps.c $(LOGS_BY_HAND)
tests_unit_test_tuned_steps_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_audit
tests_unit_test_audit_SOURCES = %D%/unit/test_audit.c $(LOGS_BY_HAND)
tests_unit_test_audit_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_audit_rest
tests_unit_test_audit_rest_SOURCES = %D%/unit/test_audit_rest.c $(LOGS_BY_HAND)
tests_unit_test_audit_rest_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_progress
tests_unit_test_progress_SOURCES = %D%/unit/test_progress.c $(LOGS_BY_HAND)
tests_unit_test_progress_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_metadata
tests_unit_test_metadata_SOURCES = %D%/unit/test_metadata.c
tests_unit_test_metadata_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_dlperf_tables
tests_unit_test_dlperf_tables_SOURCES = %D%/unit/test_dlperf_tables.c
tests_unit_test_dlperf_tables_LDADD = libtap.a $(EXTRACT_LIBS)
tests_unit_test_dlperf_tables_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS)
unit_tests += tests/unit/test_case
EXTRA_DIST += %D%/unit/said.h %D%/store_pieces.h
tests_unit_test_case_SOURCES = %D%/unit/test_case.c %D%/unit/case_runs.h
tests_unit_test_case_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_case_flags
tests_unit_test_case_flags_SOURCES = %D%/unit/test_case_flags.c %D%/unit/case_runs.h
tests_unit_test_case_flags_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_case_failed
tests_unit_test_case_failed_SOURCES = %D%/unit/test_case_failed.c %D%/unit/case_runs.h
tests_unit_test_case_failed_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_case_baseline
tests_unit_test_case_baseline_SOURCES = %D%/unit/test_case_baseline.c %D%/unit/case_runs.h
tests_unit_test_case_baseline_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_published
tests_unit_test_published_SOURCES = %D%/unit/test_published.c
tests_unit_test_published_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_reference_values
tests_unit_test_reference_values_SOURCES = %D%/unit/test_reference_values.c
tests_unit_test_reference_values_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_series
tests_unit_test_series_SOURCES = %D%/unit/test_series.c
tests_unit_test_series_LDADD = $(UNIT_LIBS)
unit_tests += tests/unit/test_axis
tests_unit_test_axis_SOURCES = %D%/unit/test_axis.c
tests_unit_test_axis_LDADD = libtap.a libplots.a libcommon.a -lm
unit_tests += tests/unit/test_chart
tests_unit_test_chart_SOURCES = %D%/unit/test_chart.c
tests_unit_test_chart_LDADD = libtap.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_legend
tests_unit_test_legend_SOURCES = %D%/unit/test_legend.c
tests_unit_test_legend_LDADD = libtap.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_step_records
tests_unit_test_step_records_SOURCES = %D%/unit/test_step_records.c
tests_unit_test_step_records_LDADD = libtap.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
PREDICT_LIBS = libtap.a libpredict.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_predict
tests_unit_test_predict_SOURCES = %D%/unit/test_predict.c
tests_unit_test_predict_LDADD = $(PREDICT_LIBS)
unit_tests += tests/unit/test_predict_oracles
tests_unit_test_predict_oracles_SOURCES = %D%/unit/test_predict_oracles.c
tests_unit_test_predict_oracles_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS)
tests_unit_test_predict_oracles_LDADD = $(PREDICT_LIBS)
TESTS += %D%/e2e/predict_oracles.sh
EXTRA_DIST += %D%/e2e/predict_oracles.sh %D%/e2e/predict_oracles.py
# Predictions of our own trainer over shaped links, by hand on a quiet machine.
EXTRA_DIST += %D%/check_schema.py
EXTRA_DIST += %D%/bench/autotune.sh
EXTRA_DIST += %D%/bench/predict_trainer.sh %D%/bench/predict_trainer.py
unit_tests += tests/unit/test_result_comparison
tests_unit_test_result_comparison_SOURCES = \
	%D%/unit/test_result_comparison.c
tests_unit_test_result_comparison_LDADD = libtap.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_check
tests_unit_test_check_SOURCES = %D%/unit/test_check.c %D%/unit/check_findings.h
tests_unit_test_check_LDADD = libtap.a libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_check_against
tests_unit_test_check_against_SOURCES = %D%/unit/test_check_against.c %D%/unit/check_findings.h
tests_unit_test_check_against_LDADD = libtap.a libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_check_figures
tests_unit_test_check_figures_SOURCES = %D%/unit/test_check_figures.c %D%/unit/check_findings.h
tests_unit_test_check_figures_LDADD = libtap.a libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_report
tests_unit_test_report_SOURCES = %D%/unit/test_report.c
tests_unit_test_report_LDADD = libtap.a libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_history_file
tests_unit_test_history_file_SOURCES = %D%/unit/test_history_file.c
tests_unit_test_history_file_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CPPFLAGS)
tests_unit_test_history_file_LDFLAGS = $(AM_LDFLAGS) $(SQLITE_LDFLAGS)
tests_unit_test_history_file_LDADD = libtap.a libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
if HAVE_SQLITE
unit_tests += tests/unit/test_trend
endif
tests_unit_test_trend_SOURCES = %D%/unit/test_trend.c
tests_unit_test_trend_LDFLAGS = $(AM_LDFLAGS) $(SQLITE_LDFLAGS)
tests_unit_test_trend_LDADD = libtap.a libreport.a libplots.a libtrainer.a libcommon.a \
	$(SQLITE_LIBS) $(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_trend_noise
tests_unit_test_trend_noise_SOURCES = %D%/unit/test_trend_noise.c
tests_unit_test_trend_noise_LDFLAGS = $(AM_LDFLAGS) $(SQLITE_LDFLAGS)
tests_unit_test_trend_noise_LDADD = libtap.a libreport.a libcommon.a \
	$(SQLITE_LIBS) $(JSON_C_LIBS) $(PCRE2_LIBS) -lm
unit_tests += tests/unit/test_law
tests_unit_test_law_SOURCES = %D%/unit/test_law.c
tests_unit_test_law_LDADD = libtap.a libreport.a libplots.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
unit_tests += tests/unit/test_quote
tests_unit_test_quote_SOURCES = %D%/unit/test_quote.c
tests_unit_test_quote_LDADD = libtap.a libplots.a libcommon.a -lm

unit_tests += tests/unit/test_command_hostfile
tests_unit_test_command_hostfile_SOURCES = %D%/unit/test_command_hostfile.c
tests_unit_test_command_hostfile_LDADD = libtap.a $(LAUNCH_LIBS)
unit_tests += tests/unit/test_sweep
tests_unit_test_sweep_SOURCES = %D%/unit/test_sweep.c
tests_unit_test_sweep_LDADD = libtap.a $(LAUNCH_LIBS)

unit_tests += tests/unit/test_cpu_kernels
tests_unit_test_cpu_kernels_SOURCES = %D%/unit/test_cpu_kernels.c
tests_unit_test_cpu_kernels_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_bf16_grad
tests_unit_test_bf16_grad_SOURCES = %D%/unit/test_bf16_grad.c \
	%D%/unit/kernel_numbers.h
tests_unit_test_bf16_grad_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_linear
tests_unit_test_linear_SOURCES = %D%/unit/test_linear.c \
	%D%/unit/kernel_numbers.h
tests_unit_test_linear_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_winograd
tests_unit_test_winograd_SOURCES = %D%/unit/test_winograd.c \
	%D%/unit/kernel_numbers.h
tests_unit_test_winograd_LDADD = libtap.a $(TRAINER_LIBS)

KERNEL_ARRAYS = %D%/unit/kernel_arrays.c %D%/unit/kernel_arrays.h
unit_tests += tests/unit/test_panel_kernels
tests_unit_test_panel_kernels_SOURCES = %D%/unit/test_panel_kernels.c \
	$(KERNEL_ARRAYS)
tests_unit_test_panel_kernels_LDADD = libtap.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_plane_kernels
tests_unit_test_plane_kernels_SOURCES = %D%/unit/test_plane_kernels.c \
	$(KERNEL_ARRAYS)
tests_unit_test_plane_kernels_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_winograd_conv
tests_unit_test_winograd_conv_SOURCES = %D%/unit/test_winograd_conv.c \
	%D%/unit/kernel_numbers.h
tests_unit_test_winograd_conv_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cpu_times
tests_unit_test_cpu_times_SOURCES = %D%/unit/test_cpu_times.c
tests_unit_test_cpu_times_LDADD = libtap.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_cpu_roof
tests_unit_test_cpu_roof_SOURCES = %D%/unit/test_cpu_roof.c
tests_unit_test_cpu_roof_LDADD = libtap.a $(TRAINER_LIBS)
TESTS += %D%/cli/cpu_profile.sh
EXTRA_DIST += %D%/cli/cpu_profile.sh

unit_tests += tests/unit/test_large_image
tests_unit_test_large_image_SOURCES = %D%/unit/test_large_image.c
tests_unit_test_large_image_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_device
tests_unit_test_device_SOURCES = %D%/unit/test_device.c
tests_unit_test_device_LDADD = libtap.a $(TRAINER_LIBS)

# Ranks that meet, among strangers.
unit_tests += tests/unit/test_launcher_env_hosts
tests_unit_test_launcher_env_hosts_SOURCES = %D%/unit/test_launcher_env_hosts.c
tests_unit_test_launcher_env_hosts_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_socket_address
tests_unit_test_socket_address_SOURCES = %D%/unit/test_socket_address.c
tests_unit_test_socket_address_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_coordinator
tests_unit_test_coordinator_SOURCES = %D%/unit/test_coordinator.c
tests_unit_test_coordinator_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_launcher_env
tests_unit_test_launcher_env_SOURCES = %D%/unit/test_launcher_env.c
tests_unit_test_launcher_env_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_rendezvous
tests_unit_test_rendezvous_SOURCES = %D%/unit/test_rendezvous.c
tests_unit_test_rendezvous_LDADD = libtap.a $(TRAIN_LIBS)

# A collective that does not end.
unit_tests += tests/unit/test_machine_memory
tests_unit_test_machine_memory_SOURCES = %D%/unit/test_machine_memory.c
tests_unit_test_machine_memory_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_watchdog
tests_unit_test_watchdog_SOURCES = %D%/unit/test_watchdog.c
tests_unit_test_watchdog_LDADD = libtap.a $(TRAIN_LIBS)

unit_tests += tests/unit/test_gloo_shim
tests_unit_test_gloo_shim_SOURCES = %D%/unit/test_gloo_shim.c
tests_unit_test_gloo_shim_LDADD = libtap.a $(TRAIN_LIBS)

# What is reported of collectives.
unit_tests += tests/unit/test_collective_trace
tests_unit_test_collective_trace_SOURCES = %D%/unit/test_collective_trace.c
tests_unit_test_collective_trace_LDADD = libtap.a $(TRAIN_LIBS) libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS)

# What travels between ranks.
unit_tests += tests/unit/test_half_float
tests_unit_test_half_float_SOURCES = %D%/unit/test_half_float.c
tests_unit_test_half_float_LDADD = libtap.a $(TRAIN_LIBS)
unit_tests += tests/unit/test_gradient_codec
tests_unit_test_gradient_codec_SOURCES = %D%/unit/test_gradient_codec.c
tests_unit_test_gradient_codec_LDADD = libtap.a $(TRAIN_LIBS)

unit_tests += tests/unit/test_step_memory
tests_unit_test_step_memory_SOURCES = %D%/unit/test_step_memory.c
tests_unit_test_step_memory_LDADD = libtap.a $(TRAIN_LIBS)

# Tests are linked when they are run, so that one test costs one link: a test's
# log needs the test, and the log of a script what is said here.
EXTRA_PROGRAMS += $(unit_tests)
CLEANFILES += $(unit_tests)
TESTS += $(unit_tests)
# Run on two ranks by tests/run-mpi.
mpi_tests = tests/mpi/test_comm.mpi
tests_mpi_test_comm_mpi_SOURCES = %D%/mpi/test_comm.c \
	%D%/mpi/mpi_tap.c %D%/mpi/mpi_tap.h
tests_mpi_test_comm_mpi_LDADD = libtap.a $(TRAIN_LIBS)
mpi_tests += tests/mpi/test_train.mpi
tests_mpi_test_train_mpi_SOURCES = %D%/mpi/test_train.c \
	%D%/host_staging_memory.c %D%/host_staging_memory.h \
	%D%/mpi/mpi_tap.c %D%/mpi/mpi_tap.h
tests_mpi_test_train_mpi_LDADD = libtap.a $(TRAIN_LIBS)
if HAVE_NCCL
mpi_tests += tests/mpi/test_nccl.mpi
tests_mpi_test_nccl_mpi_SOURCES = %D%/mpi/test_nccl.c \
	%D%/mpi/mpi_tap.c %D%/mpi/mpi_tap.h
tests_mpi_test_nccl_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(NCCL_CPPFLAGS)
tests_mpi_test_nccl_mpi_LDFLAGS = $(AM_LDFLAGS) $(FIRST_WINS)
tests_mpi_test_nccl_mpi_LDADD = libtap.a $(TRAIN_LIBS)
endif
mpi_tests += tests/mpi/test_gradient_codec.mpi
tests_mpi_test_gradient_codec_mpi_SOURCES = %D%/mpi/test_gradient_codec.c \
	%D%/host_staging_memory.c %D%/host_staging_memory.h \
	%D%/mpi/mpi_tap.c %D%/mpi/mpi_tap.h
tests_mpi_test_gradient_codec_mpi_LDADD = libtap.a $(TRAIN_LIBS)
if HAVE_MPI
mpi_tests += tests/mpi/test_ring.mpi
tests_mpi_test_ring_mpi_SOURCES = %D%/mpi/test_ring.c \
	%D%/mpi/mpi_tap.c %D%/mpi/mpi_tap.h
tests_mpi_test_ring_mpi_LDADD = libtap.a $(TRAIN_LIBS)
endif
EXTRA_PROGRAMS += $(mpi_tests)
CLEANFILES += $(mpi_tests)
if HAVE_MPI
TESTS += $(mpi_tests)
endif
tests/e2e/backends.log: $(mpi_tests)
EXTRA_DIST += %D%/e2e/backends.sh
TESTS += %D%/e2e/train_files.sh
TESTS += %D%/e2e/example_options.sh
EXTRA_DIST += %D%/e2e/example_options.sh
TESTS += %D%/e2e/packages.sh
EXTRA_DIST += %D%/e2e/packages.sh
EXTRA_DIST += %D%/e2e/train_files.sh
EXTRA_DIST += %D%/e2e/allreduce.sh
EXTRA_DIST += %D%/e2e/autotune.sh
LONG_TESTS += tests/e2e/converge_fp16_long.sh
EXTRA_DIST += %D%/e2e/converge_fp16.sh %D%/e2e/converge_fp16_long.sh

cli_tests = tests/cli/detect.sh
cli_tests += tests/cli/faults.sh
cli_tests += tests/cli/written_read.sh
cli_tests += tests/cli/growth.sh
EXTRA_DIST += %D%/growth.py
cli_tests += tests/cli/resources.sh
cli_tests += tests/cli/nodes.sh
cli_tests += tests/cli/options.sh
cli_tests += tests/cli/readme.sh
cli_tests += tests/cli/documents.sh
cli_tests += tests/cli/formats_doc.sh
cli_tests += tests/cli/formats_work.sh
cli_tests += tests/cli/pairs.sh
cli_tests += tests/cli/collectives.sh
cli_tests += tests/cli/bars.sh
cli_tests += tests/cli/toy_images.sh
cli_tests += tests/cli/plot.sh
cli_tests += tests/cli/plot_scripts.sh
cli_tests += tests/cli/pictures.sh
cli_tests += tests/cli/gallery.sh
cli_tests += tests/cli/predict.sh
cli_tests += tests/cli/sweep.sh
cli_tests += tests/cli/launch.sh
cli_tests += tests/cli/compare.sh
cli_tests += tests/cli/check.sh
cli_tests += tests/cli/check_tables.sh
cli_tests += tests/cli/doubts.sh
cli_tests += tests/cli/gate.sh
cli_tests += tests/cli/history.sh
cli_tests += tests/cli/report.sh
cli_tests += tests/cli/report_environment.sh
cli_tests += tests/cli/latex.sh
cli_tests += tests/cli/table_metadata.sh
cli_tests += tests/cli/sentences.sh
cli_tests += tests/cli/report_details.sh
cli_tests += tests/cli/table_notes.sh
cli_tests += tests/cli/machine.sh
cli_tests += tests/cli/exports.sh
cli_tests += tests/cli/runs_table.sh
cli_tests += tests/cli/tables.sh
EXTRA_DIST += %D%/data/tables
cli_tests += tests/cli/run_metadata.sh
cli_tests += tests/cli/failed_runs.sh
cli_tests += tests/cli/seed_tables.sh
cli_tests += tests/cli/pivot.sh
cli_tests += tests/cli/shipped_logs.sh
cli_tests += tests/cli/environment.sh
cli_tests += tests/cli/ranks.sh
cli_tests += tests/cli/csv.sh
cli_tests += tests/cli/events.sh
cli_tests += tests/cli/select.sh
cli_tests += tests/cli/inference.sh
cli_tests += tests/cli/profiles.sh
cli_tests += tests/cli/nsight.sh
cli_tests += tests/cli/stores.sh
cli_tests += tests/cli/any_names.sh
cli_tests += tests/cli/convergence_doc.sh
cli_tests += tests/cli/extract.sh
cli_tests += tests/cli/formats.sh
cli_tests += tests/cli/compat_dlperf.sh
cli_tests += tests/cli/protocols.sh
cli_tests += tests/cli/reproduce.sh
cli_tests += tests/cli/accumulate.sh
cli_tests += tests/cli/hostile.sh
cli_tests += tests/cli/hostile_lines.sh
cli_tests += tests/cli/small_disk.sh
cli_tests += tests/cli/cuda_faults.sh
cli_tests += tests/cli/cuda_libraries.sh
cli_tests += tests/cli/cuda_emulated.sh
cli_tests += tests/cli/dlperf_scripts.sh
cli_tests += tests/cli/follow.sh
cli_tests += tests/cli/suggest.sh
cli_tests += tests/cli/paths.sh
cli_tests += tests/cli/metrics.sh
cli_tests += tests/cli/reinforcement.sh
cli_tests += tests/cli/model_flop.sh
cli_tests += tests/cli/settings.sh
cli_tests += tests/cli/power.sh
cli_tests += tests/cli/comm_results.sh
cli_tests += tests/cli/speedups.sh
cli_tests += tests/cli/counted_work.sh
cli_tests += tests/cli/work_units.sh
cli_tests += tests/cli/cases.sh
cli_tests += tests/cli/scopes.sh
cli_tests += tests/cli/confine.sh
cli_tests += tests/cli/outputs.sh
cli_tests += tests/cli/terminal.sh
cli_tests += tests/cli/golden.sh
cli_tests += tests/cli/hints.sh
cli_tests += tests/cli/means.sh
cli_tests += tests/cli/memory.sh
TESTS += $(cli_tests)

# extract_logs against other answers: its arithmetic written a second time, logs
# whose numbers are known.
TESTS += %D%/e2e/measure.sh %D%/corpus.sh
EXTRA_DIST += %D%/e2e/measure.sh %D%/e2e/measure.py %D%/corpus.sh
TESTS += %D%/e2e/truth.sh
LONG_TESTS += tests/e2e/truth_long.sh
EXTRA_DIST += %D%/e2e/truth.sh %D%/e2e/truth_long.sh %D%/e2e/truth.py
LONG_TESTS += tests/e2e/chain_long.sh
EXTRA_DIST += %D%/e2e/chain.sh %D%/e2e/chain_long.sh %D%/e2e/chain.py
EXTRA_DIST += %D%/e2e/expected.py %D%/e2e/dlperf_rule.py %D%/logs.sh \
	%D%/medians.sh
TESTS += %D%/e2e/corpus_report.sh %D%/e2e/jobs.sh
EXTRA_DIST += %D%/e2e/jobs.sh %D%/e2e/page.sh %D%/e2e/page.py
EXTRA_DIST += %D%/e2e/dlperf_scripts.py
EXTRA_DIST += %D%/e2e/corpus_report.sh %D%/e2e/corpus_report.py

# train_imagenet as a whole.
EXTRA_DIST += %D%/e2e/train.sh %D%/e2e/dlperf_reading.py %D%/golden/train
EXTRA_DIST += %D%/e2e/resume.sh %D%/e2e/faults.sh
TESTS += %D%/e2e/cpu_isa.sh %D%/e2e/machine_memory.sh
EXTRA_DIST += %D%/e2e/cpu_isa.sh %D%/e2e/machine_memory.sh

# What it prints of its communication.
EXTRA_DIST += %D%/e2e/comm_trace.sh %D%/e2e/watchdog.sh

# Whole networks against PyTorch; what it computed is in tests/data.
EXTRA_DIST += %D%/philox.py
EXTRA_DIST += %D%/e2e/parity.sh %D%/e2e/parity.py %D%/data/parity.txt

# It learns from images, and prints how long it waits for them.
LONG_TESTS += tests/e2e/converge_long.sh
LONG_TESTS += tests/e2e/checkpoint_long.sh
tests/e2e/checkpoint_long.log: tests/unit/test_checkpoint
EXTRA_DIST += %D%/e2e/checkpoint_long.sh
EXTRA_DIST += %D%/e2e/converge.sh %D%/e2e/data_time.sh
EXTRA_DIST += %D%/e2e/converge_long.sh %D%/e2e/torch_train.py

# Ranks, nodes and jobs of a Slurm, as far as the machine has them.
TESTS += %D%/e2e/retries.sh %D%/e2e/experiment_steps.sh
EXTRA_DIST += %D%/e2e/experiments.sh %D%/e2e/retries.sh \
	%D%/e2e/experiment_steps.sh
EXTRA_DIST += %D%/e2e/launch_mpi.sh %D%/e2e/netns.sh %D%/e2e/slurm.sh

EXTRA_DIST += %D%/cli/check_tables.py %D%/cli/exports.py \
	%D%/cli/machine.py %D%/cli/means.py %D%/cli/model_flop.py \
	%D%/cli/settings.py %D%/cli/text_boxes.py
EXTRA_DIST += %D%/lib.sh %D%/namespaces.sh %D%/processes.sh \
	%D%/torchrun.sh $(cli_tests) %D%/cli/data

# Calls of the C library that fail, to be preloaded by tests/cli/faults.sh.
check_DATA = tests/faults.so
tests/faults.so: tests/faults.c
	$(AM_V_CC)$(MKDIR_P) tests && \
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) -shared -fPIC -o $@ $(srcdir)/tests/faults.c -ldl
EXTRA_DIST += %D%/faults.c
CLEANFILES += tests/faults.so
# The trainer with a GPU that has faults, for tests/cli/cuda_faults.sh.  Where
# tests pretend functions of CUDA's runtime, which is one object, theirs win.
FIRST_WINS = -Wl,-z,muldefs
EXTRA_DIST += %D%/cuda_faults.c %D%/cuda_old_dnn.c
if HAVE_CUDNN
EXTRA_PROGRAMS += tests/train_cuda_faults
CLEANFILES += tests/train_cuda_faults
tests/cli/cuda_faults.log: tests/train_cuda_faults$(EXEEXT)
tests/cli/cuda_libraries.log: tests/train_cuda_faults$(EXEEXT)
tests_train_cuda_faults_SOURCES = trainer/run/main.c %D%/cuda_faults.c
tests_train_cuda_faults_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_train_cuda_faults_LDFLAGS = $(AM_LDFLAGS) $(FIRST_WINS)
tests_train_cuda_faults_LDADD = $(TRAIN_LIBS)
# CUDA and cuDNN on the CPU.  -u: what calls them is in libraries that are linked
# after them.
EXTRA_LIBRARIES = libemulatedgpu.a
libemulatedgpu_a_SOURCES = %D%/cuda_emulated_dnn.c %D%/cuda_emulator.cc \
	%D%/cuda_emulator.h
libemulatedgpu_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS)
EMULATED_FIRST = $(AM_LDFLAGS) $(FIRST_WINS) -Wl,-u,cudaMalloc \
	-Wl,-u,cudnn_library_open
# The trainer on an emulated GPU, for tests/cli/cuda_emulated.sh.
EXTRA_PROGRAMS += tests/train_cuda_emulated
CLEANFILES += tests/train_cuda_emulated
tests/cli/cuda_emulated.log: tests/train_cuda_emulated$(EXEEXT)
tests_train_cuda_emulated_SOURCES = trainer/run/main.c
tests_train_cuda_emulated_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_train_cuda_emulated_LDFLAGS = $(EMULATED_FIRST)
tests_train_cuda_emulated_LDADD = libemulatedgpu.a $(TRAIN_LIBS)
# A cuDNN that is too old, one that lacks a function, one without cuBLASLt.
UNUSABLE_DNN = tests/dnn_old/libcudnn.so.9 tests/dnn_poor/libcudnn.so.9 \
	tests/dnn_lone/libcudnn.so.9
check_DATA += $(UNUSABLE_DNN)
CLEANFILES += $(UNUSABLE_DNN)
$(UNUSABLE_DNN): tests/cuda_old_dnn.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && \
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) -D$(@D:tests/dnn_%=%) -shared -fPIC -o $@ \
	    $(srcdir)/tests/cuda_old_dnn.c
endif

# Fuzz targets: an ordinary build replays tests/fuzz/corpus/NAME in "make
# check"; with CC=clang --enable-fuzz they are libFuzzer programs.
check_LIBRARIES += libreplay.a
libreplay_a_SOURCES = %D%/fuzz/replay.c $(libmutators_a_SOURCES)
check_LIBRARIES += libmutators.a
libmutators_a_SOURCES = %D%/fuzz/mutators.c %D%/fuzz/mutators.h \
	%D%/fuzz/memory_file.c %D%/fuzz/memory_file.h \
	%D%/fuzz/round_trip.c %D%/fuzz/round_trip.h
if ENABLE_FUZZ
FUZZ_LINK = $(AM_LDFLAGS) -fsanitize=fuzzer
FUZZ_MAIN = libmutators.a
else
FUZZ_LINK = $(AM_LDFLAGS)
FUZZ_MAIN = libreplay.a
endif
FUZZ_LIBS = $(FUZZ_MAIN) libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm

fuzz_targets = tests/fuzz/fuzz_result
tests_fuzz_fuzz_result_SOURCES = %D%/fuzz/fuzz_result.c
tests_fuzz_fuzz_result_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_result_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_units
tests_fuzz_fuzz_units_SOURCES = %D%/fuzz/fuzz_units.c
tests_fuzz_fuzz_units_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_units_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_figures
tests_fuzz_fuzz_figures_SOURCES = %D%/fuzz/fuzz_figures.c
tests_fuzz_fuzz_figures_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_figures_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_published
tests_fuzz_fuzz_published_SOURCES = %D%/fuzz/fuzz_published.c
tests_fuzz_fuzz_published_LDADD = $(FUZZ_MAIN) libreport.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) -lm
tests_fuzz_fuzz_published_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_history
tests_fuzz_fuzz_history_SOURCES = %D%/fuzz/fuzz_history.c
tests_fuzz_fuzz_history_LDADD = $(FUZZ_MAIN) libreport.a libplots.a libtrainer.a libcommon.a \
	$(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
tests_fuzz_fuzz_history_LDFLAGS = $(FUZZ_LINK) $(SQLITE_LDFLAGS)
fuzz_targets += tests/fuzz/fuzz_sweep
tests_fuzz_fuzz_sweep_SOURCES = %D%/fuzz/fuzz_sweep.c
tests_fuzz_fuzz_sweep_LDADD = $(FUZZ_MAIN) $(LAUNCH_LIBS)
tests_fuzz_fuzz_sweep_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_image
tests_fuzz_fuzz_image_SOURCES = %D%/fuzz/fuzz_image.c
tests_fuzz_fuzz_image_LDADD = $(FUZZ_MAIN) $(DATA_LIBS)
tests_fuzz_fuzz_image_LDFLAGS = $(FUZZ_LINK)
# Writes the corpus of fuzz_image.
EXTRA_PROGRAMS += tests/fuzz/image_seeds
tests_fuzz_image_seeds_SOURCES = %D%/fuzz/image_seeds.c
tests_fuzz_image_seeds_LDADD = $(IMAGE_LIBS)
fuzz_targets += tests/fuzz/fuzz_format
tests_fuzz_fuzz_format_SOURCES = %D%/fuzz/fuzz_format.c
tests_fuzz_fuzz_format_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_format_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_event
tests_fuzz_fuzz_event_SOURCES = %D%/fuzz/fuzz_event.c
tests_fuzz_fuzz_event_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_event_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_wandb
tests_fuzz_fuzz_wandb_SOURCES = %D%/fuzz/fuzz_wandb.c
tests_fuzz_fuzz_wandb_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_wandb_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_store
tests_fuzz_fuzz_store_SOURCES = %D%/fuzz/fuzz_store.c
tests_fuzz_fuzz_store_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_store_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_profile
tests_fuzz_fuzz_profile_SOURCES = %D%/fuzz/fuzz_profile.c
tests_fuzz_fuzz_profile_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_profile_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_scan
tests_fuzz_fuzz_scan_SOURCES = %D%/fuzz/fuzz_scan.c
tests_fuzz_fuzz_scan_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_scan_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_layout
tests_fuzz_fuzz_layout_SOURCES = %D%/fuzz/fuzz_layout.c
tests_fuzz_fuzz_layout_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_layout_LDFLAGS = $(FUZZ_LINK)

fuzz_targets += tests/fuzz/fuzz_options
tests_fuzz_fuzz_options_SOURCES = %D%/fuzz/fuzz_options.c
tests_fuzz_fuzz_options_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_options_LDFLAGS = $(FUZZ_LINK)

fuzz_targets += tests/fuzz/fuzz_checkpoint
tests_fuzz_fuzz_checkpoint_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_fuzz_fuzz_checkpoint_SOURCES = %D%/fuzz/fuzz_checkpoint.c
tests_fuzz_fuzz_checkpoint_LDADD = $(FUZZ_MAIN) $(TRAIN_LIBS)
tests_fuzz_fuzz_checkpoint_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_rendezvous
tests_fuzz_fuzz_rendezvous_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_fuzz_fuzz_rendezvous_SOURCES = %D%/fuzz/fuzz_rendezvous.c
tests_fuzz_fuzz_rendezvous_LDADD = $(FUZZ_MAIN) $(TRAIN_LIBS)
tests_fuzz_fuzz_rendezvous_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_map
tests_fuzz_fuzz_map_SOURCES = %D%/fuzz/fuzz_map.c
tests_fuzz_fuzz_map_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_map_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_template
tests_fuzz_fuzz_template_SOURCES = %D%/fuzz/fuzz_template.c
tests_fuzz_fuzz_template_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_template_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_packed
tests_fuzz_fuzz_packed_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_fuzz_fuzz_packed_SOURCES = %D%/fuzz/fuzz_packed.c
tests_fuzz_fuzz_packed_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_packed_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_dlperf
tests_fuzz_fuzz_dlperf_SOURCES = %D%/fuzz/fuzz_dlperf.c
tests_fuzz_fuzz_dlperf_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_C_CFLAGS)
tests_fuzz_fuzz_dlperf_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_dlperf_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_log
tests_fuzz_fuzz_log_SOURCES = %D%/fuzz/fuzz_log.c
tests_fuzz_fuzz_log_LDADD = $(FUZZ_MAIN) $(EXTRACT_LIBS)
tests_fuzz_fuzz_log_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_records
tests_fuzz_fuzz_records_SOURCES = %D%/fuzz/fuzz_records.c
tests_fuzz_fuzz_records_LDADD = $(FUZZ_MAIN) libplots.a libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) -lm
tests_fuzz_fuzz_records_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_machine
tests_fuzz_fuzz_machine_SOURCES = %D%/fuzz/fuzz_machine.c
tests_fuzz_fuzz_machine_LDADD = $(FUZZ_MAIN) libreport.a libplots.a libtrainer.a \
	libcommon.a $(JSON_C_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) -lm
tests_fuzz_fuzz_machine_LDFLAGS = $(FUZZ_LINK) $(SQLITE_LDFLAGS)
fuzz_targets += tests/fuzz/fuzz_runlog
tests_fuzz_fuzz_runlog_SOURCES = %D%/fuzz/fuzz_runlog.c
tests_fuzz_fuzz_runlog_LDADD = $(FUZZ_MAIN) $(LAUNCH_LIBS)
tests_fuzz_fuzz_runlog_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_engines
tests_fuzz_fuzz_engines_SOURCES = %D%/fuzz/fuzz_engines.c
tests_fuzz_fuzz_engines_LDADD = $(FUZZ_MAIN) $(TRAINER_LIBS)
tests_fuzz_fuzz_engines_LDFLAGS = $(FUZZ_LINK)
fuzz_targets += tests/fuzz/fuzz_hosts
tests_fuzz_fuzz_hosts_SOURCES = %D%/fuzz/fuzz_hosts.c
tests_fuzz_fuzz_hosts_LDADD = $(FUZZ_MAIN) $(TRAIN_LIBS)
tests_fuzz_fuzz_hosts_LDFLAGS = $(FUZZ_LINK)

EXTRA_PROGRAMS += $(fuzz_targets)
CLEANFILES += $(fuzz_targets)
tests/fuzz/replay.log tests/fuzz/replay_long.log: $(fuzz_targets)
LONG_TESTS += tests/fuzz/replay_long.sh
LONG_TESTS += tests/cli/line_time_long.sh
EXTRA_DIST += %D%/cli/line_time_long.sh
LONG_TESTS += tests/cli/hostile_long.sh tests/cli/resources_long.sh
LONG_TESTS += tests/cli/growth_long.sh
EXTRA_DIST += %D%/cli/growth_long.sh
EXTRA_DIST += %D%/cli/resources_long.sh
EXTRA_DIST += %D%/mutate.py %D%/mutants.md
LONG_TESTS += tests/debian_long.sh tests/build_long.sh
EXTRA_DIST += %D%/debian_long.sh %D%/build_long.sh
EXTRA_DIST += %D%/cli/hostile_long.sh
EXTRA_DIST += %D%/fuzz/replay_long.sh
# All fuzz targets, FUZZ_SECONDS each.
.PHONY: fuzz-long
fuzz-long: $(fuzz_targets)
	$(SHELL) $(top_srcdir)/tests/fuzz/hunt.sh $(top_srcdir) $(fuzz_targets)
EXTRA_DIST += %D%/fuzz/hunt.sh
dist_check_SCRIPTS += %D%/fuzz/replay.sh
EXTRA_DIST += %D%/fuzz/corpus
EXTRA_DIST += %D%/golden
EXTRA_DIST += %D%/lib.sh

# Speed of a training step; run by "make bench" against PyTorch.
EXTRA_PROGRAMS += tests/bench/bench_train
BENCH_BINARIES += tests/bench/bench_train
BENCHES += tests/bench/bench_train.sh
tests_bench_bench_train_SOURCES = %D%/bench/bench_train.c
tests_bench_bench_train_LDADD = $(TRAINER_LIBS)
EXTRA_DIST += %D%/bench/bench_train.sh %D%/bench/torch_step.py
BENCHES += tests/bench/bench_ranks.sh
EXTRA_DIST += %D%/bench/bench_ranks.sh

EXTRA_PROGRAMS += tests/bench/bench_trace
BENCH_BINARIES += tests/bench/bench_trace
BENCHES += tests/bench/bench_trace
tests_bench_bench_trace_SOURCES = %D%/bench/bench_trace.c
tests_bench_bench_trace_LDADD = $(TRAIN_LIBS)

# Sums over a shaped link.
EXTRA_PROGRAMS += tests/bench/bench_comm
BENCH_BINARIES += tests/bench/bench_comm
BENCHES += tests/bench/bench_comm.sh
tests_bench_bench_comm_SOURCES = %D%/bench/bench_comm.c
tests_bench_bench_comm_LDADD = $(TRAIN_LIBS)
EXTRA_DIST += %D%/bench/bench_comm.sh
EXTRA_PROGRAMS += tests/bench/bench_replay
BENCH_BINARIES += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = %D%/bench/bench_replay.c
tests_bench_bench_replay_LDADD = $(TRAIN_LIBS)
EXTRA_DIST += %D%/bench/bench_replay.sh

BENCH_BINARIES += tests/bench/bench_scan
EXTRA_PROGRAMS += tests/bench/bench_scan
tests_bench_bench_scan_SOURCES = %D%/bench/bench_scan.c
tests_bench_bench_scan_LDADD = $(EXTRACT_LIBS)
BENCHES += tests/bench/bench_scan tests/bench/bench_extract.sh
EXTRA_DIST += %D%/bench/bench_extract.sh %D%/bench/bench_extract.py
EXTRA_DIST += %D%/bench/dlperf_rival.py %D%/bench/lnav_format.json
EXTRA_DIST += %D%/bench/racing.py %D%/bench/whole_programs.py
CLEANFILES += $(BENCH_BINARIES)

# The cuda device without a GPU, and what compares devices.
check_LIBRARIES += libdevices.a
libdevices_a_SOURCES = %D%/cuda_host.c %D%/cuda_host.h \
	%D%/cuda_host_calls.c %D%/cuda_host_calls.h \
	%D%/cuda_steps.c %D%/cuda_steps.h %D%/device_pair.c %D%/device_pair.h
libdevices_a_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
unit_tests += tests/unit/test_cuda_program
tests_unit_test_cuda_program_SOURCES = %D%/unit/test_cuda_program.c
tests_unit_test_cuda_program_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_engine_cache
tests_unit_test_engine_cache_SOURCES = %D%/unit/test_engine_cache.c
tests_unit_test_engine_cache_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cuda_checks
tests_unit_test_cuda_checks_SOURCES = %D%/unit/test_cuda_checks.c
tests_unit_test_cuda_checks_LDADD = libtap.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_step_queue
tests_unit_test_step_queue_SOURCES = %D%/unit/test_step_queue.c
tests_unit_test_step_queue_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)

if HAVE_CUDNN
# CUDA and cuDNN are pretended here, so neither is linked.
unit_tests += tests/unit/test_cuda_emulated
tests_unit_test_cuda_emulated_SOURCES = %D%/unit/test_cuda_emulated.c
tests_unit_test_cuda_emulated_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_unit_test_cuda_emulated_LDFLAGS = $(EMULATED_FIRST)
tests_unit_test_cuda_emulated_LDADD = libtap.a libdevices.a \
	libemulatedgpu.a $(TRAINER_LIBS)

CUDA_CALLS_SOURCES = %D%/unit/test_cuda_calls.c \
	%D%/cuda_mirror.c %D%/cuda_mirror.h
unit_tests += tests/unit/test_cuda_emulated_calls
tests_unit_test_cuda_emulated_calls_SOURCES = $(CUDA_CALLS_SOURCES)
tests_unit_test_cuda_emulated_calls_CPPFLAGS = $(AM_CPPFLAGS) \
	$(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS) -DEMULATED
tests_unit_test_cuda_emulated_calls_LDFLAGS = $(EMULATED_FIRST)
tests_unit_test_cuda_emulated_calls_LDADD = libtap.a libdevices.a \
	libemulatedgpu.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cuda_calls
tests_unit_test_cuda_calls_SOURCES = $(CUDA_CALLS_SOURCES)
tests_unit_test_cuda_calls_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_unit_test_cuda_calls_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cuda_emulated_repeat
tests_unit_test_cuda_emulated_repeat_SOURCES = %D%/unit/test_cuda_repeat.c
tests_unit_test_cuda_emulated_repeat_CPPFLAGS = $(AM_CPPFLAGS) \
	$(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS) -DEMULATED
tests_unit_test_cuda_emulated_repeat_LDFLAGS = $(EMULATED_FIRST)
tests_unit_test_cuda_emulated_repeat_LDADD = libtap.a libdevices.a \
	libemulatedgpu.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cuda_repeat
tests_unit_test_cuda_repeat_SOURCES = %D%/unit/test_cuda_repeat.c
tests_unit_test_cuda_repeat_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_unit_test_cuda_repeat_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cuda_kernels
tests_unit_test_cuda_kernels_SOURCES = %D%/unit/test_cuda_kernels.c
tests_unit_test_cuda_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_unit_test_cuda_kernels_LDFLAGS = $(EMULATED_FIRST)
tests_unit_test_cuda_kernels_LDADD = libtap.a libemulatedgpu.a $(TRAINER_LIBS)

unit_tests += tests/unit/test_cudnn
tests_unit_test_cudnn_SOURCES = %D%/unit/test_cudnn.c
tests_unit_test_cudnn_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) \
	$(CUDNN_CPPFLAGS)
tests_unit_test_cudnn_LDADD = libtap.a $(TRAINER_LIBS)
endif
unit_tests += tests/unit/test_cuda_device
tests_unit_test_cuda_device_SOURCES = %D%/unit/test_cuda_device.c
tests_unit_test_cuda_device_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)
# The script for a machine with a GPU; tests/cli/check_and_bench.sh tries it
# without one.
EXTRA_DIST += %D%/cli/check_and_bench.sh
TESTS += %D%/cli/gpu_plan.sh
EXTRA_DIST += %D%/cli/gpu_plan.sh
EXTRA_DIST += %D%/gpu/README.md %D%/gpu/check_and_bench %D%/gpu/runner.py \
	%D%/gpu/torch_bench.py
TESTS += %D%/cli/gpus.sh
EXTRA_DIST += %D%/cli/gpus.sh

# Values that are read or counted instead of kept, and what that saves.
EXTRA_PROGRAMS += tests/peak
CLEANFILES += tests/peak
tests/cli/memory.log: tests/peak$(EXEEXT)
tests_peak_SOURCES = %D%/peak.c

# Libraries that are loaded when they are needed.
unit_tests += tests/unit/test_shared_library
tests_unit_test_shared_library_SOURCES = %D%/unit/test_shared_library.c
tests_unit_test_shared_library_LDADD = libtap.a $(TRAINER_LIBS)

# Times of calls, and what is least to be done in them.
unit_tests += tests/unit/test_call_table
tests_unit_test_call_table_SOURCES = %D%/unit/test_call_table.c
tests_unit_test_call_table_LDADD = libtap.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_call_times
tests_unit_test_call_times_SOURCES = %D%/unit/test_call_times.c
tests_unit_test_call_times_LDADD = libtap.a libdevices.a $(TRAINER_LIBS)
unit_tests += tests/unit/test_format_cross
tests_unit_test_format_cross_SOURCES = %D%/unit/test_format_cross.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_format_cross_LDADD = libtap.a $(EXTRACT_LIBS)
unit_tests += tests/unit/test_work_meter
tests_unit_test_work_meter_SOURCES = %D%/unit/test_work_meter.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_work_meter_LDADD = libtap.a $(EXTRACT_LIBS)

unit_tests += tests/unit/test_file_follow
tests_unit_test_file_follow_SOURCES = %D%/unit/test_file_follow.c \
	%D%/unit/scanning.c %D%/unit/scanning.h
tests_unit_test_file_follow_LDADD = libtap.a $(EXTRACT_LIBS)

# All programs of TESTS are built before the first test starts: make would first
# compile for all of them, then link all, and the longest would start last.
.PHONY: check-programs
check-programs: $(filter $(unit_tests) $(mpi_tests),$(TESTS)) \
	$(if $(filter %/fuzz/replay.sh,$(TESTS)),$(fuzz_targets))
check_DATA += check-programs

# What a build with sanitizers is tried with, the longest first: all but whole
# trainings, and but what is tried once, in make check, because a sanitizer can
# add nothing: programs of others, documents, pictures that gnuplot draws,
# simulations, and bounds on time.
once_tests = tests/cli/documents.sh tests/cli/readme.sh tests/cli/settings.sh \
	tests/cli/convergence_doc.sh tests/cli/model_flop.sh \
	tests/cli/launch.sh tests/cli/latex.sh tests/cli/shipped_logs.sh \
	tests/cli/growth.sh tests/cli/gallery.sh tests/cli/pictures.sh \
	tests/cli/dlperf_scripts.sh tests/unit/test_line_time \
	tests/unit/test_trend_noise tests/unit/test_toy \
	tests/cli/cuda_emulated.sh
first_tests = tests/fuzz/replay.sh tests/unit/test_parity
quick_tests = $(first_tests) $(filter-out $(trainer_slow) $(first_tests) \
	$(once_tests),$(cli_tests) $(unit_tests))
# What the tarball is tried with, built without optional parts, before it is
# installed and removed again: what reads files that may be compressed, pictures,
# Nsight's databases or a history, the trainer's devices and back ends, and each
# program, goldens, data, formats and documents; that the tarball holds all files is
# what distcheck-files finds.  make distcheck runs every test with all parts.
bare_tests = tests/cli/hostile.sh tests/cli/history.sh tests/cli/options.sh \
	tests/cli/extract.sh tests/cli/readme.sh tests/cli/toy_images.sh \
	tests/cli/cases.sh tests/cli/check.sh tests/cli/events.sh \
	tests/cli/failed_runs.sh tests/cli/follow.sh tests/cli/machine.sh \
	tests/cli/metrics.sh tests/cli/nsight.sh tests/cli/power.sh \
	tests/cli/profiles.sh tests/cli/protocols.sh tests/cli/report_details.sh \
	tests/cli/small_disk.sh tests/cli/table_metadata.sh tests/cli/tables.sh \
	tests/cli/terminal.sh tests/cli/gpus.sh tests/e2e/backends.sh \
	tests/unit/test_byte_source tests/unit/test_scan_files \
	tests/unit/test_nsight_file tests/unit/test_history_file \
	tests/unit/test_decode tests/unit/test_dataset tests/unit/test_batches \
	tests/cli/formats.sh tests/cli/report.sh \
	tests/cli/comm_results.sh tests/cli/sweep.sh tests/cli/gpu_plan.sh \
	tests/cli/documents.sh tests/cli/formats_doc.sh tests/cli/predict.sh \
	tests/unit/test_units tests/unit/test_format \
	tests/unit/test_chart tests/unit/test_predict tests/unit/test_model
bare_flags = --enable-werror --without-zlib --without-zstd --without-lzma \
	--without-jpeg --without-sqlite --without-cuda --without-cudnn \
	--without-nccl --without-dnnl --without-gloo --without-mpi --without-png \
	CFLAGS=-O0
.PHONY: check-quick distcheck-bare
check-quick: all
	@DLSCALE_QUICK=yes $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(quick_tests)'
distcheck-bare:
	@DLSCALE_QUICK=yes $(MAKE) $(AM_MAKEFLAGS) distcheck \
	    TESTS='$(bare_tests)' DISTCHECK_CONFIGURE_FLAGS='$(bare_flags)'
