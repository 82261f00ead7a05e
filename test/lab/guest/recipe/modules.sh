# Modules that Debian's kernel has switched off, built from its own source.

# The folder of each in the source, and its option.
left_out=(
	drivers/net/netdevsim:NETDEVSIM
	drivers/infiniband/sw/siw:RDMA_SIW
)

# unpack_sources unpacks what is needed of the kernel's source to root/tmp/linux.
unpack_sources() {
	local folders=("${left_out[@]%:*}") archive
	archive=$(basename "$root"/usr/src/linux-source-*.tar.xz)
	mkdir -p "$root/tmp/linux"
	in_tree tar -xJf "/usr/src/$archive" -C /tmp/linux --no-same-owner --strip-components=1 --wildcards \
		'*/scripts/extract-vmlinux' "${folders[@]/#/*/}"
	rm "$root"/usr/src/linux-source-*
}

# allow_more_vfs raises the limit of 4 VFs that a netdevsim device has.
allow_more_vfs() {
	local header=$root/tmp/linux/drivers/net/netdevsim/netdevsim.h
	sed -i 's/^#define NSIM_BUS_DEV_MAX_VFS.*/#define NSIM_BUS_DEV_MAX_VFS 128/' "$header"
	if ! grep -q '^#define NSIM_BUS_DEV_MAX_VFS 128$' "$header"; then
		echo "lab: netdevsim.h has no NSIM_BUS_DEV_MAX_VFS any more" >&2
		return 1
	fi
}

build_modules() {
	local each
	allow_more_vfs
	# Without the kernel's own image no BTF is made, which would need pahole.
	rm -f "$root/usr/src/linux-headers-$release/vmlinux"
	for each in "${left_out[@]}"; do
		build_module "/tmp/linux/${each%:*}" "${each#*:}"
	done
	rm -r "$root/tmp/linux"
	in_tree depmod "$release"
}

build_module() {
	local folder=$1 option=$2 updates=$root/usr/lib/modules/$release/updates
	if ! in_tree make -j "$(nproc)" -C "/usr/src/linux-headers-$release" \
		"M=$folder" "CONFIG_$option=m" modules >"$work/make.log" 2>&1; then
		tail -n 40 "$work/make.log" >&2
		echo "lab: the module of CONFIG_$option does not build" >&2
		return 1
	fi
	mkdir -p "$updates"
	in_tree sh -c "strip --strip-debug $folder/*.ko"
	cp "$root/$folder"/*.ko "$updates"
}
