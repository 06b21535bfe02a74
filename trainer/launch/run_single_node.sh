#!/bin/sh
# run_single_node.sh: see --help, which launch.sh prints.
set -u
# shellcheck disable=SC2034 # for launch.sh
nodes=1 summary='Train on the devices of this machine and keep the log.'
. "$(dirname "$0")/launch.sh"
