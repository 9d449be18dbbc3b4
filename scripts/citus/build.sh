#!/usr/bin/env bash
# Builds and installs Citus for the Postgres 15 of Debian 12, which has no Citus package. Run it as
# root; it may run again. If a package is missing, Postgres is updated to its newest minor release,
# so that the headers match the server.
# CITUS_SOURCE: another git repository of Citus. CITUS_JOBS: number of parallel compilers.
set -euo pipefail

TAG=v13.2.2
SOURCE=${CITUS_SOURCE:-https://github.com/citusdata/citus}
PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
PACKAGES=(
  postgresql-15 postgresql-server-dev-15 git ca-certificates build-essential flex bison
  libicu-dev libkrb5-dev liblz4-dev libpam0g-dev libreadline-dev libselinux1-dev libssl-dev libxml2-dev libxslt1-dev libzstd-dev zlib1g-dev
)

if ! dpkg -s "${PACKAGES[@]}" >/dev/null 2>&1; then
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${PACKAGES[@]}"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git -c advice.detachedHead=false clone -q --no-local --depth 1 --branch "$TAG" "$SOURCE" "$folder/citus"
cd "$folder/citus"

# Newer minor releases of Postgres 15 contain this function, where a second static one is an error.
# Older ones need it.
compat=src/include/pg_version_compat.h
if grep -rqw have_createdb_privilege "$("$PG_CONFIG" --includedir-server)"; then
  perl -0pi -e 's/static inline bool\nhave_createdb_privilege\(void\)\n\{.*?\n\}\n//s' "$compat"
  if grep -q '^have_createdb_privilege(void)' "$compat"; then
    echo "$compat is not as this script knows it" >&2
    exit 1
  fi
fi

# git stores no times, and autoconf would rebuild a configure that looks older.
touch configure
./configure --quiet --without-libcurl PG_CONFIG="$PG_CONFIG"
# No bitcode for the just-in-time compiler, which would double the time.
nice -n 19 make --silent -j"${CITUS_JOBS:-2}" with_llvm=no extension
make --silent with_llvm=no install
echo "Citus $TAG is in $("$PG_CONFIG" --pkglibdir). For the tests: PURSER_CITUS=$(dirname "$("$PG_CONFIG" --bindir)")"
