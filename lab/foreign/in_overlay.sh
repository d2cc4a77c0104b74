# Runs $3 in an overlay of this machine: $1 is a folder on a disk, $2 a Debian package.
set -e
mount -t tmpfs none "$1/overlay"
mkdir "$1/overlay/upper" "$1/overlay/work" "$1/overlay/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/overlay/upper,workdir=$1/overlay/work" "$1/overlay/root"
cd "$1/overlay/root"
mount --rbind /dev dev
mount -t proc none proc
mkdir foreign
mount --bind "$1/shared" foreign
export DEBIAN_FRONTEND=noninteractive
echo "postfix postfix/main_mailer_type select No configuration" | chroot . debconf-set-selections
chroot . sh -c "apt-get update -q && apt-get install -qy --no-install-recommends $2"
exec chroot . sh -c "$3"
