#!/bin/sh
# Updates the digests of images next to their tags, in the Dockerfile and for Compose: sh
# deploy/container/pin.sh
# Queries the registry with skopeo or docker, whichever is installed. Run it again to update.
set -eu
cd "$(dirname "$0")/../.."
manifest=$(mktemp)
trap 'rm -f "$manifest"' EXIT

# pin FILE IMAGE: returns IMAGE with the tag used in FILE.
pin() {
  digest=$(ask "$2") || exit 1
  case $digest in
  sha256:*) ;;
  *)
    echo "pin.sh: the registry gave no digest for $2" >&2
    exit 1
    ;;
  esac
  escaped=$(printf %s "$2" | sed 's/[.]/[.]/g')
  sed -E "s#($escaped)(@sha256:[0-9a-f]+)?#\1@$digest#" "$1" > "$1.pinned"
  cat "$1.pinned" > "$1"
  rm "$1.pinned"
  echo "$1: $2@$digest"
}

ask() {
  if command -v skopeo > /dev/null; then
    # The digest of the multi-architecture list, from which each machine selects its own image.
    skopeo inspect --raw "docker://$1" > "$manifest" || exit 1
    sha256sum < "$manifest" | sed 's/^\([0-9a-f]*\).*/sha256:\1/'
  elif command -v docker > /dev/null; then
    docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'
  else
    echo 'pin.sh: install skopeo or docker' >&2
    exit 1
  fi
}

# The first image in FILE whose name and tag match PATTERN.
named() {
  grep -oE "$2" "$1" | head -n 1
}

pin deploy/container/Dockerfile "$(named deploy/container/Dockerfile 'docker\.io/library/node:[a-z0-9.-]+')"
pin deploy/caddy/compose.yaml "$(named deploy/caddy/compose.yaml 'docker\.io/library/caddy:[a-z0-9.-]+')"
pin deploy/compose/compose.yaml "$(named deploy/compose/compose.yaml 'docker\.io/library/caddy:[a-z0-9.-]+')"
