#!/bin/sh
# One database and one owner for each service, and one role that may only read the logs. Runs once, on an empty cluster.
set -eu
: "${ENJEU_DATABASE_PASSWORD:?}" "${ENJEU_READER_PASSWORD:?}"
for service in wallet issuance history; do
  psql -v ON_ERROR_STOP=1 -v owner="$service" -v password="$ENJEU_DATABASE_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
CREATE ROLE :"owner" LOGIN PASSWORD :'password';
CREATE DATABASE :"owner" OWNER :"owner";
SQL
done
psql -v ON_ERROR_STOP=1 -v password="$ENJEU_READER_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
CREATE ROLE enjeu_reader LOGIN PASSWORD :'password';
SQL
