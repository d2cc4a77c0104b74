#!/bin/sh
# Installs, upgrades and removes Form Relay: sh install.sh --help
# The braces make the shell read the whole script first, so that an incomplete download does nothing.
{
set -eu
umask 022
unset CDPATH
export LC_ALL=C

# `npm run artifacts` fills in both, and the units below.
version='@VERSION@'
downloads='@DOWNLOADS@'

usage() {
  cat << 'USAGE'
Usage: sh install.sh [options]

Installs Form Relay, or upgrades it: as root for this machine, otherwise for you alone.

  --from PLACE         folder or URL that has SHA256SUMS and the artifacts (default: the folder of this script)
  --artifact KIND      executable or package (default: the executable, or the package where only Node can run it)
  --to ADDRESS         mail submissions to this address; needs --smtp
  --smtp HOST[:PORT]   your mail server (default port: 587)
  --smtp-user USER     the user name there; the password comes from the variable SMTP_PASSWORD
  --webform FILE       your own config instead of a first one
  --host ADDRESS       address to listen on (default: 127.0.0.1, for a proxy in front)
  --port NUMBER        port to listen on (default: 8080)
  --service WHEN       yes, no or auto: a systemd service (default: auto, which makes one where systemd is)
  --prefix FOLDER      bin and lib go there (default: /usr/local as root, otherwise ~/.local)
  --name NAME          name of the command (default: relay)
  --force              replace another program of this name
  --uninstall          remove it, and keep the config and the queue
  --purge              with --uninstall: remove these, too
  --help, --version

Each option with a value is a variable, too: FORM_RELAY_FROM, FORM_RELAY_SMTP_USER and so on.
USAGE
}

service_unit() {
  cat << 'UNIT'
@SERVICE@
UNIT
}

socket_unit() {
  cat << 'UNIT'
@SOCKET@
UNIT
}

say() { printf '%-10s %s\n' "$1" "$2"; }
has() { command -v "$1" > /dev/null 2>&1; }

# fail PROBLEM REMEDY
fail() {
  printf 'install.sh: %s\n            %s\n' "$1" "$2" >&2
  exit 1
}

from=${FORM_RELAY_FROM:-}
artifact=${FORM_RELAY_ARTIFACT:-}
to=${FORM_RELAY_TO:-}
smtp=${FORM_RELAY_SMTP:-}
smtp_user=${FORM_RELAY_SMTP_USER:-}
webform=${FORM_RELAY_WEBFORM:-}
host=${FORM_RELAY_HOST:-}
port=${FORM_RELAY_PORT:-}
service=${FORM_RELAY_SERVICE:-}
prefix=${FORM_RELAY_PREFIX:-}
name=${FORM_RELAY_NAME:-}
force='' task=install purge=''

while [ $# -gt 0 ]; do
  case $1 in
  --help) usage && exit ;;
  --version) printf '%s\n' "$version" && exit ;;
  --force) force=yes && shift && continue ;;
  --uninstall) task=uninstall && shift && continue ;;
  --purge) purge=yes && shift && continue ;;
  --*=*) option=${1%%=*} value=${1#*=} && shift ;;
  --*)
    [ $# -gt 1 ] || fail "$1 has no value, or is not an option" 'Run sh install.sh --help to see the options.'
    option=$1 value=$2 && shift 2
    ;;
  *) fail "unknown word: $1" 'Run sh install.sh --help to see the options.' ;;
  esac
  case $option in
  --from) from=$value ;;
  --artifact) artifact=$value ;;
  --to) to=$value ;;
  --smtp) smtp=$value ;;
  --smtp-user) smtp_user=$value ;;
  --webform) webform=$value ;;
  --host) host=$value ;;
  --port) port=$value ;;
  --service) service=$value ;;
  --prefix) prefix=$value ;;
  --name) name=$value ;;
  *) fail "unknown option: $option" 'Run sh install.sh --help to see the options.' ;;
  esac
done
if [ "$purge" ] && [ "$task" = install ]; then
  fail '--purge needs --uninstall' 'To remove everything: sh install.sh --uninstall --purge'
fi

