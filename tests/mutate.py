#!/usr/bin/env python3
"""Do the tests bite?  Change one operator of a module, run the module's tests.

    cd build && python3 ../tests/mutate.py [OPTION...] [ROOM...]
    cd build && python3 ../tests/mutate.py --by-hand FILE OLD NEW ROOM

A mutant is one source file with one operator changed: < and <=, > and >=, ==
and !=, && and ||, + and -, * and /, ! dropped, a number increased by one; or,
by hand, OLD, which the file contains once, replaced by NEW.  It is compiled
alone and linked before copies of the build folder's libraries, so that their
copy of the module is not used, or in place of the object with the program's
main(); the trees are not changed.  A mutant that compiles to the same code does
not count.  One that fails a test, does not end or crashes is caught; the others
are listed, and tests/mutants.md explains why the known ones survive.  Those in
its table "No ordinary build sees these", by file, line of code and operators,
are counted apart.  A test that fails without a mutant ends the scan: it would
catch everything.  The status is 1 if fewer than --least percent of a room are
caught.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import functools
import glob
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Tests of a room besides the unit tests that are named for its modules, perhaps
# with more words: unit tests (mpi:NAME runs on two ranks), the programs that
# contain the room, and their scripts, the quick ones first.
EXTRACT = "bars formats csv"
ROOMS = {
    "common/stats": (
        "distribution statistics sample_size many_cases run_means settled law"
        " sessions coverage window trend case case_flags predict audit",
        "extract_logs report_results plot_results predict_scaling",
        "report_details pivot cases doubts compare gate metrics outputs"
        " speedups history"),
    "extract/scan": (
        "scan_files line_types line_time event_file format metadata_digits",
        "extract_logs", EXTRACT + " pairs comm_results collectives"
        " hostile_lines follow extract events profiles detect environment"
        " run_metadata failed_runs tables"),
    "extract/format": (
        "format_cross metadata_digits work_meter path_layout", "extract_logs",
        EXTRACT + " formats_doc formats_work any_names paths detect"),
    "extract/log": (
        "scan_file benchmark_tests", "extract_logs",
        EXTRACT + " failed_runs run_metadata environment settings power"
        " comm_results collectives"),
    "extract/job": (
        "", "extract_logs",
        EXTRACT + " accumulate select paths failed_runs follow power ranks"
        " hints protocols settings pairs extract metrics"),
    "extract/measure": (
        "line_time run_means run_phases tuned_steps benchmark_tests"
        " measure_summary measure_work",
        "extract_logs", EXTRACT + " cases comm_results metrics model_flop"
        " power scopes means doubts settings hints ranks paths"
        " counted_work"),
    "extract/input": (
        "profile_file event_file wandb_file nsight_file lines file_follow"
        " path_layout", "extract_logs",
        "profiles events stores run_metadata follow nsight any_names paths"
        " extract " + EXTRACT),
    "extract/dlperf": (
        "dlperf_tables", "extract_logs", "compat_dlperf dlperf_scripts"),
    "extract": (
        "path_template path_layout progress", "extract_logs",
        "suggest hints accumulate paths follow extract " + EXTRACT),
    "report": (
        "report result_comparison series table reference_values",
        "report_results",
        "compare gate failed_runs comm_results report_environment pivot"
        " collectives seed_tables table_notes speedups report_details report"
        " history exports reproduce tables runs_table latex metrics predict"),
    "report/check": ("check published", "report_results", "check check_tables"),
    "report/history": ("history_file trend", "report_results", "history"),
    "common/published": (
        "published check check_against check_figures reference_values"
        " dlperf_published series",
        "report_results extract_logs plot_results predict_scaling",
        "seed_tables latex reproduce check check_tables tables"
        " table_metadata"),
    "common/table": (
        "table", "report_results", "compare report"),
    "common/series": (
        "result_comparison reference_values report check published"
        " dlperf_published",
        "report_results", "compare gate metrics failed_runs select check tables"
        " runs_table check_tables written_read reproduce table_metadata"
        " seed_tables comm_results pivot report report_details"),
    "common/texts": (
        "report table", "report_results extract_logs plot_results",
        "failed_runs table_notes doubts sentences pivot report follow"),
    "common/json": (
        "json result strbuf records history_file",
        "extract_logs report_results plot_results",
        "cases machine hostile"),
    "common/result": (
        "case case_baseline series reference_values many_cases measure_work",
        "extract_logs report_results plot_results predict_scaling",
        "report_details collectives failed_runs pivot table_notes scopes"
        " compare metrics cases gate machine work_units report"
        " history predict"),
    "common/units": (
        "axis published predict scan_emit metadata",
        "extract_logs report_results plot_results predict_scaling",
        "runs_table formats seed_tables pivot compare metrics cases tables"
        " history plot"),
    "common/files": (
        "outfile file_list path_layout",
        "extract_logs report_results plot_results predict_scaling",
        "select paths outputs small_disk confine hostile"),
    "common/program": (
        "file_list",
        "extract_logs report_results plot_results predict_scaling",
        "paths outputs options confine extract plot"),
    "common": (
        "strbuf arena spell outfile json",
        "extract_logs report_results plot_results predict_scaling",
        "formats outputs terminal machine history hostile"),
    "predict": (
        "predict predict_oracles", "predict_scaling", "predict"),
    "experiments": ("", "run_experiment", "e2e/experiments"),
    "trainer/tune": ("", "train_imagenet", ""),
    "trainer/sync": (
        "mpi:comm mpi:gradient_codec mpi:train", "train_imagenet",
        "e2e/comm_trace e2e/allreduce"),
    "trainer/comm": (
        "mpi:comm mpi:ring mpi:nccl mpi:train gradient_codec",
        "train_imagenet", ""),
    "trainer/launch": (
        "command_hostfile", "run_sweep run_on_nodes", "sweep launch nodes"),
    "trainer/data": (
        "batches loader_order loader_source decode toy", "train_imagenet", ""),
    "trainer/run": (
        "example_options run_means phases train_fusion signals mpi:train",
        "train_imagenet",
        "gpus e2e/example_options e2e/allreduce e2e/autotune e2e/train"),
    "plots/charts": (
        "axis chart legend", "plot_results report_results",
        "plot plot_scripts seed_tables comm_results pairs metrics doubts cases"
        " history"),
    "plots": ("axis chart legend quote step_records", "plot_results",
        "plot plot_scripts"),
}

SWAPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
         " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ",
         " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ",
         " += ": " -= ", " -= ": " += "}
PLACE = re.compile(
    "|".join(re.escape(k) for k in sorted(SWAPS, key=len, reverse=True))
    + r"|(?<=[( ])!(?=[a-z(])|(?<=[ (\[])\d+(?=[;,)\] ])")


def files_of(name):
    """The modules of a room and of the rooms in it without a row of their own,
    in the order of their names."""
    found = []
    for at, folders, files in os.walk(f"{TOP}/{name}"):
        at = os.path.relpath(at, TOP)
        folders[:] = [f for f in folders if f"{at}/{f}" not in ROOMS]
        found += [f"{at}/{f}" for f in files if f.endswith(".c")]
    return sorted(found, key=os.path.basename)


def row_of(name):
    """The row of ROOMS for a room: its own, or that of the room it is in."""
    while name not in ROOMS:
        name = os.path.dirname(name)
        if not name:
            sys.exit("these rooms have tests: " + ", ".join(ROOMS))
    return ROOMS[name]


def own_tests(name):
    """The unit tests that are named for a module of the room."""
    stems = {os.path.basename(f)[:-2] for f in files_of(name)}

    def is_own(test):
        words = test.split("_")
        return any("_".join(words[:n]) in stems
                   for n in range(1, len(words) + 1))

    tests = sorted(os.path.basename(f)[5:-2]
                   for f in glob.glob(f"{TOP}/tests/unit/test_*.c"))
    return list(filter(is_own, tests))


def source_of(unit):
    """The source of a unit test, or with mpi: of one on two ranks."""
    folder, _, stem = unit.rpartition(":")
    return f"tests/{folder or 'unit'}/test_{stem}.c"


def script_of(name):
    """A script of tests/cli, or e2e/NAME."""
    return f"tests/{'' if '/' in name else 'cli/'}{name}.sh"


def check_names(name, units, scripts):
    """Exit if a test in ROOMS does not exist: it would catch nothing."""
    for path in [source_of(u) for u in units.split()] + \
            [script_of(s) for s in scripts.split()]:
        if not os.path.exists(f"{TOP}/{path}"):
            sys.exit(f"{name}: there is no {path}")


def built_with(library):
    """Whether the build folder's programs have a library, named as in
    config.h."""
    with open("config.h", encoding="utf-8") as f:
        return f"#define HAVE_{library} 1\n" in f.read()


@functools.cache
def is_sanitized():
    """Whether sanitizers stop the build folder's programs at invalid reads."""
    with open("Makefile", encoding="utf-8") as f:
        return re.search(r"^SANITIZE_FLAGS = \S", f.read(), re.M) is not None


