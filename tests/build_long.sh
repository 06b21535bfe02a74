# Builds in other environments: clang, musl, another processor, a tarball with
# the same bytes twice, and the files of make install.
. "$top_srcdir/tests/lib.sh"

top_srcdir=$(cd "$top_srcdir" && pwd)
if ! test -x "$top_srcdir/configure"; then
	skip "builds" "no configure"
	finish
	exit 0
fi
jobs=$(nproc)

# in_folder NAME COMMAND...: run COMMAND in $tmp/NAME, which is created
in_folder() {
	mkdir -p "$tmp/$1" && cd "$tmp/$1" && shift && "$@"
}

# build NAME CONFIGURE-OPTION...
build() {
	folder=$1
	shift
	in_folder "$folder" "$top_srcdir/configure" "$@" &&
	    make -j"$jobs"
}

# the_job NAME: true if the build NAME does the shipped job
the_job() {
	"$tmp/$1/extract_logs" -o "$tmp/r.json" "$top_srcdir/logs/pytorch-cpu" |
	    grep '^1n2g '
}

if command -v clang >/dev/null 2>&1; then
	verdict "clang builds it, without a warning" \
	    build clang CC=clang CXX=clang++ --enable-werror --without-cuda
	verdict "clang: the job" the_job clang
else
	skip "clang" "no clang"
fi

without="--without-zlib --without-zstd --without-lzma --without-jpeg
--without-png --without-sqlite --without-cuda --without-cudnn --without-nccl
--without-dnnl --without-gloo --without-mpi"

# headers FOLDER: link the headers of the kernel and of the required libraries
# only; those of the C library are the compiler's
headers() {
	asm=/usr/include/$(uname -m)-linux-gnu/asm
	mkdir -p "$1" && for file in pcre2.h json-c xxhash.h linux asm-generic; do
		ln -sf "/usr/include/$file" "$1/$file" || return 1
	done && ln -sf "$asm" "$1/asm"
}

# compiles NAME COMPILER HOST: true if every module compiles with another C
# library or for a processor for which Debian has none of the required libraries
compiles() {
	h=$tmp/$1-include
	# shellcheck disable=SC2086 # one word an option
	headers "$h" && in_folder "$1" "$top_srcdir/configure" \
	    CC="$2" CXX=false --host="$3" $without CPPFLAGS="-idirafter $h" \
	    PCRE2_CFLAGS="-DHERE" PCRE2_LIBS=-lpcre2-8 \
	    JSON_C_CFLAGS="-idirafter $h/json-c" JSON_C_LIBS=-ljson-c \
	    XXHASH_CFLAGS="-DHERE" XXHASH_LIBS=-lxxhash &&
	    make -j"$jobs" libs
}

if command -v musl-gcc >/dev/null 2>&1; then
	verdict "musl: every module compiles" \
	    compiles musl musl-gcc "$(uname -m)-linux-musl"
else
	skip "musl" "no musl-gcc"
fi
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
	verdict "arm64: every module compiles" \
	    compiles arm64 aarch64-linux-gnu-gcc aarch64-linux-gnu
else
	skip "arm64" "no aarch64-linux-gnu-gcc"
fi

# twice: two tarballs, from a Makefile of now and of an hour ago
twice() {
	# shellcheck disable=SC2086
	in_folder dist "$top_srcdir/configure" $without >"$tmp/config.out" &&
	    make dist >/dev/null && sha256sum dlscale-*.tar.xz >"$tmp/first" &&
	    rm dlscale-*.tar.xz && touch -d '1 hour ago' Makefile &&
	    (umask 077 && make dist) >/dev/null && sha256sum -c "$tmp/first"
}
verdict "make dist twice gives the same bytes" twice

# installs: check the documents and the manual pages
installs() {
	cd "$tmp/dist" && make -j"$jobs" install DESTDIR="$tmp/inst" \
	    >/dev/null || return 1
	for f in man/man1/extract_logs.1 man/man5/dlscale-formats.5 \
	    doc/dlscale/README.md doc/dlscale/doc/measurement.md \
	    doc/dlscale/doc/result-schema.json; do
		test -s "$tmp/inst/usr/local/share/$f" || {
			echo "no $f"
			return 1
		}
	done
}
verdict "make install brings documents and manual pages" installs
verdict "configure prints versions" \
    grep -qE 'PCRE2 \.+ : yes \([0-9]' "$tmp/config.out"
finish