if [ "$(id -u)" -eq 0 ]; then
  is_root=yes
  : "${prefix:=/usr/local}"
  as_you=''
  config=/etc/form-relay state=/var/lib/form-relay units=/etc/systemd/system
  as_root='' systemctl='systemctl'
  [ "${SUDO_USER:-}" = '' ] || as_root='sudo '
else
  is_root='' as_you=you
  [ -n "${HOME:-}" ] || fail 'the variable HOME is not set' 'Set it to your home folder: HOME=/home/NAME sh install.sh'
  : "${prefix:=$HOME/.local}"
  config=${XDG_CONFIG_HOME:-$HOME/.config}/form-relay
  state=${XDG_STATE_HOME:-$HOME/.local/state}/form-relay
  units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
  as_root='' systemctl='systemctl --user'
fi
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac
for path in "$prefix" "$config" "$state"; do
  case $path in
  *[\"\\\$\`%\&\|]* | *'
'*) fail "a name in $path contains a character that is not allowed in a unit or a config" 'Choose other folders: --prefix FOLDER, and the variables XDG_CONFIG_HOME and XDG_STATE_HOME.' ;;
  esac
done
bin=$prefix/bin
lib=$prefix/lib/form-relay
# A line for each thing created, "file PATH" or "dir PATH", and for each decision, such as "name NAME".
record=$lib/installed

recorded() { if [ -f "$record" ]; then sed -n "s|^$1 ||p" "$record"; fi; }
is_recorded() { recorded file | grep -Fqx "$1"; }
# Quotes a path for a shell, systemd or YAML.
quoted() { case $1 in *[!A-Za-z0-9/._-]*) printf '"%s"' "$1" ;; *) printf %s "$1" ;; esac; }

systemd_runs() {
  if [ "$is_root" ]; then [ -d /run/systemd/system ]; else systemctl --user show-environment > /dev/null 2>&1; fi
}

# shellcheck disable=SC2086 # Two words for a user.
control() { $systemctl "$@"; }

# Quotes a value for the .env next to the config.
setting() { if [ -f "$config/.env" ]; then tr -d '\r' < "$config/.env" | sed -n "s/^$1=//p" | tail -n 1 | sed "s/^\(['\"]\)\(.*\)\1\$/\2/"; fi; }

uninstall() {
  if [ ! -f "$record" ] && [ -z "$purge" ]; then
    fail "nothing is installed in $prefix" "Name the folder that it was installed into: --prefix FOLDER. To remove only $config and $state, add --purge."
  fi
  if is_recorded "$units/form-relay.service" && systemd_runs; then
    [ -z "$is_root" ] || control disable --now form-relay.socket > /dev/null 2>&1 || :
    control disable --now form-relay.service > /dev/null 2>&1 || :
    say Stopped form-relay.service
  fi
  recorded file | while IFS= read -r path; do
    [ -e "$path" ] || [ -L "$path" ] || continue
    rm -f "$path"
    say Removed "$path"
  done
  ! systemd_runs || control daemon-reload || :
  # Files that stay remember the folders to remove with them later.
  folders=$({ recorded dir; cat "$config/.folders" 2> /dev/null || :; } | sort -ru)
  if [ -d "$lib" ]; then
    rm -rf "$lib"
    say Removed "$lib"
  fi
  for path in "$config" "$state"; do
    if [ -z "$purge" ]; then
      [ ! -e "$path" ] || say Kept "$path"
      [ "$path" != "$config" ] || [ ! -d "$config" ] || printf '%s\n' "$folders" > "$config/.folders"
    elif [ -e "$path" ] || [ -L "$path" ]; then
      rm -rf "$path"
      # With a dynamic user, systemd keeps the folder there.
      [ -z "$is_root" ] || rm -rf /var/lib/private/form-relay
      say Removed "$path"
    fi
  done
  # The deepest first; folders that contain other things stay.
  printf '%s\n' "$folders" | while IFS= read -r path; do
    [ -z "$path" ] || rmdir "$path" 2> /dev/null || :
  done
  [ -n "$purge" ] || printf '\nTo remove these, too: %ssh install.sh --uninstall --purge\n' "$as_root"
}

