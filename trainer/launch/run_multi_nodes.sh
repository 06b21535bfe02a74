#!/bin/sh
# run_multi_nodes.sh: see --help, which launch.sh prints.
set -u
# shellcheck disable=SC2034 # for launch.sh
nodes='' summary='Train on many nodes, started with mpirun over ssh, and keep the log.'
. "$(dirname "$0")/launch.sh"
