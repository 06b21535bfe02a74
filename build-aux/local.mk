EXTRA_DIST += debian/changelog debian/control debian/copyright \
	debian/dlscale-trainer.install debian/dlscale.install debian/rules \
	debian/source/format debian/source/lintian-overrides
EXTRA_DIST += %D%/lint %D%/arrows \
	%D%/words %D%/doc_names %D%/test-only \
	%D%/compare-dist %D%/gallery %D%/gallery-all %D%/page_picture .clang-format quickstart \
	ARCHITECTURE.md HACKING.md LICENSE

# House rules; "make format" brings the code into clang-format's form.
LINT_CPPFLAGS = -I$(abs_builddir) $(PCRE2_CFLAGS) $(JSON_C_CFLAGS)
LINT_CPPFLAGS += $(XXHASH_CFLAGS) $(MPI_CPPFLAGS) $(DNNL_CPPFLAGS)
LINT_CPPFLAGS += $(CUDA_CPPFLAGS) $(CUDNN_CPPFLAGS)
.PHONY: lint format format-check bench check-long distcheck-files
lint: check-rooms
	@cd $(srcdir) && CC='$(CC)' PMCCABE='$(PMCCABE)' \
	    CLANG_FORMAT='$(CLANG_FORMAT)' LINT_CPPFLAGS='$(LINT_CPPFLAGS)' \
	    $(SHELL) build-aux/lint

format:
	cd $(srcdir) && git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cc' | \
	    xargs $(CLANG_FORMAT) -i

format-check:
	cd $(srcdir) && git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.cc' | \
	    xargs $(CLANG_FORMAT) --dry-run -Werror

# The tarball holds what git holds, so that nothing hides in one of them.
distcheck-files: dist
	$(SHELL) $(srcdir)/build-aux/compare-dist $(srcdir) \
	    $(distdir).tar.xz

# A table of what becomes of every log of the corpus, in corpus-report.md.
.PHONY: corpus-report
corpus-report: extract_logs
	@corpus=$${DLSCALE_CORPUS:-$(srcdir)/../shared/corpus}; \
	$(AM_TESTS_ENVIRONMENT) python3 $(srcdir)/tests/e2e/corpus_report.py \
	    "$$corpus" ./extract_logs corpus-report.md
CLEANFILES += corpus-report.md

# Benchmarks print ratios and fail on nothing but errors.  BENCH_BINARIES are
# built for them only; BENCHES lists programs and scripts, *.sh run by the shell.
bench: all $(BENCH_BINARIES)
	@for b in $(BENCHES); do \
		echo "== $$b"; \
		case $$b in \
		*.sh) $(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/$$b;; \
		*) $(AM_TESTS_ENVIRONMENT) ./$$b;; \
		esac || exit 1; \
	done

# Tests that take longer than make check may.
check-long: all
	$(MAKE) check TESTS='$(LONG_TESTS)' TEST_SECONDS=86400

# Every module compiled, nothing linked: for a processor or C library that the
# machine has a compiler for, and no libraries.
.PHONY: libs
libs: $(noinst_LIBRARIES)
