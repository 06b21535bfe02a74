#!/usr/bin/env python3
"""Do the tests bite?  Change one operator of a module, run the module's tests.

    cd build && make check-rooms && python3 ../tests/mutate.py [OPTION...] [ROOM...]

A mutant is one source file with one operator changed: < and <=, > and >=, ==
and !=, && and ||, + and -, * and /, ! dropped, a number made larger by one.
It is compiled alone and linked before the libraries of the build folder, whose
own copy of the module is then not taken; nothing in the tree is touched.  A
mutant that compiles to the same code is no mutant.  One that fails a test, does
not end or crashes is caught; the others are listed, and tests/mutants.md says
of those that are known why they survive.  Status 1: fewer than --least are
caught.
"""
import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What tests a room: unit tests, the program with the room in it, its scripts.
ROOMS = {
    "common/stats": (
        "stats rank_test sample_size distribution multiple_tests signed_rank"
        " stats_stream run_means predict",
        "extract_logs", "extract"),
    "extract/scan": (
        "scan_file scan_files line_template number_plan line_time event_file"
        " scan_parallel",
        "extract_logs", "formats bars pairs detect follow extract csv"
        " collectives hostile_lines"),
    "extract/measure": (
        "steps window measure_run audit metadata case line_time run_means",
        "extract_logs", "extract pairs bars csv follow truth collectives"),
    "report": (
        "report result_comparison series",
        "report_results", "report compare collectives speedups ../e2e/page"),
}

SWAPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
         " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ",
         " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ",
         " += ": " -= ", " -= ": " += "}
PLACE = re.compile(
    "|".join(re.escape(k) for k in sorted(SWAPS, key=len, reverse=True))
    + r"|(?<=[( ])!(?=[a-z(])|(?<=[ (\[])\d+(?=[;,)\] ])")


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
    """What is known of a room: how its files compile and its tests link."""

    def __init__(self, name, tmp):
        units, self.program, scripts = ROOMS[name]
        have = {u: f"tests/unit/test_{u}" for u in units.split()
                if os.path.exists(f"{TOP}/tests/unit/test_{u}.c")}
        self.scripts = [f"{TOP}/tests/cli/{s}.sh" for s in scripts.split()
                        if os.path.exists(f"{TOP}/tests/cli/{s}.sh")]
        self.tmp = tmp
        subprocess.run(["make", "-s", *have.values(), self.program],
                       check=True, stdout=subprocess.DEVNULL)
        self.links = [(t, self.link(t)) for t in have.values()]
        self.link_program = self.link(self.program)
        self.bin = os.path.join(tmp, "bin")
        os.makedirs(self.bin, exist_ok=True)
        for f in os.listdir("."):
            at = os.path.join(self.bin, f)
            if f != self.program and not os.path.lexists(at):
                os.symlink(os.path.abspath(f), at)

    @staticmethod
    def link(target):
        # Newer than everything: the program's own library.
        for line in make_says(target, "libcommon.a"):
            if f" -o {target} " in line and not line.lstrip().startswith("#"):
                words = shlex.split(line)
                while words and "=" in words[0]:
                    words.pop(0)
                return words
        raise SystemExit(f"no command links {target}")

    def try_link(self, words, target, obj, to):
        new = []
        for w in words:
            if w == target:
                new.append(to)
                continue
            if w.endswith(".a") and obj is not None:
                new.append(obj)
                obj = None
            new.append(w)
        return subprocess.run(new, capture_output=True,
                              check=False).returncode == 0

    def catches(self, obj, env):
        """The name of the test that fails with this object, or None."""
        at = os.path.join(self.tmp, "test")
        for target, words in self.links:
            if self.try_link(words, target, obj, at) and \
                    fails([at], env):
                return os.path.basename(target)
        at = os.path.join(self.bin, self.program)
        if not self.try_link(self.link_program, self.program, obj, at):
            return "the linker"
        env = dict(env, bindir=self.bin)
        for script in self.scripts:
            if fails(["sh", script], env):
                return os.path.basename(script)
        return None


