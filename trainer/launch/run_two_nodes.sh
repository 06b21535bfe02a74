#!/bin/sh
# run_two_nodes.sh: see --help, which launch.sh prints.
set -u
# shellcheck disable=SC2034 # for launch.sh
nodes=2 summary='Train on two nodes, started with mpirun over ssh, and keep the log.'
. "$(dirname "$0")/launch.sh"
