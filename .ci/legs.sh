# What .ci/run and .ci/nightly share. A leg is a command; the sum over all legs is printed last, as `N passed, N failed, N skipped`.
# A leg that prints no such line counts as one. Every leg runs, also after one that failed. All of them run in one fresh clone.

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
clone=$scratch/clone/music-relay
passed=0 failed=0 skipped=0

say() { printf '\n== %s\n' "$*"; }

# leg <what it is> <command …>; the command runs in a shell of its own, in the clone
leg() {
  local begun=$SECONDS status=0
  say "$1"
  shift
  (cd "$clone" && "$@") 2>&1 | tee "$scratch/log" || status=1
  if [[ $(tail -n 1 "$scratch/log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    if [ "$status" = 1 ] && [ "${BASH_REMATCH[2]}" = 0 ]; then failed=$((failed + 1)); fi
  elif [ "$status" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  echo "-- $([ "$status" = 0 ] && echo ok || echo FAILED) after $((SECONDS - begun)) s"
  return "$status"
}

total() {
  echo
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
}

make_clone() {
  git clone --quiet . "$clone" || exit 1
  if [ -d ../shared ]; then ln -s "$(realpath ../shared)" "$scratch/clone/shared"; fi
}

# What these legs prove. They run in the gate only if it has changed since .ci/nightly passed them and wrote .ci/proven.
declare -A proves=(
  [contract]='openapi.yaml schemas test/contract'
  [foreign]='src/demo test/foreign'
  [container]='Dockerfile .dockerignore build package.json package-lock.json test/gate/container.js'
  [players]='src/players test/players test/nightly/players-mpv.test.ts test/nightly/players-subsonic-api.test.ts'
  [contributing]='CONTRIBUTING.md src schemas build package-lock.json test/docs'
  [packed]='package.json package-lock.json src schemas build test/gate/packed.js'
  [pages]='public schemas src/edge src/demo/media test/browser test/support/browser.ts build/page.js'
)
# shellcheck disable=SC2086 # the paths are words
state_of() { git ls-tree -r HEAD -- ${proves[$1]} | sha256sum | cut -c 1-16; }
# prove <name> <command …>: notes for .ci/proven that the command passed
prove() { local name=$1; shift; if "$@"; then echo "$name $(state_of "$name")" >>"$scratch/proven"; fi; }
changed() {
  grep -qx "$1 $(state_of "$1")" .ci/proven 2>/dev/null || return 0
  say "$1: not run, since .ci/nightly passed it with the same ${proves[$1]}"
  return 1
}

contributing() { leg 'an endpoint added by CONTRIBUTING' node test/docs/run.js CONTRIBUTING.md; }
packed() { leg 'the package, packed, installed and used' node test/gate/packed.js --here; }
contract() { leg 'the OpenAPI document, tried with tools of others' env SCARF_ANALYTICS=false npm run --silent contract; }
foreign() { leg 'clients of others, at the demo upstream' npm run --silent foreign; }
container() { leg 'the container image, step by step' node test/gate/container.js; }
# Those with windows one at a time: some do not start beside another one.
players() { leg 'real players' node test/run.js test/nightly/players-mpv.test.ts test/nightly/players-subsonic-api.test.ts players; }

# The other files of test/browser need what this one builds.
site() { npm run --silent site && node test/run.js test/browser/site.test.ts; }
pages() { leg 'all pages in a browser' sh -c 'node test/run.js $(ls test/browser/*.test.ts | grep -v /site.test)'; }

free() { ! (exec 3<>/dev/tcp/127.0.0.1/3200) 2>/dev/null; }

# npm run demo, which does not build: it answers what the front pages say.
front_pages() {
  free || { echo 'port 3200 is taken: something else would answer'; return 1; }
  local begun demo='' status=0
  trap '[ -z "${demo:-}" ] || kill -TERM -- "-$demo" 2>/dev/null' EXIT
  begun=$(date +%s%N)
  # A session of its own, so that npm's children end with it.
  setsid npm run demo >"$scratch/demo" 2>&1 &
  demo=$!
  for _ in $(seq 2400); do if ! free; then break; fi; sleep 0.05; done
  echo "the start took $((($(date +%s%N) - begun) / 1000000)) ms"
  node test/docs/run.js --at http://localhost:3200 README.md README.zh-CN.md || { cat "$scratch/demo"; status=1; }
  kill -TERM -- "-$demo"
  wait "$demo"
  for _ in $(seq 40); do if free; then break; fi; sleep 0.25; done
  demo=''
  free || { echo 'the demo did not stop'; return 1; }
  return "$status"
}

# Pages are tested in a real browser, several instances with a real store and proxies, audio and libraries with real players, the
# contract with clients of other languages. Where a program is missing its tests are skipped, saying so.
install_programs() {
  local missing=() program
  local -A packages=(
    [/usr/bin/chromium]=chromium [/usr/bin/redis-server]=redis-server [/usr/sbin/haproxy]=haproxy [/usr/sbin/nginx]=nginx-light [/usr/bin/mpv]=mpv
    [/usr/bin/prometheus]=prometheus [/usr/bin/caddy]=caddy
    [/usr/bin/strawberry]=strawberry [/usr/bin/clementine]=clementine [/usr/bin/sublime-music]=sublime-music [/usr/bin/Xvfb]=xvfb [/usr/bin/mpd]=mpd [/usr/bin/mpc]=mpc
    [/usr/bin/gst-launch-1.0]=gstreamer1.0-tools [/usr/bin/gmediarender]=gmediarender
    [/usr/bin/xdotool]=xdotool [/usr/bin/sqlite3]=sqlite3 [/usr/bin/javac]=default-jdk-headless [/usr/bin/go]=golang-go
    [/usr/share/gocode/src/golang.org/x/oauth2]=golang-golang-x-oauth2-dev [/usr/share/java/jackson-databind.jar]=libjackson2-databind-java
    [/usr/share/java/jsr305.jar]=libjsr305-java
  )
  for program in "${!packages[@]}"; do [ -e "$program" ] || missing+=("${packages[$program]}"); done
  if [ ! -x /usr/bin/strawberry ]; then missing+=(gstreamer1.0-alsa); fi
  perl -MOpenAPI::Client -e1 2>/dev/null || missing+=(libopenapi-client-perl)
  /usr/bin/python3 -c 'import urllib3, dateutil, six, certifi' 2>/dev/null || missing+=(python3-urllib3 python3-dateutil python3-six python3-certifi)
  if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "programs for the tests: ${missing[*]}"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 || echo 'they could not be installed'
  fi
}