def unseen():
    """The mutants that tests/mutants.md lists as unseen: file, line, old ->
    new.  A build with sanitizers sees those marked as visible to it."""
    with open(f"{TOP}/tests/mutants.md", encoding="utf-8") as f:
        part = f.read().split("\n## ")
    rows = [p for p in part if p.startswith("No ordinary build sees these")]
    return {tuple(c.replace("\\|", "|") for c in row[:-1])
            for row in re.findall(
                r"^\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \| (.*) \|$",
                "".join(rows), flags=re.M)
            if not (is_sanitized() and "sanitizer" in row[-1])}


def blank(text):
    """The text with comments, strings and directives as blanks."""
    out = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'',
                 lambda m: re.sub(r"[^\n]", "\x00", m.group()), text,
                 flags=re.S)
    out = re.sub(r"^#.*(?:\\\n.*)*", lambda m: re.sub(
        r"[^\n]", "\x00", m.group()), out, flags=re.M)
    return re.sub(r"\bassert\(.*?\);", lambda m: re.sub(
        r"[^\n]", "\x00", m.group()), out, flags=re.S)


def mutants(path):
    """Every mutant of a file: line, what becomes what, the new text."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for m in PLACE.finditer(blank(text)):
        # Skip the 0 of an option without a letter: a 1 cannot be typed.
        if re.search(r"\{ OPT_\w+, $", text[:m.start()]):
            continue
        old = m.group()
        new = SWAPS.get(old)
        if new is None:
            new = "" if old == "!" else str(int(old) + 1)
        line = text.count("\n", 0, m.start()) + 1
        yield line, old.strip(), new.strip() or "nothing", \
            text[:m.start()] + new + text[m.end():]


def make_says(target, changed):
    """The commands that make would run for target if changed was newer."""
    out = subprocess.run(
        ["make", "-n", "V=1", "-W", changed, target], capture_output=True,
        text=True, check=False).stdout.replace("\\\n", " ")
    return out.splitlines()


class Room:
    """A room: how its files compile and how its tests link."""

    def __init__(self, name, tmp, a):
        units, programs, scripts = row_of(name)
        units = " ".join(dict.fromkeys(own_tests(name) + units.split()))
        check_names(name, units, scripts)
        if a.units_only:
            scripts = ""
        if a.tests:
            units, scripts = (" ".join(t for t in some.split() if t in a.tests)
                              for some in (units, scripts))
        units = [source_of(u)[:-2] + (".mpi" if ":" in u else "")
                 for u in units.split() if u != "mpi:nccl" or built_with("NCCL")]
        self.scripts = [f"{TOP}/{script_of(s)}" for s in scripts.split()]
        self.programs = programs.split()
        self.tmp = tmp
        self.copied = {}
        subprocess.run(["make", "-s", *units, "all", "tests/faults.so"],
                       check=True, stdout=subprocess.DEVNULL)
        self.links = {t: self.link(t) for t in [*units, *self.programs]}
        self.units = units
        self.local = threading.local()
        self.seconds = {}
        self.linked = {}
        self.catches_of = collections.Counter()
        self.try_as_is()

    def link(self, target):
        """The command that links target from copies of its inputs."""
        # libcommon.a counts as newer, so that make links the target.
        for line in make_says(target, "libcommon.a"):
            if f" -o {target} " in line and not line.lstrip().startswith("#"):
                words = shlex.split(line)
                while words and "=" in words[0]:
                    words.pop(0)
                return [self.copy(w) for w in words]
        raise SystemExit(f"no command links {target}")

    def copy(self, word):
        if not re.search(r"\.[oa]$", word) or not os.path.exists(word):
            return word
        if word not in self.copied:
            to = os.path.join(self.tmp, f"{len(self.copied)}{word[-2:]}")
            subprocess.run(["cp", word, to], check=True)
            self.copied[word] = to
        return self.copied[word]

    def place(self):
        """This thread's folder, with links to the build folder's files.  Its
        tests run there, so that other threads do not see what they write."""
        if not hasattr(self.local, "at"):
            self.local.at = tempfile.mkdtemp(dir=self.tmp)
            os.mkdir(f"{self.local.at}/tests")
            for f in [*os.listdir("."),
                      *(f"tests/{f}" for f in os.listdir("tests"))]:
                if f not in (*self.programs, "tests"):
                    os.symlink(os.path.abspath(f), f"{self.local.at}/{f}")
        return self.local.at

    def try_link(self, target, obj, to, source=None):
        words, new, linked = self.links[target], [], obj is None
        own = self.copied.get(source.object) if source else None
        for w in words:
            if w.endswith(".a") and not linked and not own:
                new.append(obj)
                linked = True
            new.append(to if w == target else obj if w == own else w)
        if target not in self.linked:
            new.append("-Wl,-M")
        r = subprocess.run(new, capture_output=True, text=True, check=False)
        if r.returncode != 0:
            raise SystemExit(f"{target} does not link: {r.stderr}")
        return r.stdout

    def tests(self, obj, source=None):
        """Yield name and command of each test that contains the source, linked
        with the object in its place.  The module's own tests come first, then
        those that caught the most per second so far."""
        every = [*self.units, *self.scripts]

        def has(t):
            return t in self.scripts or \
                f"({os.path.basename(source.object)})" in self.linked[t] or \
                self.copied.get(source.object) in self.links[t]

        if source:
            def order(t):
                return (source.stem not in t,
                        -(self.catches_of[t] + 0.5) / self.seconds[t])
            every = sorted(filter(has, every), key=order)
        at, linked = self.place(), False
        # Unit tests run the programs of the build.  Unlink each first: one
        # that a mutant left running cannot be written to.
        for p in self.programs:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{at}/{p}")
            shutil.copy(p, f"{at}/{p}")
        for t in every:
            if t in self.scripts:
                for p in self.programs if not linked else []:
                    if p not in self.linked or has(p):
                        self.linked.setdefault(
                            p, self.try_link(p, obj, f"{at}/{p}", source))
                linked = True
                yield t, ["sh", t]
            else:
                self.linked.setdefault(
                    t, self.try_link(t, obj, f"{at}/a_test", source))
                ranks = [f"{at}/tests/run-mpi"] if t.endswith(".mpi") else []
                yield t, [*ranks, f"{at}/a_test"]

    def can_replace(self, name):
        """Whether a source is in a library, or has the main() of a program of
        the room."""
        with open(f"{TOP}/{name}", encoding="utf-8") as f:
            has_main = re.search(r"^main\(", f.read(), re.M)
        return not has_main or compile_command(name)[1] in self.copied

    def try_as_is(self):
        for name, command in self.tests(None):
            began = time.monotonic()
            if fails(command, self.environment(), 300, self.place()):
                sys.exit(f"{name} fails without any mutant")
            self.seconds[name] = 0.1 + time.monotonic() - began

    def environment(self):
        env = dict(os.environ, LC_ALL="C", TZ="UTC", top_srcdir=TOP,
                   bindir=self.place(), PROGRAMS=" ".join(self.programs),
                   XDG_CONFIG_HOME="/nonexistent",
                   DLSCALE_FORMAT_PATH=f"{TOP}/extract/formats:"
                   f"{TOP}/extract/layouts")
        env.pop("UPDATE", None)
        return env

    def catches(self, obj, source):
        """The name of the test that fails with this object, or None."""
        env = self.environment()
        env["MUTANT"] = f"{self.place()}/{os.path.basename(source.name)}"
        for name, command in self.tests(obj, source):
            if fails(command, env, 10 + 8 * self.seconds[name],
                     self.place()):
                self.catches_of[name] += 1
                return os.path.basename(name)
        return None


def limits():
    """Stop endless allocation and writing.  A browser may map more memory."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    if not is_sanitized():  # sanitizers map all memory at once
        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fails(command, env, patience, at):
    """Whether a test fails in a folder.  The test is stopped at its first
    failed check."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, cwd=at,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                          start_new_session=True, preexec_fn=limits) as p:
        alarm = threading.Timer(patience, end, [p])
        alarm.start()
        failed = any(line.startswith(b"not ok") for line in p.stdout)
        if failed:
            end(p)
        failed |= p.wait() != 0
        alarm.cancel()
    return failed


def end(p):
    """Kill a test and all processes that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(p.pid, signal.SIGKILL)


