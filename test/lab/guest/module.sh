#!/usr/bin/env bash
# Builds a kernel module with the compiler of the guest:
#
#   module.sh GUEST TREE WORK
#
# GUEST is the folder of a guest, TREE where modules of its kernel are built, and
# WORK the folder with the source, which gets the module. It runs as root of a
# mount namespace of its own, in which TREE lies over the headers of the
# guest and WORK over its /tmp: guests that run see nothing of it.
set -euo pipefail
root=$1/root tree=$2 work=$3
# shellcheck source-path=SCRIPTDIR source=recipe/tree.sh
source "$1/recipe/tree.sh"

headers=/usr/src/linux-headers-$(cat "$1/release")
mount --bind "$tree" "$root$headers"
mount --bind "$work" "$root/tmp"
# What only a debugger reads would take longer than the code.
in_tree make -s -j "$(nproc)" -C "$headers" M=/tmp KCFLAGS=-g0 CONFIG_DEBUG_INFO_BTF_MODULES= modules
