#!/usr/bin/env bash
# Fails when a contract and its generated code differ, or BENCHMARKS.md and the
# results of the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."
for module in . examples benchmarks; do
	[ -f "$module/go.mod" ] || continue
	echo "== $module: tenon gen --check"
	(cd "$module" && go run github.com/tenon-go/tenon/cmd/tenon gen --check ./...)
done
echo "== benchmarks: report -check"
(cd benchmarks && go run ./report -check results.json ..)
