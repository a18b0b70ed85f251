#!/bin/sh
# Installs wamux on a Linux server with systemd, or brings it to the version of this release; run again, it changes nothing.
#   curl -fsSL <release>/install.sh | sudo sh
#   sudo sh install.sh --from /folder/or/https://address/of/a/release
# Nothing but the tarball is installed: Node.js is inside. Files: /opt/wamux/<version>, /usr/local/bin/wamux, /var/lib/wamux (data),
# /etc/wamux.env (settings), /etc/systemd/system/wamux.service.
set -eu
umask 022

# Where the release with this file is; written when it is made.
FROM=''

fail() { echo "install.sh: $*" >&2; exit 1; }
say() { echo "- $*"; }

# In a function, so that nothing runs of a file that was cut off while it was downloaded.
main() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --from) [ "$#" -gt 1 ] || fail '--from needs a folder or an address'; FROM=${2%/}; shift 2 ;;
      *) fail "unknown argument $1; known: --from FOLDER_OR_ADDRESS" ;;
    esac
  done
  [ -n "$FROM" ] || fail 'say with --from in which folder or at which address the files of the release are'
  [ "$(id -u)" = 0 ] || fail 'run it as root, for example with sudo'
  [ "$(uname -s)" = Linux ] || fail "it is for Linux, not $(uname -s)"
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no tarball for $(uname -m)" ;;
  esac
  for tool in tar gzip sha256sum systemctl useradd; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
  done
  if ldd --version 2>&1 | grep -qi musl; then fail 'it needs glibc: take the image on a system with musl'; fi

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  fetch SHA256SUMS
  line=$(grep -E "  wamux-[0-9][0-9A-Za-z.-]*-linux-$arch\.tar\.gz\$" "$work/SHA256SUMS") ||
    fail "$FROM has no tarball for linux-$arch"
  [ "$(echo "$line" | wc -l)" = 1 ] || fail "$FROM has several tarballs for linux-$arch"
  tarball=${line#*  }
  version=${tarball#wamux-}
  version=${version%-linux-$arch.tar.gz}

  is_changed=no
  if [ ! -x "/opt/wamux/$version/bin/wamux" ]; then
    fetch "$tarball"
    (cd "$work" && echo "$line" | sha256sum --check --quiet) || fail "$tarball is not what SHA256SUMS says; nothing was changed"
    mkdir -p /opt/wamux
    rm -rf "/opt/wamux/.$version"
    mkdir "/opt/wamux/.$version"
    tar -xzf "$work/$tarball" -C "/opt/wamux/.$version" --strip-components=1 --no-same-owner
    "/opt/wamux/.$version/bin/wamux" --version >/dev/null || fail "this system can not run it; nothing was changed"
    rm -rf "/opt/wamux/$version"
    mv "/opt/wamux/.$version" "/opt/wamux/$version"
    say "unpacked wamux $version"
  fi
  before=$(readlink /opt/wamux/current || true)
  if [ "$before" != "$version" ]; then
    ln -sfn "$version" /opt/wamux/.current && mv -T /opt/wamux/.current /opt/wamux/current
    is_changed=yes
    say "current version: $version${before:+, before: $before}"
  fi
  [ "$(readlink /usr/local/bin/wamux || true)" = /opt/wamux/current/bin/wamux ] || {
    mkdir -p /usr/local/bin
    [ ! -e /usr/local/bin/wamux ] || fail '/usr/local/bin/wamux is another one; remove it first (npm uninstall -g wamux)'
    ln -sf /opt/wamux/current/bin/wamux /usr/local/bin/wamux
  }

  if ! id wamux >/dev/null 2>&1; then
    useradd --system --user-group --home-dir /var/lib/wamux --no-create-home --shell "$(command -v nologin || echo /usr/sbin/nologin)" wamux
    say 'created the user wamux'
  fi
  [ -d /var/lib/wamux ] || install -d -m 700 -o wamux -g wamux /var/lib/wamux
  if [ ! -e /etc/wamux.env ]; then
    (umask 077 && printf '# Settings of wamux as NAME=value; see REFERENCE.md. systemctl restart wamux applies them.\n#WAMUX_PORT=8080\n' >/etc/wamux.env)
    say 'created /etc/wamux.env for settings'
  fi
  put "/opt/wamux/$version/systemd/wamux.service" /etc/systemd/system/wamux.service
  mkdir -p /etc/systemd/system/wamux.service.d
  # A fixed user, so that `wamux backup` and `wamux doctor` can run as it.
  printf '[Service]\nDynamicUser=no\nUser=wamux\nGroup=wamux\n' >"$work/user.conf"
  put "$work/user.conf" /etc/systemd/system/wamux.service.d/user.conf

  if [ ! -d /run/systemd/system ]; then
    systemctl enable --quiet wamux
    say 'systemd is not running here: wamux starts with the next boot'
  else
    [ "$is_changed" = no ] || systemctl daemon-reload
    systemctl enable --quiet wamux
    if [ "$is_changed" = yes ]; then systemctl restart wamux; else systemctl start wamux; fi
    wait_until_up
  fi
  remove_older
  remind
}

# Downloads a file of the release into $work, or copies it.
fetch() {
  case $FROM in
    http://* | https://*)
      if command -v curl >/dev/null; then curl -fsSL --retry 3 -o "$work/$1" "$FROM/$1"
      elif command -v wget >/dev/null; then wget -q -O "$work/$1" "$FROM/$1"
      else fail 'neither curl nor wget is installed'; fi || fail "$FROM/$1 can not be downloaded" ;;
    *) cp "$FROM/$1" "$work/$1" || fail "there is no $FROM/$1" ;;
  esac
}

# Copies a file unless it is the same.
put() {
  if ! cmp -s "$1" "$2"; then
    install -m 644 "$1" "$2"
    is_changed=yes
    say "wrote $2"
  fi
}

wait_until_up() {
  port=$(sed -n 's/^WAMUX_PORT=//p' /etc/wamux.env)
  for _ in $(seq 60); do
    if [ "$(systemctl is-active wamux)" = failed ]; then break; fi
    if /opt/wamux/current/libexec/node -e "fetch('http://127.0.0.1:${port:-8080}/server/ok').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"; then
      say "it answers on http://127.0.0.1:${port:-8080}"
      return
    fi
    sleep 1
  done
  fail 'it did not start: journalctl -u wamux says why'
}

# Keeps the version before this one, to go back to.
remove_older() {
  for folder in /opt/wamux/*/; do
    name=$(basename "$folder")
    case $name in current | "$version" | "${before:-$version}") continue ;; esac
    # Without a version before: nothing to compare with, so nothing is removed.
    [ -n "$before" ] && [ "$before" != "$version" ] || continue
    rm -rf "$folder"
    say "removed $name"
  done
}

remind() {
  cat <<END

wamux $version is installed.
- Admin token: /var/lib/wamux/admin-token. It listens on 127.0.0.1: put a reverse proxy with TLS in front of it.
- BACK UP /var/lib/wamux/master-key, now and to another machine: without it nothing that is stored can be read again.
  The first start creates it. "sudo -u wamux WAMUX_DATA_DIR=/var/lib/wamux wamux backup FILE" copies the database.
- Settings: /etc/wamux.env. Log: journalctl -u wamux. Check: sudo -u wamux WAMUX_DATA_DIR=/var/lib/wamux wamux doctor
END
}

main "$@"