def compile_command(source):
    """Return make's command for a source, without output and dependencies, and
    its object; None, None if the build does not have it."""
    stem = os.path.splitext(os.path.basename(source))[0]
    folder = os.path.dirname(source)
    name = [f for f in os.listdir(folder) if f.endswith(".o") and
            re.fullmatch(rf"(\w+-)?{stem}\.o", f)]
    if not name:
        return None, None
    target = f"{folder}/{name[0]}"
    for line in make_says(target, f"{TOP}/{source}"):
        if f"-o {target} " in line:
            line = re.sub(r"`test -f .*?`", "", line)
            words = shlex.split(line.split(";")[-1].split("&&")[0])
            break
    else:
        return None, None
    out, skip = [], False
    for w in words:
        if skip or w in ("-MD", "-MP"):
            skip = False
        elif w in ("-MT", "-MF", "-o"):
            skip = True
        elif w != "-c" and not w.endswith(f"{stem}.c"):
            out.append(w)
    return out + ["-g0"], target


def compiles(command, text, at, obj):
    with open(at, "w", encoding="utf-8") as f:
        f.write(text)
    # Assertions print the same path wherever the text is.
    flags = [f"-fmacro-prefix-map={os.path.dirname(at)}=.", "-w", "-c"]
    return subprocess.run(command + flags + ["-o", obj, at],
                          capture_output=True, check=False).returncode == 0


