#!/usr/bin/env bash
# mutants.sh [NAME...] applies each patch of mutants/, one at a time, to a copy of
# the tree and runs the test that the patch names: it has to turn red, or hang.
# A patch begins with a line `# test: PACKAGE -run TESTS`; further words go to
# `go test` too. MUTANT_TIMEOUT (default 30s) is how long a test may take.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${MUTANT_TIMEOUT:-30s}
patches=("$@")
[ $# -gt 0 ] || patches=(mutants/*.patch)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
	tar --null -T - -cf - | tar -xf - -C "$copy"
export GOFLAGS=-vet=off
survivors=0
for patch in "${patches[@]}"; do
	[ -f "$patch" ] || patch=mutants/$patch.patch
	name=$(basename "$patch" .patch)
	read -r -a args <<<"$(sed -n 's/^# test: //p;q' "$patch")"
	verdict="no '# test:' line"
	if [ ${#args[@]} -eq 0 ]; then
		:
	elif ! patch -s -p1 --no-backup-if-mismatch -r - -d "$copy" <"$patch" >/dev/null; then
		verdict="does not apply"
	elif ! (cd "$copy" && go test -count=1 -run '^$' "${args[0]}" >/dev/null 2>&1); then
		verdict="does not compile"
	elif (cd "$copy" && go test -count=1 -timeout "$limit" "${args[@]}" >"$copy/.output" 2>&1); then
		verdict="survived"
		grep -q 'no tests to run' "$copy/.output" && verdict="no such test"
	else
		verdict="red"
	fi
	printf '%-18s %-34s %s\n' "$verdict" "$name" "${args[*]}"
	[ "$verdict" = red ] || survivors=$((survivors + 1))
	# Back to the tree as it is.
	sed -n 's,^+++ b/,,p' "$patch" | while read -r file; do cp "$file" "$copy/$file"; done
done
if [ "$survivors" -gt 0 ]; then
	echo "$survivors of ${#patches[@]} mutants are not caught" >&2
	exit 1
fi
echo "all ${#patches[@]} mutants are caught"
