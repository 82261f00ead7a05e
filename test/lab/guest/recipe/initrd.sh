# The initrd: busybox and the modules that the root file system needs.

pack_initrd() {
	local tree=$root/tmp/initrd
	mkdir -p "$tree"/{bin,dev,modules,new,proc,root,upper}
	cp "$recipe/initrd-init" "$tree/init"
	cp "$root/usr/bin/busybox" "$tree/bin/"
	in_tree modprobe --show-depends --set-version "$release" -a 9p 9pnet_virtio overlay virtio_pci |
		awk '$1 == "insmod" && !seen[$2]++ {print $2}' >"$work/modules"
	while read -r module; do
		cp "$root/$module" "$tree/modules/"
		basename "$module"
	done <"$work/modules" >"$tree/modules/order"
	in_tree sh -c 'cd /tmp/initrd && find . | cpio --quiet -o -H newc' >"$dest/initrd"
	rm -r "$tree"
}
