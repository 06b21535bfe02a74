# The Debian packages are built from the committed sources, pass lintian, and
# are installed into an empty root, where the programs find their data.
. "$top_srcdir/tests/lib.sh"

for need in dpkg-buildpackage dh lintian git; do
	command -v $need >/dev/null 2>&1 && continue
	skip "packages" "no $need"
	finish
	exit 0
done
if ! test -e "$top_srcdir/.git"; then
	skip "packages" "no git checkout"
	finish
	exit 0
fi
if ! (cd "$top_srcdir" && dpkg-checkbuilddeps) 2>"$tmp/err"; then
	skip "packages" "$(sed 's/^.*error: //' "$tmp/err")"
	finish
	exit 0
fi

# build: create the source and binary packages in $tmp
build() {
	mkdir "$tmp/src" &&
	    git -C "$top_srcdir" archive HEAD | tar -xf - -C "$tmp/src" &&
	    cd "$tmp/src" &&
	    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
	    dpkg-buildpackage -us -uc
}

# clean: true if lintian finds nothing
clean() {
	lintian --allow-root "$tmp"/*.changes >"$tmp/found" 2>&1
	cat "$tmp/found"
	! grep -q '^[EW]:' "$tmp/found"
}

# unpack: install into a separate root, as dpkg does
unpack() {
	for d in info updates triggers; do
		mkdir -p "$tmp/root/var/lib/dpkg/$d" || return 1
	done
	touch "$tmp/root/var/lib/dpkg/status" \
	    "$tmp/root/var/lib/dpkg/available"
	dpkg --root="$tmp/root" --force-depends --force-not-root \
	    --force-script-chrootless --no-triggers -i \
	    "$tmp"/dlscale_*.deb "$tmp"/dlscale-trainer_*.deb
}

# job: true if the installed programs do the shipped job
job() {
	cd "$tmp" && env -u DLSCALE_FORMAT_PATH "$usr/bin/extract_logs" \
	    -o "$tmp/r.json" "$(cd "$top_srcdir" && pwd)/logs/pytorch-cpu" \
	    >"$tmp/out" && grep -q '^1n2g ' "$tmp/out" &&
	    "$usr/bin/report_results" "$tmp/r.json" >/dev/null &&
	    "$usr/bin/train_imagenet" --version
}

# apart: MPI and the trainer are in one package, not in the other
apart() {
	dpkg-deb -c "$tmp"/dlscale-trainer_*.deb | grep -q train_imagenet &&
	    dpkg-deb -f "$tmp"/dlscale-trainer_*.deb Depends | grep -q mpi &&
	    ! dpkg-deb -c "$tmp"/dlscale_*.deb | grep -q train_imagenet &&
	    ! dpkg-deb -f "$tmp"/dlscale_*.deb Depends | grep -q mpi
}

top_srcdir=$(cd "$top_srcdir" && pwd)
usr=$tmp/root/usr
verdict "dpkg-buildpackage" build
verdict "lintian is silent" clean
verdict "dpkg installs both" unpack
verdict "the installed programs do the job" job
verdict "the trainer with MPI is a package of its own" apart
verdict "formats(5)" \
    test -s "$usr/share/man/man5/dlscale-formats.5.gz"
finish
