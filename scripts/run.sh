#!/usr/bin/env bash
# What `make run` does: thumbnails of the pictures in DIR, or of samples, in OUT.
set -euo pipefail
dir=$1 out=$2 workers=$3
if [[ -z $out ]]; then
	echo 'make run: OUT names no folder: leave it away for ./thumbs, or write OUT=./thumbnails' >&2
	exit 2
fi

# A plain sh hands the tilde of OUT=~/x over as it is.
home() { case $1 in '~' | '~/'*) echo "$HOME${1#\~}" ;; *) echo "$1" ;; esac; }

args=(-out "$(home "$out")")
[[ -z $workers ]] || args+=(-workers "$workers")
[[ -z $dir ]] || args+=("$(home "$dir")")
cd "$(dirname "$0")/.."
exec go run ./examples/thumbnails "${args[@]}"
