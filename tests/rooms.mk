# make check-ROOM: the tests of one folder, and nothing built that they do not
# need, so that a change is tested in seconds.  make check-ROOM/PART, as
# check-trainer/data or check-extract/scan, takes those of one part alone.
#
# A unit test is named for its module, maybe with one word more, and belongs to
# the folder that has the module; what is named otherwise stands in ROOM_also.
# Lint finds a unit test without a room.
common_also = tests/unit/test_arena tests/unit/test_strbuf \
	tests/unit/test_coverage tests/unit/test_json \
	tests/unit/test_distribution tests/unit/test_sample_size \
	tests/unit/test_dlperf_published tests/unit/test_many_cases \
	tests/unit/test_statistics tests/unit/test_outfile
report_also = tests/unit/test_report
plots_also = tests/unit/test_quote tests/unit/test_legend tests/unit/test_step_records
predict_also = tests/unit/test_predict tests/unit/test_predict_oracles
extract_scan_also = tests/unit/test_scan_files tests/unit/test_scan_many \
	tests/unit/test_line_time tests/unit/test_work_meter \
	tests/unit/test_line_template tests/unit/test_line_types \
	tests/unit/test_file_follow tests/unit/test_format_self_test
extract_input_also = tests/unit/test_event_file tests/unit/test_wandb_file \
	tests/unit/test_profile_file tests/unit/test_nsight_file \
	tests/unit/test_lines
extract_format_also = tests/unit/test_printed_unit tests/unit/test_spell
extract_also = $(extract_scan_also) $(extract_input_also) \
	$(extract_format_also) tests/unit/test_format_cross \
	tests/unit/test_path_template \
	tests/unit/test_metadata_digits tests/unit/test_benchmark_tests \
	tests/unit/test_measure_summary tests/unit/test_measure_work \
	tests/unit/test_progress \
	tests/unit/test_run_phases tests/unit/test_path_layout \
	tests/unit/test_tuned_steps
trainer_data_also = tests/unit/test_batches tests/unit/test_loader_order \
	tests/unit/test_loader_source
trainer_graph_also = tests/unit/test_model
trainer_launch_also = tests/unit/test_command_hostfile
trainer_device_cuda_also = tests/unit/test_cuda_calls \
	tests/unit/test_cuda_emulated_repeat tests/unit/test_cuda_repeat \
	tests/unit/test_cuda_emulated tests/unit/test_cuda_emulated_calls \
	tests/unit/test_cuda_kernels tests/unit/test_cuda_program \
	tests/unit/test_cudnn tests/unit/test_step_queue \
	tests/unit/test_call_times
trainer_device_cpu_kernels_also = tests/unit/test_panel_kernels \
	tests/unit/test_plane_kernels
trainer_device_cpu_also = $(trainer_device_cpu_kernels_also) \
	tests/unit/test_large_image
trainer_device_also = $(trainer_device_cuda_also) $(trainer_device_cpu_also) \
	tests/unit/test_gradient tests/unit/test_parity \
	tests/unit/test_step_memory
trainer_base_also = tests/unit/test_half_float
trainer_sync_also = tests/unit/test_coordinator tests/unit/test_gradient_codec
trainer_tune_also = tests/unit/test_gaussian_process tests/unit/test_plan_tuner
trainer_comm_also = tests/unit/test_socket_address \
	tests/unit/test_machine_memory
trainer_run_also = tests/unit/test_logger tests/unit/test_phases \
	tests/unit/test_run_means tests/unit/test_example_options \
	tests/unit/test_signals
trainer_also = $(trainer_base_also) $(trainer_data_also) \
	$(trainer_device_also) $(trainer_sync_also) $(trainer_tune_also) \
	$(trainer_comm_also) $(trainer_run_also) $(trainer_graph_also) \
	$(trainer_launch_also)
# What takes tens of seconds is run by make check, and here with SLOW=yes.
trainer_slow = tests/unit/test_cuda_calls tests/unit/test_cuda_emulated \
	tests/unit/test_cuda_emulated_repeat \
	tests/unit/test_cuda_emulated_calls tests/unit/test_cuda_kernels \
	tests/unit/test_cudnn tests/unit/test_device tests/unit/test_cpu_kernels \
	tests/unit/test_gradient tests/unit/test_resize \
	tests/unit/test_step_memory tests/unit/test_watchdog \
	tests/unit/test_checkpoint
# What takes seconds, and sanitizers want to see, but a change need not wait for.
trainer_long = tests/unit/test_parity tests/unit/test_cuda_program \
	tests/unit/test_toy
# The scripts that are quick, and the programs that they run.
extract_scripts = tests/cli/extract.sh tests/cli/formats.sh \
	tests/cli/pairs.sh tests/cli/csv.sh tests/cli/bars.sh \
	tests/cli/means.sh tests/cli/hints.sh
extract_programs = extract_logs
report_scripts = tests/cli/report.sh
report_programs = extract_logs report_results
plots_scripts = tests/cli/plot.sh tests/cli/plot_scripts.sh tests/cli/pictures.sh
plots_programs = extract_logs plot_results
predict_scripts = tests/cli/predict.sh tests/e2e/predict_oracles.sh
predict_programs = predict_scaling report_results

# $(call module_in,FOLDER,NAME): the module's files; of format_cross, format's
empty =
space = $(empty) $(empty)
shorter = $(subst $(space),_,$(strip $(wordlist 2,$(words $(subst _, ,$(1))),\
	x $(subst _, ,$(1)))))
files_of = $(wildcard $(foreach d,$(1) $(1)/* $(1)/*/* $(1)/*/*/*,\
	$(srcdir)/$(d)/$(strip $(2)).[ch]))
module_in = $(strip $(call files_of,$(1),$(2)) $(if $(call shorter,$(2)),\
	$(call files_of,$(1),$(call shorter,$(2)))))
units_of = $(filter $($(subst /,_,$(1))_also),$(unit_tests)) $(foreach t,$(unit_tests),\
	$(if $(call module_in,$(1),$(t:tests/unit/test_%=%)),$(t)))
quick_of = $(if $(SLOW),$(units_of),$(or $(filter-out \
	$(trainer_slow) $(trainer_long),$(units_of)),$(units_of)))

# The room whose tests are to run: one without any has those of the room it is in.
tested = $(if $(strip $(call units_of,$(1)) $($(1)_scripts)),$(1),$(if \
	$(findstring /,$(1)),$(call tested,$(patsubst %/,%,$(dir $(1)))),$(1)))

rooms = common extract report plots predict trainer
parts = $(patsubst $(srcdir)/%/.,%,$(wildcard $(foreach r,$(rooms),\
	$(srcdir)/$r/*/. $(srcdir)/$r/*/*/. $(srcdir)/$r/*/*/*/.)))
room_checks = $(rooms:%=check-%) $(parts:%=check-%)
.PHONY: $(room_checks) check-rooms
$(room_checks): check-%:
	@room=$(call tested,$*); \
	test $$room = $* || echo "$*: no test of its own, so those of $$room"
	@$(MAKE) $(AM_MAKEFLAGS) $(call quick_of,$(call tested,$*)) \
	    $($(call tested,$*)_programs)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(strip $(call \
	    quick_of,$(call tested,$*)) $($(call tested,$*)_scripts))'

# Every unit test has a room.
check-rooms:
	@lost='$(filter-out $(foreach r,$(rooms),$(call units_of,$r)),$(unit_tests))'; \
	set -- $$lost; for t do \
		echo "$$t: no module of its name; put it in tests/rooms.mk"; \
	done; test $$# -eq 0
