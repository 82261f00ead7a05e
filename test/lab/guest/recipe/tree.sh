# The file system of the guest: packages unpacked over each other. No script of
# a package is run; finish_tree does the little that is needed of what they do.

# unpack_package unpacks one package over root.
unpack_package() {
	dpkg-deb --fsys-tarfile "$1" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
		--exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
}

unpack_packages() {
	local archives=$work/apt/archives
	unpack_package "$archives"/base-files_*.deb # its links from /bin to /usr/bin must come first
	export root
	export -f unpack_package
	find "$archives" -name '*.deb' -print0 |
		xargs -0 -P "$(nproc)" -n 1 bash -euo pipefail -c 'unpack_package "$1"' unpack
	rm -rf "$archives"
}

finish_tree() {
	# A mount(8) that is setuid to somebody is not root's where somebody builds.
	find "$root" -xdev -type f -perm /6000 -exec chmod ug-s {} +
	mkdir -p "$root/mnt" "$root/usr/local/bin"
	rm -rf "$root/var/run"
	ln -s /run "$root/var/run" # ovs-vswitchd finds its database there
	ln -sf gawk "$root/usr/bin/awk"
	echo 127.0.0.1 localhost >"$root/etc/hosts"
	: >"$root/etc/resolv.conf"
	echo root:x:0:0::/root:/bin/bash >"$root/etc/passwd"
	echo root:x:0: >"$root/etc/group"
}

# in_tree runs a program of the guest on this machine, with root as its /.
in_tree() {
	(
		mount --rbind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		trap 'umount -l "$root/proc" "$root/dev"' EXIT
		chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 "$@"
	)
}
