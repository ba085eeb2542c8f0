#!/usr/bin/env bash
# each-module.sh 'MODULES' COMMAND... runs a command in every module's folder.
set -euo pipefail
modules=$1
shift
cd "$(dirname "$0")/.."
for module in $modules; do
	[ -f "$module/go.mod" ] || continue
	echo "== $module: $*"
	(cd "$module" && "$@")
done
