#!/usr/bin/env bash
# fuzz.sh 'MODULES' TIME runs every fuzz target for that time.
set -euo pipefail
cd "$(dirname "$0")/.."
for module in $1; do
	[ -f "$module/go.mod" ] || continue
	(
		cd "$module"
		grep -rl --include='*_test.go' '^func Fuzz' . | xargs -r -n1 dirname | sort -u | while read -r package; do
			grep -h '^func Fuzz' "$package"/*_test.go | sed 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/' | while read -r target; do
				echo "== $module/$package: $target for $2"
				go test -run '^$' -fuzz "^$target\$" -fuzztime "$2" "$package"
			done
		done
	)
done
