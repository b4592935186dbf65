#!/bin/sh
# Tests the package in a separate Debian system, as a hook of mmdebstrap: installed.sh ROOT DEB SIM_URL
# Installs the package with its dependencies by apt, and prints its observations in lines, which package_test.py reads (mmdebstrap
# sends all output of a hook to stderr). SIM_URL is a simulated provider on this machine, used by a gateway that gets its socket
# from systemd-socket-activate.
set -eu

root=$1 deb=$2 sim=$3
cp "$deb" "$root/tmp/photofinish.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
is_there() { if [ -e "$root/$1" ] || [ -L "$root/$1" ]; then echo yes; else echo no; fi; }

inside apt-get -q -o APT::Sandbox::User=root install -y --no-install-recommends /tmp/photofinish.deb >&2
echo "version: $(inside photofinish version | head -n 1)"
inside photofinish check --config /etc/photofinish/photofinish.yaml >&2 && echo "check: ok"
echo "enabled: $(is_there etc/systemd/system/multi-user.target.wants/photofinish.service)"
echo "socket enabled: $(is_there etc/systemd/system/sockets.target.wants/photofinish.socket)"
inside systemd-analyze verify --man=no photofinish.service photofinish.socket >"$root/tmp/verify" 2>&1 &&
  echo "verify: ok$(cat "$root/tmp/verify")"
echo "verify says: $(tr '\n' ' ' <"$root/tmp/verify")"

# Runs the unit's command as a user who owns nothing, with a configuration of one provider.
start=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/photofinish.service")
cat >"$root/etc/photofinish/photofinish.yaml" <<END
providers: {sim: {base_url: "$sim/v1", api_key: none, models: [m]}}
state_dir: none
END
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
chroot "$root" env -i PATH=/usr/bin:/bin setpriv --reuid 65533 --regid 65533 --clear-groups --pdeathsig KILL \
  systemd-socket-activate --listen "127.0.0.1:$port" $start >"$root/tmp/serve.log" 2>&1 &  # its process id is the server's
server=$!
for _ in $(seq 300); do grep -q '^Listening on ' "$root/tmp/serve.log" && break || sleep 0.1; done
echo "answer: $(curl -s --max-time 60 "http://127.0.0.1:$port/v1/chat/completions" -H 'content-type: application/json' \
  -d '{"model":"sim/m","messages":[{"role":"user","content":"Say hello"}]}')"
kill "$server" || true
wait "$server" && echo "end: 0" || echo "end: $?"
sed 's/^/serve: /' "$root/tmp/serve.log" >&2

inside dpkg --remove photofinish >&2
echo "removed: binary $(is_there usr/bin/photofinish), configuration $(is_there etc/photofinish/photofinish.yaml)"
mkdir -p "$root/var/lib/private/photofinish" "$root/var/log/private/photofinish"
inside dpkg --purge photofinish >&2
echo "purged: configuration $(is_there etc/photofinish), state $(is_there var/lib/private/photofinish)," \
  "logs $(is_there var/log/private/photofinish)"
