#!/usr/bin/env bash
# fuzz.sh 'MODULES' AMOUNT runs every fuzz target that long: 5000x or 30s. A number
# of executions is what CI uses: with a time, go test now and then fails a target
# whose time is up in the wrong moment ("context deadline exceeded").
set -euo pipefail
cd "$(dirname "$0")/.."
for module in $1; do
	[ -f "$module/go.mod" ] || continue
	(
		cd "$module"
		go list -f '{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}' ./... |
			{ xargs -r grep -H '^func Fuzz' || true; } | # a module may have no targets
			sed 's|^\(.*\)/[^/]*:func \(Fuzz[A-Za-z0-9_]*\).*|\1 \2|' |
			while read -r package target; do
				echo "== $module: $target for $2"
				go test -run '^$' -fuzz "^$target\$" -fuzztime "$2" "$package" </dev/null
			done
	)
done
