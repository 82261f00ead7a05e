# Process 1 of a machine that shares this one's kernel and, read-only, its files:
# the start of a real systemd on units of our own alone. It is run as root by
#   unshare --pid --fork --mount --mount-proc --cgroup --uts --ipc --net --kill-child
# with the binary, the folder of the shipped files, and the file for systemd's
# log as its arguments.
set -eu
binary=$1 shipped=$2 log=$3

mount --make-rprivate /

# This namespace's devices and groups of processes. Kernel settings are not ours.
umount --recursive --lazy /sys
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys

# A /dev that nothing of the host's is made in; systemd logs to its kmsg.
dev=$(mktemp -d)
mount -t tmpfs -o mode=755 tmpfs "$dev"
mkdir "$dev/pts" "$dev/shm"
for node in null zero full random urandom tty; do
	touch "$dev/$node"
	mount --bind "/dev/$node" "$dev/$node"
done
touch "$dev/kmsg"
mount --bind "$log" "$dev/kmsg"
mount --move "$dev" /dev
rmdir "$dev"

# The installation, as the unit's first lines tell it.
for place in /usr/local/bin /etc/systemd/system /etc/default /var/lib; do
	mount -t tmpfs -o mode=755 tmpfs "$place"
done
cp "$binary" /usr/local/bin/dpu-exporter
cp "$shipped/dpu-exporter.service" /etc/systemd/system/
cp "$shipped/dpu-exporter.default" /etc/default/dpu-exporter
mkdir /etc/systemd/system/dpu-exporter.service.d

# Of all other units only those that every unit depends on, and these are empty.
for target in sysinit basic shutdown network-online multi-user; do
	printf '[Unit]\nDefaultDependencies=no\n' >"/etc/systemd/system/$target.target"
done
mount -t tmpfs -o mode=755 tmpfs /run
mount -o remount,bind,ro /
mount --make-rshared / # as systemd has it where it is not in a container

export container=test SYSTEMD_UNIT_PATH=/etc/systemd/system SYSTEMD_GENERATOR_PATH=/nonexistent
exec /lib/systemd/systemd --system --unit=multi-user.target --log-target=kmsg --log-level=info --show-status=no
