#!/bin/sh
# Builds the tiny guest of the tests: build.sh SOURCE_DIRECTORY OUTPUT_DIRECTORY. A disk of 48 MB with SYSLINUX, Debian's
# cloud kernel, busybox and dropbear. The same packages give the same disk: all times and serial numbers are fixed.
set -eu
here=$1
out=$2
export SOURCE_DATE_EPOCH=1700000000 TZ=UTC LC_ALL=C
umask 022
rm -rf "$out/work"
mkdir -p "$out/work" "$out/packages"

# The kernel is only unpacked: nothing is installed for it.
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-.*\)$/\1/p' | head -n 1)
[ -n "$kernel" ] || { echo "there is no package linux-image-cloud-amd64: run apt-get update" >&2; exit 1; }
if ! ls "$out/packages/$kernel"_*.deb > /dev/null 2>&1; then
  (cd "$out/packages" && apt-get download -q "$kernel" > /dev/null)
fi
dpkg -x "$out/packages/$kernel"_*.deb "$out/work/kernel"

root=$out/work/root
mkdir -p "$root/bin" "$root/etc" "$root/lib/modules" "$root/lib64"
cp "$(command -v busybox)" "$root/bin/busybox"
for program in dropbear dropbearconvert; do
  path=$(PATH=$PATH:/usr/sbin command -v "$program")
  cp "$path" "$root/bin/$program"
  for library in $(ldd "$path" | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
done
for module in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk failover net_failover \
  virtio_net virtio-rng button evdev nls_ascii nls_cp437 fat vfat; do
  file=$(find "$out/work/kernel/lib/modules" -name "$module.ko")
  # What a kernel has built in needs no module.
  [ -z "$file" ] || { cp "$file" "$root/lib/modules/$module.ko"; echo "$module" >> "$root/lib/modules/order"; }
done
cp "$here/init" "$root/init"
cp "$here/lease" "$root/bin/lease"
mkdir -p "$root/etc/baton"
cp "$here/new-identity" "$root/etc/baton/new-identity"
chmod 755 "$root/init" "$root/bin/lease" "$root/etc/baton/new-identity"
echo 'root::0:0:root:/root:/bin/sh' > "$root/etc/passwd"
echo 'root:x:0:' > "$root/etc/group"
echo /bin/sh > "$root/etc/shells"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$root" && find . | sort | cpio -o -H newc --owner 0:0 --reproducible --quiet | gzip -1n) > "$out/work/initrd"

disk=$out/work/disk.raw
truncate -s 48M "$disk"
mformat -i "$disk" -t 96 -h 32 -s 32 -N 0b470721 -v TINY ::
printf 'DEFAULT guest\nPROMPT 0\nTIMEOUT 0\nLABEL guest\n LINUX vmlinuz\n INITRD initrd\n APPEND console=ttyS0 quiet\n' \
  > "$out/work/syslinux.cfg"
cp "$out"/work/kernel/boot/vmlinuz-* "$out/work/vmlinuz"
touch -d "@$SOURCE_DATE_EPOCH" "$out/work/vmlinuz" "$out/work/initrd" "$out/work/syslinux.cfg"
for file in vmlinuz initrd syslinux.cfg; do
  mcopy -m -i "$disk" "$out/work/$file" "::$file"
done
syslinux --install "$disk"
qemu-img convert -f raw -O qcow2 "$disk" "$out/tiny.qcow2.tmp"
mv "$out/tiny.qcow2.tmp" "$out/tiny.qcow2"
rm -rf "$out/work"