if [ "$task" = uninstall ]; then
  uninstall
  exit
fi

for path in "$config" "$config/.env"; do
  if [ -e "$path" ] && { [ ! -r "$path" ] || [ ! -w "$path" ]; }; then
    fail "$path belongs to another user" "Make it yours: sudo chown -R $(id -un) $(quoted "$config")"
  fi
done
# Decisions of earlier runs stay, unless an option overrides them.
before=$(recorded version)
former=$(recorded name)
: "${name:=${former:-relay}}"
: "${artifact:=$(recorded artifact)}"
: "${artifact:=auto}"
: "${service:=$(recorded service)}"
: "${service:=auto}"
: "${host:=$(setting HOST)}"
: "${host:=127.0.0.1}"
: "${port:=$(setting PORT)}"
: "${port:=8080}"
: "${smtp_port:=587}"
case $smtp in
*:*) smtp_port=${smtp##*:} smtp=${smtp%:*} ;;
esac

case $service in
yes | no | auto) ;;
*) fail "--service is $service" 'Write yes, no or auto.' ;;
esac
case $artifact in
executable | package | auto) ;;
*) fail "--artifact is $artifact" 'Write executable or package. The image goes into docker load or podman load.' ;;
esac
decided="artifact $artifact
service $service"
case $name in
*[!A-Za-z0-9_-]* | -* | '') fail "--name is $name" 'Write a name of letters, digits and hyphens, with no hyphen first.' ;;
esac
is_port() { case $1 in '' | *[!0-9]* | 0* | ??????*) false ;; *) [ "$1" -le 65535 ] ;; esac; }
if ! is_port "$port" || ! is_port "$smtp_port"; then
  fail "a port must be a number from 1 to 65535: $port, $smtp_port" 'Write, for example, --port 8081 or --smtp mail.example.com:465.'
fi
[ "$host" != localhost ] || host=127.0.0.1
in_url=$host
case $host in
*[!0-9a-fA-F.:]*) fail "--host is $host" 'Write an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all.' ;;
*:*) in_url="[$host]" ;;
esac
case $to$smtp$smtp_user in
*[!A-Za-z0-9@._+%-]*) fail 'an address contains a character that is not allowed in a config' 'Write plain addresses, such as --to you@example.com --smtp smtp.example.com:587.' ;;
esac
if [ -n "$to" ] && [ -z "$smtp" ]; then
  fail '--to needs a mail server' 'Add --smtp HOST:PORT, as your mail provider names it, such as --smtp smtp.example.com:587.'
fi
if [ -n "$smtp" ] && [ -z "$to" ]; then
  fail '--smtp needs a recipient' 'Add --to ADDRESS, such as --to you@example.com.'
fi
if [ -n "$smtp_user" ] && [ -z "${SMTP_PASSWORD:-}" ] && [ -z "$(setting SMTP_PASSWORD)" ]; then
  fail "the password of $smtp_user is missing" 'Set it: SMTP_PASSWORD=secret sh install.sh …  With sudo: SMTP_PASSWORD=secret sudo --preserve-env=SMTP_PASSWORD sh install.sh …'
fi
if [ -n "$webform" ] && [ ! -f "$webform" ]; then
  fail "there is no file $webform" 'Name the file of your config: --webform FILE.'
fi
case ${SMTP_PASSWORD:-} in
*\'* | *'
'*) fail 'SMTP_PASSWORD contains a single quote or a line break' "Install without it, then write it into $config/.env yourself." ;;
esac

# Linux only has these files. An open port is one that listens: 0A.
port_is_taken() {
  hex=$(printf %04X "$port")
  cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | awk -v hex=":$hex" '$4 == "0A" && substr($2, length($2) - 4) == hex { found = 1 } END { exit !found }'
}
if [ "$port" != "$(setting PORT)" ] && port_is_taken; then
  fail "another program listens on port $port" "Choose another port, such as --port $((port + 1)), or stop that program. It is listed by: ss -ltnp 'sport = :$port'"
fi

