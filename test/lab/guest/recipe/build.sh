#!/usr/bin/env bash
# Builds the guest of the lab in the folder DEST, from Debian packages alone:
#
#   DEST/root      the file system of the guest, which also holds the compiler
#                  that builds modules for it and the emulator that runs it
#   DEST/vmlinux   its kernel
#   DEST/initrd    what mounts the file system
#   DEST/release   the release of the kernel, as uname -r says it
#
# It runs as root of a mount namespace of its own, which need not be root of the
# machine, and changes nothing outside DEST.
set -euo pipefail
if [ "$(readlink /proc/self/ns/mnt)" = "$(readlink /proc/1/ns/mnt 2>/dev/null)" ]; then
	echo "lab: build.sh mounts /dev below DEST and must have a mount namespace of its own: unshare --mount" >&2
	exit 1
fi
recipe=$(dirname "$(realpath "$0")")
dest=$(realpath "$1")
root=$dest/root
work=$dest/work

step() { echo "lab: $*" >&2; }

# shellcheck source-path=SCRIPTDIR
{
	source "$recipe/apt.sh"
	source "$recipe/tree.sh"
	source "$recipe/kernel.sh"
	source "$recipe/modules.sh"
	source "$recipe/initrd.sh"
}

mkdir -p "$root" "$work"
mirror=$(debian_mirror)
step "read the package lists of $mirror"
configure_apt
step "download the packages"
download_packages
step "unpack them"
unpack_packages
finish_tree
unpack_sources
release=$(kernel_release)
step "take out the kernel $release"
unpack_kernel
step "build the modules that Debian leaves out"
build_modules
step "pack the initrd"
pack_initrd
echo "$release" >"$dest/release"
rm -rf "$work"
