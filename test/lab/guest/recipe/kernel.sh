# The kernel: uncompressed here, so that the emulator need not do it with each boot.

# kernel_release is the release of the one kernel in root.
kernel_release() {
	local kernels=("$root"/usr/lib/modules/*)
	if [ ${#kernels[@]} -ne 1 ]; then
		echo "lab: not one kernel but ${kernels[*]##*/}" >&2
		return 1
	fi
	basename "${kernels[0]}"
}

unpack_kernel() {
	local modules=/usr/lib/modules/$release/kernel
	in_tree sh /tmp/linux/scripts/extract-vmlinux "/usr/lib/modules/$release/vmlinuz" \
		>"$dest/vmlinux" 2>"$work/extract.log"
	if [ ! -s "$dest/vmlinux" ]; then # the script exits with 0 all the same
		cat "$work/extract.log" >&2
		return 1
	fi
	# What the guest loads is decompressed here, not in emulation.
	in_tree find "$modules"/{net,lib,crypto,fs,drivers/{net,infiniband,virtio}} -name '*.ko.xz' -print0 |
		in_tree xargs -0 -P "$(nproc)" -n 64 unxz
	in_tree depmod "$release"
}
