#!/usr/bin/env bash
# Builds the debug kernel of a guest from Debian's source of the guest's own
# kernel, with the guest's compiler:
#
#   build.sh GUEST DEST
#
#   DEST/vmlinux   the kernel
#   DEST/tree      what modules for it are built with
#   DEST/lib       the names of what is built in, for modprobe
#   DEST/release   its release, as uname -r says it
#
# It runs as root of a mount namespace of its own, which need not be root of the
# machine, and writes nothing outside DEST: what is unpacked and built lies in a
# layer over the file system of the guest.
set -euo pipefail
recipe=$(dirname "$(realpath "$0")")
guest=$(realpath "$1")
dest=$(realpath "$2")
work=$dest/work
root=$work/root

# What KASAN watches. The guest is emulated: were all of the kernel watched, it
# would take minutes to boot.
watched='net/% drivers/net/% drivers/base/% fs/debugfs'

# What of the source and of what is made of it a module's build reads.
for_modules=(Makefile .config .kernelvariables Module.symvers include scripts
	arch/x86/Makefile arch/x86/include tools/objtool/objtool)

step() { echo "lab: $*" >&2; }

# shellcheck source-path=SCRIPTDIR
{
	source "$guest/recipe/apt.sh"
	source "$guest/recipe/tree.sh"
}

# unpack_source makes root of the guest's file system, the packages and the source.
unpack_source() {
	local archive
	mkdir -p "$root" "$work"/{layer,overlay}
	mount -t overlay -o "lowerdir=$guest/root,upperdir=$work/layer,workdir=$work/overlay" overlay "$root"
	for archive in "$work"/apt/archives/*.deb; do
		unpack_package "$archive"
	done
	mkdir "$root/linux"
	in_tree sh -c 'tar -xJf /usr/src/linux-source-*.tar.xz -C /linux --no-same-owner --strip-components=1'
}

# make_kernel calls make in the source.
make_kernel() {
	in_tree nice make -s -j "$(nproc)" -C /linux "KASAN_SANITIZE=\$(if \$(filter $watched,\$(obj)),,n)" "$@"
}

# configure names the release after the guest's, and checks that the kernel has
# all that our configuration wants: kconfig drops in silence what it cannot have.
configure() {
	local version dropped
	printf 'CC = gcc-14\nHOSTCC = gcc-14\n' >"$root/linux/.kernelvariables"
	version=$(make_kernel kernelversion)
	if [[ $release != "$version"[+-]* ]]; then
		echo "lab: the guest has Linux $release, and Debian's source is $version: make lab-clean, for a new guest" >&2
		return 1
	fi
	{
		cat "$recipe/config"
		echo "CONFIG_LOCALVERSION=\"${release#"$version"}-debug\""
	} >"$root/linux/debug.config"
	make_kernel KCONFIG_ALLCONFIG=debug.config allnoconfig
	if dropped=$(grep '^CONFIG_' "$root/linux/debug.config" | grep -vxFf "$root/linux/.config"); then
		echo "lab: the kernel's configuration has no more: $dropped" >&2
		return 1
	fi
}

# keep moves what is used later to dest.
keep() {
	local debug=$1
	make_kernel INSTALL_MOD_PATH=/installed modules_install
	rm -f "$root/installed/lib/modules/$debug/build"
	mv "$root/installed/lib/modules/$debug" "$dest/lib"
	mv "$root/linux/vmlinux" "$dest/vmlinux"
	mkdir "$dest/tree"
	(cd "$root/linux" && cp -r --parents "${for_modules[@]}" "$dest/tree")
	echo "$debug" >"$dest/release"
}

release=$(cat "$guest/release")
mkdir -p "$work"
mirror=$(debian_mirror)
step "download Debian's source of the kernel"
configure_apt
download_packages
step "unpack it"
unpack_source
step "configure it"
configure
step "compile it: this takes ten to thirty minutes on two cores"
make_kernel vmlinux modules
keep "$(make_kernel kernelrelease)"
umount "$root"
rm -rf "$work"