def code(obj):
    """All sections and relocations, without the name of the file."""
    return subprocess.run(["objdump", "-r", "-s", obj], capture_output=True,
                          check=False).stdout.split(b"\n", 3)[-1]


class Source:
    """A file of a room: how it compiles, and to what."""

    def __init__(self, name, tmp):
        self.name = name
        self.stem = os.path.splitext(os.path.basename(name))[0]
        self.command, self.object = compile_command(name)
        with open(f"{TOP}/{name}", encoding="utf-8") as f:
            self.text = f.read()
        if self.command:
            obj = self.compile(self.text, tmp)
            if obj is None:
                sys.exit(f"{name} itself does not compile: {self.command}")
            self.code = code(obj)

    def compile(self, text, folder):
        """The object of a text in place of the file's, or None."""
        obj = f"{folder}/mutant.o"
        ok = compiles(self.command, text,
                      f"{folder}/{os.path.basename(self.name)}", obj)
        return obj if ok else None


class Scan:
    """Mutants of a room, tried by several threads."""

    def __init__(self, name, tmp, a):
        self.room = Room(name, tmp, a)
        self.tmp = tmp
        self.threads = a.jobs
        self.sources = {}
        self.unseen = unseen()
        self.same = 0

    def judge(self, mutant):
        """None if the code is equal, else the report's line and if caught."""
        source, line, old, new, text = mutant
        own = source.text.splitlines()[line - 1].strip()
        if (source.name, own, f"{old} -> {new}") in self.unseen:
            self.same += 1
            return f"the same {source.name}:{line}: {old} -> {new}", None
        obj = source.compile(text, self.room.place())
        if obj is None or code(obj) == source.code:
            return None
        by = self.room.catches(obj, source)
        return (f"{'caught' if by else 'SURVIVES'} {source.name}:{line}: "
                f"{old} -> {new}{' by ' + by if by else ''}", bool(by))

    def source(self, name):
        if name not in self.sources:
            self.sources[name] = Source(name, self.tmp)
        return self.sources[name]

    def run(self, every, count):
        """How many were caught and tried, of the first count that compile."""
        caught = tried = 0
        self.same = 0
        every = iter(every)
        with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
            while tried < count:
                some = []
                for name, *rest in every:
                    if self.source(name).command:
                        some.append((self.source(name), *rest))
                    if len(some) == min(count - tried, 4 * self.threads):
                        break
                if not some:
                    break
                for said in pool.map(self.judge, some):
                    if said:
                        tried += 1
                        caught += bool(said[1])
                        print(said[0], flush=True)
        return caught, tried, self.same