# A script that came through a pipe has no folder.
here=''
case ${0##*/} in
*.sh) if [ -f "$0" ]; then here=$(cd -- "$(dirname -- "$0")" && pwd); fi ;;
esac
if [ -z "$from" ]; then
  if [ -f "$here/SHA256SUMS" ]; then
    from=$here
  elif [ -n "$downloads" ]; then
    from=$downloads
  else
    fail 'there are no artifacts beside this script' 'Name the folder or URL that has the artifacts and SHA256SUMS: --from PLACE. In a checkout, npm run artifacts creates them.'
  fi
fi
from=${from%/}

work=$(mktemp -d) || fail 'cannot create a temporary folder' 'Free some space in /tmp, or set TMPDIR to a folder that you can write.'
made=''
gone=''
[ "${former:-$name}" = "$name" ] || gone="file $bin/$former"
save_record() {
  { grep -E '^(file|dir) ' "$record" 2> /dev/null || :; printf '%s\n' "$made"; } | awk -v gone="$gone" 'NF && $0 != gone && !seen[$0]++' > "$work/record"
  printf '%s\n' "name $name" "version $installed" "$decided" >> "$work/record"
  cp "$work/record" "$record"
}
# Removes everything if an installation fails.
clean() {
  rm -rf "$work" "$bin/.$name.new"
  [ -f "$record" ] || printf '%s\n' "$made" | sed -n 's/^dir //p' | sort -r | while read -r path; do rmdir "$path" 2> /dev/null || :; done
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# fetch FILE: copies it into $work.
fetch() {
  case $from in
  http://* | https://*)
    if has curl; then
      curl -fsSL --retry 2 -o "$work/$1" "$from/$1" || fail "$from/$1 cannot be downloaded" 'Look at the line above, and check the address after --from.'
    elif has wget; then
      wget -q -O "$work/$1" "$from/$1" || fail "$from/$1 cannot be downloaded" 'Check the address after --from, and that this machine reaches it.'
    else
      fail 'neither curl nor wget is installed' "Install curl, or download $1 and SHA256SUMS elsewhere and name their folder: --from FOLDER."
    fi
    ;;
  *)
    [ -f "$from/$1" ] || fail "there is no $from/$1" 'Name the folder or URL that npm run artifacts made: --from PLACE.'
    cp "$from/$1" "$work/$1" || fail "$from/$1 cannot be copied" 'Free some space in /tmp, or set TMPDIR to a folder that has it.'
    ;;
  esac
}

hash_of() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  elif has openssl; then
    openssl dgst -sha256 -r "$1"
  else
    fail 'no installed program computes SHA-256' 'Install coreutils (sha256sum) or openssl.'
  fi
}

fetch SHA256SUMS
# Some programs that copy files change line endings.
tr -d '\r' < "$work/SHA256SUMS" > "$work/sums"
listed() { sed -n 's/^[0-9a-f]\{64\} [ *]//p' "$work/sums" | grep -E "$1" | head -n 1; }

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) os=$(uname -s) ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) cpu=$(uname -m) ;;
esac
is_musl=''
if [ "$os" = linux ] && { ls /lib/ld-musl-* > /dev/null 2>&1 || ldd --version 2>&1 | grep -qi musl; }; then is_musl=yes; fi
node=$(command -v node || :)
node_is_new() { [ -n "$node" ] && has npm && "$node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; }

executable=$(listed "^form-relay-[0-9][^ /]*-$os-$cpu\$" || :)
package=$(listed '^form-relay-[0-9][^ /]*\.tgz$' || :)
unfit=''
[ -n "$executable" ] || unfit="no executable is made for $os on $cpu"
[ -z "$is_musl" ] || unfit='the executable needs glibc, and this system has musl'
how_to_get_node='Install Node 20.19 or later with npm (https://nodejs.org; on Alpine: apk add nodejs npm)'
if [ "$artifact" = auto ]; then
  artifact=executable
  if [ -n "$unfit" ]; then
    node_is_new || fail "$unfit" "$how_to_get_node, then run this again; or use the image."
    artifact=package
  fi
elif [ "$artifact" = executable ] && [ -n "$unfit" ]; then
  fail "$unfit" "$how_to_get_node, and use --artifact package; or use the image."
elif [ "$artifact" = package ]; then
  node_is_new || fail 'the package needs Node 20.19 or later with npm' "$how_to_get_node, or use --artifact executable, which needs no Node."
fi
[ "$artifact" = executable ] && file=$executable || file=$package
[ -n "$file" ] || fail "$from has no $artifact" 'Name a folder or URL that has it, and lists it in SHA256SUMS: --from PLACE.'

fetch "$file"
hash=$(hash_of "$work/$file") || exit 1
hash=${hash%% *}
if ! grep -Fqx -e "$hash  $file" -e "$hash *$file" "$work/sums"; then
  fail "$file is not the file that SHA256SUMS lists" "Download both again. It has the hash $hash."
fi

# make_folder PATH MODE: also creates its parents; each created folder is recorded.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname "$1")" 0755
  mkdir -m "$2" "$1" 2> /dev/null || fail "$1 cannot be created" "$unwritable"
  made="$made
dir $1"
}
if [ "$is_root" ]; then
  unwritable='The disk is read-only or full. Choose another folder: --prefix FOLDER.'
