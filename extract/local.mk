noinst_LIBRARIES += libextract.a
libextract_a_CPPFLAGS = $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(XXHASH_CFLAGS)
libextract_a_CPPFLAGS += $(ZLIB_CPPFLAGS) $(ZSTD_CPPFLAGS) $(LZMA_CPPFLAGS)
libextract_a_CPPFLAGS += $(SQLITE_CPPFLAGS) $(JSON_C_CFLAGS)
libextract_a_CPPFLAGS += -DPKGDATADIR='"$(pkgdatadir)"'
# Files to bytes to lines.
libextract_a_SOURCES = \
	%D%/input/encoding/records.c %D%/input/encoding/records.h
libextract_a_SOURCES += %D%/input/profiles/profile_steps.c
libextract_a_SOURCES += \
	%D%/input/byte_source.c %D%/input/byte_source.h \
	%D%/input/file_list.c %D%/input/file_list.h \
	%D%/input/run_folder.c %D%/input/run_folder.h

# The seam: what a log says, before any arithmetic.
libextract_a_SOURCES += \
	%D%/log/command_line.c %D%/log/command_line.h \
	%D%/log/log.c %D%/log/log.h \
	%D%/log/setting.c \
	%D%/log/stated_settings.c %D%/log/stated_settings.h \
	%D%/log/words.c %D%/log/words.h
# What the files under formats/ and layouts/ say, and matching by it.
libextract_a_SOURCES += \
	%D%/format/patterns/field_names.c %D%/format/patterns/field_names.h \
	%D%/format/patterns/object_pattern.c \
	%D%/format/patterns/pattern.c %D%/format/patterns/pattern.h
libextract_a_SOURCES += \
	%D%/format/format.c %D%/format/format.h \
	%D%/format/format_complete.c \
	%D%/format/format_parse.c \
	%D%/format/matcher.c %D%/format/matcher.h
# A file through its format into a log.
libextract_a_SOURCES += \
	%D%/scan/detect/detect.c %D%/scan/detect/detect.h
libextract_a_SOURCES += \
	%D%/scan/any_metadata.c \
	%D%/scan/horovod_timeline.c \
	%D%/scan/sample_from_match.c \
	%D%/scan/scan_emit.c \
	%D%/scan/scan_file.c %D%/scan/scan_file.h \
	%D%/scan/scanner_state.h
# The arithmetic: samples to steps, steps to runs, runs to cases.
libextract_a_SOURCES += \
	%D%/measure/steps/audit.c \
	%D%/measure/steps/restart.c \
	%D%/measure/steps/rule.h \
	%D%/measure/steps/settled.c \
	%D%/measure/steps/steps.c %D%/measure/steps/steps.h \
	%D%/measure/steps/window.c %D%/measure/steps/window.h
libextract_a_SOURCES += \
	%D%/measure/measure_parts.h \
	%D%/measure/model_flop.c \
	%D%/measure/measure_run.c %D%/measure/measure_run.h \
	%D%/measure/measure_steps.c \
	%D%/measure/metadata.c %D%/measure/metadata.h \
	%D%/measure/run_metrics.c \
	%D%/measure/run_path.c %D%/measure/run_path.h
libextract_a_SOURCES += \
	%D%/measure/cases/case.c %D%/measure/cases/case.h \
	%D%/measure/cases/case_label.c \
	%D%/measure/cases/case_settings.c
# Many files: options, threads, the result.
libextract_a_SOURCES += \
	%D%/job/metadata_map.c \
	%D%/job/extraction.c %D%/job/extraction.h \
	%D%/job/extraction_result.c \
	%D%/job/power_file.c \
	%D%/job/run_job.c \
	%D%/job/settings.c %D%/job/settings.h
# The scripts of DLPerf, number for number.
libextract_a_SOURCES += \
	%D%/dlperf/dlperf.c %D%/dlperf/dlperf.h \
	%D%/dlperf/dlperf_read.c
# The program.
libextract_a_SOURCES += \
	%D%/explain.c %D%/modes.h \
	%D%/follow.c \
	%D%/suggest.c \
	%D%/tables.c
bin_PROGRAMS += extract_logs
extract_logs_SOURCES = %D%/main.c
extract_logs_LDADD = $(EXTRACT_LIBS)
EXTRACT_LIBS = libextract.a libreport.a libcommon.a $(PCRE2_LIBS) $(XXHASH_LIBS) \
	$(ZLIB_LDFLAGS) $(ZLIB_LIBS) $(ZSTD_LDFLAGS) $(ZSTD_LIBS) \
	$(LZMA_LDFLAGS) $(LZMA_LIBS) $(SQLITE_LDFLAGS) $(SQLITE_LIBS) \
	$(JSON_C_LIBS) -lm

# Data: one file a log format, a launcher family, a layout of paths.  Every one is
# installed, so that another needs no line here.
formatsdir = $(pkgdatadir)/formats
dist_formats_DATA = $(wildcard \
	$(addprefix $(srcdir)/%D%/formats/*., format metadata prefix protocols))
layoutsdir = $(pkgdatadir)/layouts
dist_layouts_DATA = $(wildcard $(srcdir)/%D%/layouts/*.layout)

# Links to the above in a build folder, made by config.status.
DISTCLEANFILES += $(DATA_LINKS)
