"""Base of check_and_bench: commands with a time limit, a result file that is
complete at any time, the state of the GPU, libraries."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

NO_GPU = 77  # as automake's tests say that they were skipped
TAIL = 2000  # bytes of a failed command's output that are kept


class Result:
    """A JSON file that is replaced after each change, so that all measurements
    are kept however this program ends."""

    def __init__(self, path):
        self.path, self.data = path, {}

    def save(self):
        folder = os.path.dirname(os.path.abspath(self.path))
        handle, name = tempfile.mkstemp(prefix=".result", dir=folder)
        with os.fdopen(handle, "w") as f:
            json.dump(self.data, f, indent=1)
            f.write("\n")
        os.chmod(name, 0o644)
        os.replace(name, self.path)


class Command:
    """The outcome of a command."""

    def __init__(self, status, timed_out, text, seconds):
        self.status, self.timed_out = status, timed_out
        self.text, self.seconds = text, seconds

    def why(self):
        """The reason of a failure, or None after success."""
        if self.timed_out:
            return "not done after %.0f s" % self.seconds
        if self.status != 0:
            lines = self.text.strip().splitlines() or ["no output"]
            # For Python programs the exception, which hints may follow.
            raised = [x for x in lines if re.match(r"[\w.]+Error: ", x)]
            return "status %d: %s" % (self.status, (raised or lines)[-1])
        return None


class Runner:
    """Runs commands, each in its own process group, which is killed when its
    time is over or this program is asked to end."""

    def __init__(self, log, environment):
        self.log, self.environment, self.group = log, environment, None

    def run(self, words, limit_s, cwd=None, environment=None):
        start = time.monotonic()
        self.log.write("$ %s\n" % " ".join(words))
        self.log.flush()
        with tempfile.TemporaryFile() as out:
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=out,
                    stderr=subprocess.STDOUT, start_new_session=True, cwd=cwd,
                    env=environment or self.environment)
            except OSError as e:
                return Command(127, False, str(e), 0)
            self.group, timed_out = process.pid, False
            try:
                process.wait(max(limit_s, 0.1))
            except subprocess.TimeoutExpired:
                timed_out = True
            self.end()
            process.wait()
            out.seek(0)
            text = out.read().decode(errors="replace")
        self.log.write(text)
        self.log.flush()
        return Command(process.returncode, timed_out, text,
                       time.monotonic() - start)

    def end(self):
        """Kill the processes left of the current command."""
        if self.group is not None:
            try:
                os.killpg(self.group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.group = None


class Aside:
    """A process group that runs during a block and is killed after it; process
    may be None."""

    def __init__(self, process):
        self.process = process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()


# --- the GPU ----------------------------------------------------------------
QUERY = ("name", "driver_version", "memory.total", "compute_cap",
         "clocks.max.sm", "clocks.max.memory", "power.limit")
WATCH = ("memory.used", "clocks.sm", "clocks.mem", "power.draw",
         "temperature.gpu", "utilization.gpu")


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def query(names, *more):
    return ["nvidia-smi", "--query-gpu=" + ",".join(names),
            "--format=csv,noheader,nounits"] + list(more)


def find_gpus():
    """A list with a dictionary for each GPU, or an error as text."""
    try:
        done = subprocess.run(query(QUERY), capture_output=True, timeout=30,
                              text=True, check=False)
    except FileNotFoundError:
        return "nvidia-smi: not found"
    except subprocess.TimeoutExpired:
        return "nvidia-smi: no answer after 30 s"
    lines = [line for line in done.stdout.splitlines() if "," in line]
    if done.returncode != 0 or not lines:
        text = (done.stdout + done.stderr).strip().splitlines()
        return "nvidia-smi: " + (text[-1] if text else "names none")
    gpus = []
    for line in lines:
        words = [word.strip() for word in line.split(",")]
        gpus.append({name: value if name in ("name", "driver_version",
                                             "compute_cap")
                     else number(value)
                     for name, value in zip(QUERY, words)})
    return gpus


class Watch:
    """Notes the first GPU's state twice a second while a block runs."""

    def __init__(self):
        self.rows, self.process = [], None

    def __enter__(self):
        try:
            self.process = subprocess.Popen(
                query(WATCH, "-i", "0", "-lms", "500"),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                start_new_session=True)
        except OSError:
            return self
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        return self

    def read(self):
        for line in self.process.stdout:
            row = [number(word) for word in line.split(",")]
            if len(row) == len(WATCH):
                self.rows.append(row)

    def __exit__(self, *_):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.thread.join(5)

    def state(self):
        """Largest memory; medians of the rest, of busy times if any."""
        busy = [r for r in self.rows if (r[5] or 0) > 50] or self.rows
        if not busy:
            return {}

        def middle(column):
            values = sorted(r[column] for r in busy if r[column] is not None)
            return values[len(values) // 2] if values else None

        memory = [r[0] for r in self.rows if r[0] is not None]
        return {"gpu_memory_used_mib": max(memory) if memory else None,
                "clock_sm_mhz": middle(1), "clock_memory_mhz": middle(2),
                "power_w": middle(3), "temperature_c": middle(4)}


# --- libraries --------------------------------------------------------------
def python_libraries(python):
    """Folders of shared libraries of NVIDIA's packages in the environment of a
    Python."""
    text = ("import sys, glob; print('\\n'.join(sorted({d for p in sys.path "
            "for d in glob.glob(p + '/nvidia/*/lib')})))")
    try:
        done = subprocess.run(python + ["-c", text], capture_output=True,
                              text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.split()


def version_of(text):
    """The numbers of a version, so that 2.11 sorts after 2.2."""
    return tuple(int(n) for n in re.findall(r"\d+", text.split("+")[0]))


def find_library(name, folders):
    """Path of a shared library whose file name begins with name, in the folders
    or else where the loader looks. None if it is not found."""
    for folder in folders:
        found = sorted(glob.glob(os.path.join(folder, name + "*")))
        if found:
            return found[0]
    return loader_has(name)


def loader_has(name):
    """Path of a library that the loader finds by itself, or None. All file
    names that begin with name match."""
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    try:
        done = subprocess.run([ldconfig, "-p"], capture_output=True, text=True,
                              timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"^\s*%s\S* .*=> (\S+)" % re.escape(name),
                      done.stdout, re.M)
    return found and found.group(1)


def link_package(folders, header, library, to):
    """Make a prefix to build with from a Python package's header and library. A
    linker needs the library's name without a version, which packages do not
    have. Returns whether both were found."""
    for folder in folders:
        include = os.path.join(os.path.dirname(folder), "include")
        found = sorted(glob.glob(os.path.join(folder, library + ".so.*")))
        if not found or not os.path.exists(os.path.join(include, header)):
            continue
        os.makedirs(os.path.join(to, "include"), exist_ok=True)
        os.makedirs(os.path.join(to, "lib"), exist_ok=True)
        pairs = [(p, os.path.join(to, "include", os.path.basename(p)))
                 for p in glob.glob(include + "/*")]
        pairs += [(p, os.path.join(to, "lib", os.path.basename(p)))
                  for p in glob.glob(folder + "/lib*.so*")]
        pairs.append((found[0], os.path.join(to, "lib", library + ".so")))
        for source, name in pairs:
            if not os.path.lexists(name):
                os.symlink(source, name)
        return True
    return False


OWN_OF_MACHINE = re.compile(
    r"^(linux-vdso|ld-linux|libc|libm|libpthread|libdl|librt|libcuda|"
    r"libcudnn.*|libnccl|libcublas.*|libgcc_s|libstdc\+\+)[.-]")

# Libraries of Open MPI: a machine uses its own if it has one.
OF_MPI = re.compile(r"^lib(mpi|open-rte|open-pal|hwloc|event|pmix|munge|udev)")


def needed_libraries(program):
    """Paths of the shared libraries of a program that another machine may not
    have: not the C library's, the driver's, cuDNN, cuBLAS and NCCL."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True,
                          check=True)
    found = re.findall(r"^\s*(\S+) => (/\S+)", done.stdout, re.M)
    return [path for name, path in found if not OWN_OF_MACHINE.match(name)]


def fail(message, status):
    print("check_and_bench: " + message, file=sys.stderr)
    sys.exit(status)