else
  unwritable='Choose a folder that you can write: --prefix FOLDER. To install for this machine, use sudo sh install.sh.'
fi

target=$bin/$name
if [ -e "$target" ] && [ -z "$force" ] && ! is_recorded "$target"; then
  fail "another program is at $target" 'Install under another name: --name form-relay. To replace it: --force.'
fi
command=$(quoted "$target")
if [ "$artifact" = package ]; then command="$(quoted "$node") --max-semi-space-size=8 --no-maglev $(quoted "$lib/node_modules/form-relay/dist/relay.cjs")"; fi
if [ "$service" = auto ]; then has systemctl && service=yes || service=no; fi
if [ "$service" = yes ]; then
  for path in "$units/form-relay.service" "$units/form-relay.socket"; do
    if [ -e "$path" ] && [ -z "$force" ] && ! is_recorded "$path"; then
      fail "$path exists, but this script did not create it" 'Remove that service, or replace it: --force. To install without a service: --service no.'
    fi
  done
  case ${is_root}$command in
  yes/root/* | yes/home/* | yes*' '/root/* | yes*' '/home/*)
    fail "the service cannot run $command: it sees no home folder" 'Use --artifact executable or another --prefix, or install Node for the whole machine.'
    ;;
  esac
fi
make_folder "$bin" 0755
make_folder "$lib" 0755
if [ ! -w "$bin" ] || [ ! -w "$lib" ]; then fail "$bin or $lib cannot be written" "$unwritable"; fi

# The new program is tested before it replaces an older one.
new=$bin/.$name.new
if [ "$artifact" = executable ]; then
  if ! cp "$work/$file" "$new" || ! chmod 0755 "$new"; then fail "$new cannot be written" "$unwritable"; fi
else
  rm -rf "$lib/new"
  npm install --ignore-scripts --prefix "$lib/new" --cache "$work/npm" --fetch-retries 1 --omit=optional --no-audit --no-fund --no-update-notifier --loglevel=error "$work/$file" > "$work/npm.log" 2>&1 ||
    fail "npm cannot install $file: $(grep -v '^$' "$work/npm.log" | head -n 3 | tr '\n' ' ')" 'The package needs one other, which npm downloads. Use --artifact executable, which needs nothing.'
  ln -sf "$lib/new/node_modules/form-relay/dist/relay.cjs" "$new"
fi
if ! installed=$("$new" --version 2>&1); then
  fail "$file does not start here: $(printf %s "$installed" | head -n 1)" 'If a library is missing, install it (apt-get install libstdc++6; dnf install libstdc++). If the folder forbids programs, choose another: --prefix FOLDER.'
fi
installed=$(printf %s "$installed" | head -n 1)
first_config() {
  cat << CONFIG
# After each change, check it: $name --config $(quoted "$config/webform.yaml") config validate
# Failed deliveries wait here for another try, encrypted.
keep: {in: $(quoted "$state")}
forms:
  contact: # part of the form's address
    title: Write to us
    keep: failed
    fields:
      - {name: name, label: Name, required: true, max_length: 100, autocomplete: name}
      - {name: email, label: E-mail, type: email, required: true, autocomplete: email}
      - {name: message, label: Message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website} # a field that only bots fill in
    outputs:
CONFIG
  if [ -z "$smtp" ]; then
    cat << CONFIG
      # Writes each submission to a file. For an example that mails or calls a service: $name init --help
      - {type: folder, path: $(quoted "$state")}
CONFIG
    return
  fi
  sender=$to
  case $smtp_user in *@*) sender=$smtp_user ;; esac
  cat << CONFIG
      - type: smtp
        host: $smtp
        port: $smtp_port
        from: $sender
        to: $to
        reply_to: "{{ .fields.email }}"
        subject: "Message from {{ .fields.name }}"
        html: true
CONFIG
  [ -z "$smtp_user" ] || cat << CONFIG
        tls: required
        username: $smtp_user
        password: '{{ env "SMTP_PASSWORD" }}'
CONFIG
}

candidate=$config/webform.yaml
if [ ! -f "$candidate" ]; then
  first_config > "$work/webform.yaml"
  candidate=${webform:-$work/webform.yaml}
fi
if ! "$new" --config "$candidate" config validate > "$work/problems" 2>&1; then
  cat "$work/problems" >&2
  rm -rf "$lib/new"
  fail "version $installed rejects $candidate" "Correct what it lists above, then run this again.${before:+ Version $before stays installed.}"
fi
if [ "$artifact" = package ]; then
  rm -rf "$lib/node_modules"
  mv "$lib/new/node_modules" "$lib/node_modules"
  rm -rf "$lib/new"
  ln -sf "$lib/node_modules/form-relay/dist/relay.cjs" "$new"
else
  rm -rf "$lib/node_modules"
fi
mv -f "$new" "$target"
if [ "$gone" ]; then rm -f "${gone#file }" && say Removed "${gone#file }"; fi
made="$made
file $target"
save_record
if [ -z "$before" ]; then
  say Installed "$target, version $installed ($artifact)"
elif [ "$before" = "$installed" ]; then
  say Installed "$target again, version $installed ($artifact)"
else
  say Upgraded "$target from version $before to $installed ($artifact)"
fi

make_folder "$config" 0755
if [ -f "$config/webform.yaml" ]; then
  say Kept "$config/webform.yaml"
  [ -z "$to$webform" ] || say '' 'The config is unchanged: --to, --smtp and --webform apply only to the first config.'
else
  cp "$candidate" "$config/webform.yaml"
  # The service runs as its own user.
  [ -z "$is_root" ] || chmod 0644 "$config/webform.yaml"
  does="a contact form that stores submissions in $state"
  [ -z "$to" ] || does="a contact form that mails submissions to $to"
  [ -z "$webform" ] || does="a copy of $webform${is_root:+, which everyone on this machine can read}"
  say Wrote "$config/webform.yaml: $does"
fi

# set_variable NAME VALUE [QUOTE]: writes to the .env, which the relay and systemd read.
set_variable() {
  [ "$(setting "$1")" != "$2" ] || return 0
  { grep -v "^$1=" "$config/.env" || :; printf '%s=%s\n' "$1" "${3:-}$2${3:-}"; } > "$work/env"
  cat "$work/env" > "$config/.env"
}
random() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
if [ ! -f "$config/.env" ]; then
  (umask 077 && : > "$config/.env")
  say Wrote "$config/.env: the address, passwords and keys, for ${is_root:+root}${as_you} alone"
fi
chmod o-rwx "$config/.env"
set_variable HOST "$host"
set_variable PORT "$port"
for one in FORM_TOKEN_SECRET KEEP_SECRET; do
  [ -n "$(setting "$one")" ] || set_variable "$one" "$(random)"
done
[ -z "${SMTP_PASSWORD:-}" ] || set_variable SMTP_PASSWORD "$SMTP_PASSWORD" "'"

save_record

# user_unit: adapts the unit to a service without root.
user_unit() {
  cat << UNIT
[Unit]
Description=Form Relay
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
ExecStart=$command serve
Environment=NODE_ENV=production
Environment="CONFIG_FILE=$config/webform.yaml"
ExecReload=/bin/sh -c "kill -HUP \$MAINPID"
Restart=always
RestartSec=5
TimeoutStopSec=30
KillMode=mixed
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
UNIT
}

# write_unit FILE: writes a unit from this file.
write_unit() {
  made="$made
file $1"
  cmp -s "$work/unit" "$1" && return
  cp "$work/unit" "$1" || fail "$1 cannot be written" 'Install without a service: --service no.'
  say Wrote "$1"
}

if [ "$service" = yes ]; then
  make_folder "$units" 0755
  if [ "$is_root" ]; then
    # The .env contains the secrets.
    service_unit | sed -e "s|^ExecStart=.*|ExecStart=$command serve|" -e "s|^EnvironmentFile=.*|EnvironmentFile=-$config/.env|" \
      -e '/^LoadCredential=/d' -e '/SECRETS_DIR/d' -e '/^# Secrets:/d' -e '1,/^\[Unit\]/{/^#/d}' > "$work/unit"
    write_unit "$units/form-relay.service"
    socket_unit | sed -e "s|^ListenStream=.*|ListenStream=$in_url:$port|" -e '1,/^\[Unit\]/{/^#/d}' > "$work/unit"
    write_unit "$units/form-relay.socket"
  else
    user_unit > "$work/unit"
    write_unit "$units/form-relay.service"
  fi
fi
# systemd creates the service's folder, and a user that exists while the service runs.
if [ "$service" = no ] || [ -z "$is_root" ]; then make_folder "$state" 0700; fi
save_record

started=''
if [ "$service" = yes ] && systemd_runs; then
  started=yes
  control daemon-reload
  if [ "$is_root" ]; then
    control enable --quiet form-relay.socket form-relay.service
    # A new address requires a new socket.
    if [ -n "$before" ]; then control stop form-relay.service form-relay.socket; fi
    control start form-relay.socket && control start form-relay.service || started=failed
  else
    control enable --quiet form-relay.service
    control restart form-relay.service || started=failed
  fi
  [ "$started" = yes ] || fail 'the service does not start' "Look at its log: journalctl ${is_root:---user} --unit form-relay --lines 20"
  say Started 'form-relay.service'
fi

shown=$in_url
case $host in 0.0.0.0 | ::) shown=localhost ;; esac
called=$name
[ "$(command -v "$name" || :)" = "$target" ] || called=$(quoted "$target")
file=$(quoted "$config/webform.yaml")
serve="$as_root$called --config $file"
printf '\nNext:\n'
step() { printf '  %s\n      %s\n' "$1" "$2"; }
if [ "$started" ]; then
  step "http://$shown:$port/f/contact" 'open the form and send it'
elif [ "$service" = yes ]; then
  step "${as_root}$systemctl daemon-reload && ${as_root}$systemctl enable --now form-relay" 'start the service, once systemd runs'
else
  step "$serve serve" "serve the form at http://$shown:$port/f/contact"
fi
step "${as_root}${EDITOR:-nano} $file" 'change the form and where submissions go'
step "$serve doctor" 'check the config, and whether its servers answer'
[ -z "$started" ] || step "${as_root}$systemctl reload form-relay" 'use the changed config'
if [ "$started" ] && [ -z "$is_root" ]; then step 'loginctl enable-linger' 'keep the service running after you log out'; fi
script="sh $(quoted "$0")"
[ -n "$here" ] || script="curl -fsSL $from/install.sh | sh -s --"
step "$as_root$script --uninstall" 'remove all of this'
if [ "$called" != "$name" ]; then
  other=$(command -v "$name" || :)
  if [ -n "$other" ]; then
    printf '\n%s comes first in your PATH, and is another program. Call this one %s, or install it under another name: --name form-relay\n' "$other" "$target"
  else
    # shellcheck disable=SC2016 # For the reader's shell.
    printf '\n%s is not in your PATH. To call it as %s: export PATH="%s:$PATH"\n' "$bin" "$name" "$bin"
  fi
fi
}