def fails(command, env):
    try:
        r = subprocess.run(command, capture_output=True, env=env, timeout=120,
                           stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return True
    return r.returncode != 0 or b"\nnot ok" in b"\n" + r.stdout


def compile_command(source):
    """How make compiles a source, without its output and dependencies."""
    stem = os.path.splitext(os.path.basename(source))[0]
    folder = os.path.dirname(source)
    name = [f for f in os.listdir(folder) if f.endswith(".o") and
            re.fullmatch(rf"(lib\w+_a-|\w+_logs-|\w+_results-)?{stem}\.o", f)]
    if not name:
        return None
    target = f"{folder}/{name[0]}"
    for line in make_says(target, f"{TOP}/{source}"):
        if f"-o {target} " in line:
            line = re.sub(r"`test -f .*?`", "", line)
            words = shlex.split(line.split(";")[-1].split("&&")[0])
            break
    else:
        return None
    out, skip = [], False
    for w in words:
        if skip or w in ("-MD", "-MP"):
            skip = False
        elif w in ("-MT", "-MF", "-o"):
            skip = True
        elif w != "-c" and not w.endswith(f"{stem}.c"):
            out.append(w)
    return out + ["-g0"]


def compiles(command, text, at, obj):
    with open(at, "w", encoding="utf-8") as f:
        f.write(text)
    return subprocess.run(command + ["-w", "-c", "-o", obj, at],
                          capture_output=True, check=False).returncode == 0


def code(obj):
    return subprocess.run(["objdump", "-d", "-r", "-s", "-j", ".text", "-j",
                           ".rodata", obj], capture_output=True,
                          check=False).stdout.split(b"\n", 3)[-1]


def environment():
    env = dict(os.environ, LC_ALL="C", TZ="UTC", top_srcdir=TOP,
               bindir=os.getcwd(), XDG_CONFIG_HOME="/nonexistent",
               DLSCALE_FORMAT_PATH=f"{TOP}/extract/formats:"
               f"{TOP}/extract/layouts")
    env.pop("UPDATE", None)
    return env


def try_room(name, count, seed, only):
    """How many mutants of a room were caught, how many tried."""
    files = sorted(f"{name}/{f}" for f in os.listdir(f"{TOP}/{name}")
                   if f.endswith(".c") and f != "main.c" and
                   (not only or only in f))
    every = [(f, *m) for f in files for m in mutants(f"{TOP}/{f}")]
    random.Random(seed).shuffle(every)
    caught = tried = 0
    env = environment()
    with tempfile.TemporaryDirectory() as tmp:
        room = Room(name, tmp)
        commands = {}
        for source, line, old, new, text in every:
            if tried == count:
                break
            if source not in commands:
                commands[source] = compile_command(source)
            cc = commands[source]
            if cc is None:
                continue
            c, obj = f"{tmp}/{os.path.basename(source)}", f"{tmp}/mutant.o"
            with open(f"{TOP}/{source}", encoding="utf-8") as f:
                as_is = f.read()
            if not compiles(cc, as_is, c, f"{tmp}/as-is.o"):
                sys.exit(f"{source} itself does not compile: {cc}")
            if not compiles(cc, text, c, obj) or \
                    code(obj) == code(f"{tmp}/as-is.o"):
                continue
            tried += 1
            by = room.catches(obj, env)
            caught += by is not None
            print(f"{'caught' if by else 'SURVIVES'} {source}:{line}: "
                  f"{old} -> {new}{' by ' + by if by else ''}", flush=True)
    return caught, tried


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-n", type=int, default=25, help="mutants of each room")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--file", help="only of files whose name has this in it")
    p.add_argument("--least", type=float, default=85.0, help="percent caught")
    p.add_argument("room", nargs="*", default=list(ROOMS))
    a = p.parse_args()
    caught = tried = 0
    for name in a.room:
        c, t = try_room(name, a.n, a.seed, a.file)
        print(f"{name}: {c} of {t} caught", flush=True)
        caught, tried = caught + c, tried + t
    if tried == 0:
        sys.exit("no mutants")
    print(f"{caught} of {tried} caught, {100 * caught / tried:.1f} %")
    return 0 if 100 * caught >= a.least * tried else 1


if __name__ == "__main__":
    sys.exit(main())
