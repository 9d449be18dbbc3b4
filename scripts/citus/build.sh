#!/usr/bin/env bash
# Builds Citus for the Postgres 15 of Debian 12, which has no package of it, and installs it there. Run it as root; it may be repeated. Where a package
# is missing, Postgres comes to the newest minor release, too, so that its headers are those of the server.
# CITUS_SOURCE: another git repository of Citus to take the source from. CITUS_JOBS: how many compilers at a time.
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

# Postgres 15 has this function itself since one of its last minor releases: a static one beside it is an error there, and needed before.
compat=src/include/pg_version_compat.h
if grep -rqw have_createdb_privilege "$("$PG_CONFIG" --includedir-server)"; then
  perl -0pi -e 's/static inline bool\nhave_createdb_privilege\(void\)\n\{.*?\n\}\n//s' "$compat"
  if grep -q '^have_createdb_privilege(void)' "$compat"; then
    echo "$compat is not as this script knows it" >&2
    exit 1
  fi
fi

touch configure # git gives no times: an older one would be made again, by autoconf
./configure --quiet --without-libcurl PG_CONFIG="$PG_CONFIG"
# Nothing for the just-in-time compiler: it would take as long again.
nice -n 19 make --silent -j"${CITUS_JOBS:-2}" with_llvm=no extension
make --silent with_llvm=no install
echo "Citus $TAG is in $("$PG_CONFIG" --pkglibdir). For the tests: PURSER_CITUS=$(dirname "$("$PG_CONFIG" --bindir)")"