def try_room(name, a):
    """Return how many mutants of a room were caught, how many were tried, and
    how many of these are known to be unseen."""
    with tempfile.TemporaryDirectory() as tmp:
        scan = Scan(name, tmp, a)
        if a.by_hand:
            return scan.run([mutant_by_hand(*m) for m in a.by_hand],
                            len(a.by_hand))
        files = [f for f in files_of(name) if scan.room.can_replace(f) and
                 (not a.file or a.file in os.path.basename(f))]
        every = [(f, *m) for f in files for m in mutants(f"{TOP}/{f}")]
        random.Random(a.seed).shuffle(every)
        return scan.run(every, a.n)


def mutant_by_hand(name, old, new):
    with open(f"{TOP}/{name}", encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"{name} has '{old}' {text.count(old)} times")
    line = text.count("\n", 0, text.index(old)) + 1
    return name, line, old, new or "nothing", text.replace(old, new)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-n", type=int, default=40, help="mutants of each room")
    p.add_argument("-j", "--jobs", dest="jobs", type=int, default=2,
                   help="threads")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--file", help="only of files whose name has this in it")
    p.add_argument("--least", type=float, default=85.0, help="percent caught")
    p.add_argument("--units-only", action="store_true",
                   help="without the scripts, in seconds a mutant")
    p.add_argument("--tests", type=str.split,
                   help="only these of the room's, as 'stats cases'")
    p.add_argument("--by-hand", nargs=3, metavar=("FILE", "OLD", "NEW"),
                   action="append")
    p.add_argument("room", nargs="*", default=list(ROOMS))
    a = p.parse_args()
    rows, few = [], False
    for name in a.room:
        caught, tried, same = try_room(name, a)
        rows.append(f"{name}: {caught} of {tried} caught, seed {a.seed}"
                    + (f"; {same} others are known to be unseen" if same else ""))
        tried -= same
        few |= tried == 0 or 100 * caught < a.least * tried
    print("\n".join(rows))
    return 1 if few else 0


if __name__ == "__main__":
    sys.exit(main())
