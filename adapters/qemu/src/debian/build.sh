#!/bin/sh
# Builds an ordinary Debian for the longest tests, as root: build.sh OUTPUT_DIRECTORY. A disk of 3 GB with SYSLINUX on a
# small partition, and Debian with systemd, cloud-init and OpenSSH on another. No loop device and no mount is needed.
set -eu
out=$1
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin" DEBIAN_FRONTEND=noninteractive
for program in debootstrap mke2fs sfdisk syslinux mcopy mformat qemu-img; do
  command -v "$program" > /dev/null || { echo "$program is missing: install debootstrap e2fsprogs fdisk syslinux mtools" >&2; exit 1; }
done
rm -rf "$out/work"
mkdir -p "$out/work"
root=$out/work/root

# Where the packages of this machine come from.
site=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ -n "$site" ] || { echo "apt-get knows no archive of Debian: run apt-get update" >&2; exit 1; }
# The last one is what another needs under a name that debootstrap does not resolve.
debootstrap --variant=minbase \
  --include=systemd-sysv,udev,dbus,openssh-server,cloud-init,netplan.io,systemd-resolved,iproute2,kmod,linux-image-cloud-amd64,procps,python3-cffi-backend \
  "$release" "$root" "$site" > "$out/debootstrap.log" 2>&1 || { tail -n 5 "$out/debootstrap.log" >&2; exit 1; }

printf 'LABEL=root / ext4 defaults 0 1\n' > "$root/etc/fstab"
printf 'datasource_list: [ NoCloud ]\n' > "$root/etc/cloud/cloud.cfg.d/90_baton.cfg"
# As in the images of Debian: none of these is the same in two machines.
rm -f "$root"/etc/ssh/ssh_host_*
: > "$root/etc/machine-id"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

mib=1048576
disk=$out/work/disk.raw
truncate -s $((3072 * mib)) "$disk"
printf 'label: dos\n2048,%s,c,*\n%s,,83\n' $((128 * 2048)) $((129 * 2048)) | sfdisk -q "$disk"
truncate -s $((128 * mib)) "$out/work/boot.raw"
mformat -i "$out/work/boot.raw" -T $((128 * 2048)) -h 64 -s 32 -H 2048 ::
mcopy -i "$out/work/boot.raw" "$(ls "$root"/boot/vmlinuz-* | tail -n 1)" ::vmlinuz
mcopy -i "$out/work/boot.raw" "$(ls "$root"/boot/initrd.img-* | tail -n 1)" ::initrd
printf 'DEFAULT debian\nPROMPT 0\nTIMEOUT 0\nLABEL debian\n LINUX vmlinuz\n INITRD initrd\n APPEND root=LABEL=root console=ttyS0 quiet\n' \
  > "$out/work/syslinux.cfg"
mcopy -i "$out/work/boot.raw" "$out/work/syslinux.cfg" ::syslinux.cfg
syslinux --install "$out/work/boot.raw"
mke2fs -q -t ext4 -L root -d "$root" "$out/work/root.raw" $((3072 - 130))m
dd if=/usr/lib/SYSLINUX/mbr.bin of="$disk" bs=440 count=1 conv=notrunc status=none
dd if="$out/work/boot.raw" of="$disk" bs=1M seek=1 conv=notrunc,sparse status=none
dd if="$out/work/root.raw" of="$disk" bs=1M seek=129 conv=notrunc,sparse status=none
qemu-img convert -f raw -O qcow2 "$disk" "$out/debian.qcow2.tmp"
mv "$out/debian.qcow2.tmp" "$out/debian.qcow2"
rm -rf "$out/work"
