#!/usr/bin/env bash
# Tests the official SDKs with the real gateway and simulated providers.
#   tests/clients/run.sh [--long | --go] BINARY [CACHE_DIR]
# --long runs only the suites of large programs; --go runs only the suite of the SDK for Go, which takes minutes to build.
# Suites whose packages npm, pip or go cannot fetch are skipped, and the last line names them. Exit code: 0 passed, 1 failed,
# 77 nothing could be run.
# The versions are the newest that run on Debian 12's own Node 18 (openai 7 and ai 7 require 22) and Python 3.11. To raise
# them: change package.json, then run `npm install --package-lock-only` here; change the first line of requirements.txt and its
# dependencies.
set -u

tier=small
case ${1-} in
  --long|--go) tier=${1#--}; shift ;;
esac
usage="tests/clients/run.sh [--long | --go] BINARY [CACHE_DIR]" default_cache=build/clients
. "$(dirname "$0")/../support/suite_arguments.sh"

installs_for=clients
. "$here/../support/installs.sh"

readonly suite_seconds=150
passed=0 failed=0 skipped=()
scratch=$(mktemp -d)
house=()   # process ids of the suite that runs
mortal=()  # ids of the processes that the suite may kill
trap 'stop_house; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

# --- the gateway and its providers -------------------------------------------------------------------------------

# start NAME PATTERN COMMAND...: runs the command in the background until its output contains a URL after PATTERN, stored in $url.
start() {
  local name=$1 pattern=$2 out=$scratch/$1.out
  shift 2
  rm -f "$out"
  "$@" >"$out" 2>"$scratch/$name.err" &
  house+=($!)
  for _ in $(seq 200); do
    url=$(sed -n "s|^$pattern\(http://[^ ]*\).*|\1|p" "$out" 2>/dev/null | head -n 1)
    [ -n "$url" ] && return 0
    kill -0 "${house[-1]}" 2>/dev/null || break
    sleep 0.05
  done
  echo "clients: $name did not start:" >&2
  cat "$scratch/$name.err" >&2
  return 1
}

# let_die NAME: permits the suite to kill the process that was started last. Its id is in $NAME_PID.
let_die() {
  export "$1_PID=${house[-1]}"
  disown "${house[-1]}"  # bash then does not report that the process was killed
  mortal+=("${house[-1]}")
  unset 'house[-1]'
}

start_sim() {
  local name=$1
  shift
  start "$name" "" "$binary" sim --listen 127.0.0.1:0 --ttft 20ms --ttft-sigma 0 --stall-share 0 --tps 200 \
    --tokens 12 "$@"
}

# Removes the keys from the environment: a test must not find a real key.
start_gateway() {
  local name urls=()
  for name in SIM FLAKY GROQ CEREBRAS LISTENING UPSTREAMS CHAT NATIVE ACCOUNT CLAUDE OTHER_CLAUDE OPENAI OTHER_OPENAI \
    BEDROCK COLLECTOR; do
    name+=_URL
    urls+=("$name=${!name-}")
  done
  start "${1//\//-}" "listening on " env -i PATH="$PATH" "${urls[@]}" "$binary" serve --config "$here/$1.yaml"
}

start_chat_house() {
  start_sim sim && SIM_URL=$url || return 1
  # This provider fails half of its requests. With this seed two requests fail and one succeeds, twice.
  start_sim flaky --status 429 --retry-after 50ms --fault-share 0.5 --seed 61 && FLAKY_URL=$url || return 1
  start_sim groq --require-key gsk-own && GROQ_URL=$url || return 1
  start_sim cerebras --require-key csk-own && CEREBRAS_URL=$url || return 1
  start_sim listening --require-key plain-token && LISTENING_URL=$url || return 1
  start_gateway gateway && export GATEWAY_URL=$url || return 1
  start_gateway guarded && export GUARDED_URL=$url || return 1
}

# The gateway for the APIs other than chat.
start_apis_house() {
  start_sim sim && SIM_URL=$url || return 1
  start upstreams "" python3 "$here/upstreams.py" && export UPSTREAMS_URL=$url || return 1
  start_gateway apis && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

# The gateway for Responses and Messages, with providers that serve only chat, and only Messages or Gemini.
start_conversations_house() {
  start chat "" python3 "$here/conversations/chat_upstream.py" && export CHAT_URL=$url || return 1
  start native "" env PYTHONPATH="$here" python3 "$here/conversations/native_upstream.py" && export NATIVE_URL=$url ||
    return 1
  start_gateway conversations/gateway && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

# The gateway for agents, with the same two providers, a second account of Messages and a provider of Responses. Suites kill the last two.
start_agents_house() {
  start chat "" python3 "$here/conversations/chat_upstream.py" && export CHAT_URL=$url || return 1
  start native "" env PYTHONPATH="$here" python3 "$here/conversations/native_upstream.py" && export NATIVE_URL=$url ||
    return 1
  start account "" env PYTHONPATH="$here" python3 "$here/conversations/native_upstream.py" && export ACCOUNT_URL=$url ||
    return 1
  let_die ACCOUNT
  start openai "" python3 "$here/agents/responses_upstream.py" && export OPENAI_URL=$url || return 1
  let_die OPENAI
  start_gateway agents/gateway && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

# A provider that keeps prompts in a cache, for one account: start_kept NAME KEY [OPTION...]
start_kept() {
  start "$1" "" "$binary" sim --listen 127.0.0.1:0 --require-key "$2" --prompt-cache --ttft 200ms --ttft-uncached 35ms \
    --ttft-cached 2ms --ttft-sigma 0.1 --stall-share 0 --tps 200 --tokens 12 "${@:3}"
}

# Coding agents, with two accounts each at two such vendors.
start_warm_house() {
  local marked=(--cache-marks needed --cache-step 1)
  start_kept claude account-1 "${marked[@]}" && CLAUDE_URL=$url || return 1
  start_kept other-claude account-2 "${marked[@]}" && OTHER_CLAUDE_URL=$url || return 1
  start_kept openai account-1 && OPENAI_URL=$url || return 1
  start_kept other-openai account-2 && OTHER_OPENAI_URL=$url || return 1
  start_gateway agents/warm_agents && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

# The simulated provider itself, for the SDKs of the vendors whose APIs it simulates.
start_simulator_house() {
  start_sim sim --require-key sim-own && export SIM_URL=$url || return 1
}

# The gateway for Amazon Bedrock. AWS's own library checks the requests.
start_bedrock_house() {
  start bedrock "" "$cache/$kind/bin/python" "$here/bedrock/bedrock_upstream.py" && export BEDROCK_URL=$url || return 1
  start_gateway bedrock/gateway && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

# The gateway for traces. OpenTelemetry's own library checks them.
start_traces_house() {
  start_sim sim && SIM_URL=$url || return 1
  start collector "" python3 "$here/traces/collector.py" && export COLLECTOR_URL=$url || return 1
  start_gateway traces/gateway && export GATEWAY_URL=$url GUARDED_URL=$url || return 1
}

is_whole() {
  local pid
  for pid in "${house[@]}"; do kill -0 "$pid" 2>/dev/null || return 1; done
}

stop_house() {
  local pid
  for pid in "${house[@]}" "${mortal[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  for pid in "${house[@]}"; do wait "$pid" 2>/dev/null; done
  house=() mortal=()
}

# --- suites ------------------------------------------------------------------------------------------------------

names_in() {
  case $1 in
    *.mjs) sed -n "s/^test('\(.*\)', .*/\1/p" "$1" ;;
    *.py) sed -n 's/^ *\(async \)\{0,1\}def test_\([a-z0-9_]*\)(self.*/\2/p' "$1" | tr _ ' ' ;;
  esac
}

skip() {
  local name
  while IFS= read -r name; do
    echo "skip  $1: $name"
    skipped+=("$1: $name")
  done < <(names_in "$2")
}

# run SUITE HOUSE FILE COMMAND...: the command prints TAP. A test without a result in its output counts as failed.
run() {
  local suite=$1 starts=start_$2_house file=$3 out=$scratch/$1.tap name
  shift 3
  local failed_before=$failed exit_code=0 is_house_whole=no
  : >"$out"
  if $starts; then
    timeout --kill-after=5 "$suite_seconds" "$@" >"$out" 2>&1 </dev/null || exit_code=$?
    is_whole && is_house_whole=yes
  fi
  stop_house
  while IFS= read -r name; do
    if sed -n 's/^ok [0-9]* - //p' "$out" | grep -Fxq -- "$name"; then
      echo "ok    $suite: $name"
      passed=$((passed + 1))
    else
      fail "$suite: $name"
    fi
  done < <(names_in "$file")
  [ "$is_house_whole" = yes ] || fail "$suite: the gateway or a simulator ended before its time"
  [ "$exit_code" -eq 0 ] || [ "$failed" -gt "$failed_before" ] || fail "$suite: exit code $exit_code"
  [ "$failed" -eq "$failed_before" ] || tell_failures "$out"
}

fail() {
  echo "FAIL  $1"
  failed=$((failed + 1))
}

# Prints the details of the failed tests in TAP, and every line that is not TAP.
tell_failures() {
  awk '/^(ok|# Subtest)/ { is_told = 0 } /^not ok/ { is_told = 1 } !/^(ok|[ #]|TAP|1\.\.)/ { is_told = 1 }
       is_told { print "      " $0 }' "$1"
  grep -hv ' info ' "$scratch"/{gateway,guarded,apis,conversations-gateway,agents-gateway,bedrock-gateway,traces-gateway}.err 2>/dev/null |
    tail -n 20 | sed 's/^/      gateway: /'
}

# suites_of KIND ACTION: calls the action for each suite that needs KIND, with NAME HOUSE FILE.
suites_of() {
  case $1 in
    node)
      "$2" openai-node chat "$here/openai_node.mjs"
      "$2" ai-sdk chat "$here/ai_sdk.mjs"
      "$2" openai-node-apis apis "$here/apis_openai_node.mjs"
      "$2" ai-sdk-apis apis "$here/apis_ai_sdk.mjs"
      "$2" anthropic-node conversations "$here/conversations/anthropic_node.mjs"
      "$2" open-responses conversations "$here/conversations/open_responses_node.mjs"
      "$2" ai-sdk-conversations conversations "$here/conversations/conversations_ai_sdk.mjs"
      ;;
    python)
      "$2" openai-python chat "$here/openai_python.py"
      "$2" openai-python-apis apis "$here/apis_openai_python.py"
      ;;
    conversations)
      "$2" anthropic-python conversations "$here/conversations/anthropic_python.py"
      "$2" simulator-natives simulator "$here/conversations/simulator_natives.py"
      "$2" frameworks-conversations conversations "$here/conversations/frameworks.py"
      "$2" tool-runner agents "$here/agents/tool_runner.py"
      "$2" chained-responses agents "$here/agents/chained_responses.py"
      ;;
    aws)
      "$2" bedrock-botocore bedrock "$here/bedrock/bedrock_botocore.py"
      "$2" simulator-bedrock simulator "$here/bedrock/simulator_bedrock.py"
      ;;
    traces) "$2" otlp-judge traces "$here/traces/otlp_judge.py" ;;
    agents)
      "$2" coding-agents conversations "$here/conversations/coding_agents.py"
      "$2" agents-across-apis agents "$here/agents/agents_across_apis.py"
      "$2" claude-models agents "$here/agents/claude_models.py"
      "$2" warm-agents warm "$here/agents/warm_agents.py"
      ;;
    go) "$2" silent-streams agents "$here/agents/silent_streams.py" ;;
    frameworks)
      "$2" frameworks-apis apis "$here/apis_frameworks.py"
      "$2" langchain-llamaindex conversations "$here/conversations/langchain_and_llamaindex.py"
      ;;
    aider)  # its packages include litellm
      "$2" litellm-apis apis "$here/apis_litellm.py"
      "$2" litellm-conversations conversations "$here/conversations/litellm_conversations.py"
      ;;
  esac
}

run_node() { run "$@" node --test-reporter=tap "$cache/node/${3##*/}"; }
python_path=$here:$here/conversations
run_python() { run "$@" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$python_path" "$cache/$kind/bin/python" "$3"; }
# Both programs are executables in the npm packages for this machine's processor.
run_agents() {
  local codex=("$cache"/agents/node_modules/@openai/codex-*/vendor/*/bin/codex)
  local claude=("$cache"/agents/node_modules/@anthropic-ai/claude-code-*/claude)
  run "$@" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$python_path" CODEX="${codex[0]}" CLAUDE="${claude[0]}" python3 "$3"
}
run_go() { run "$@" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$python_path" OPENAI_GO="$cache/go/openai_go" python3 "$3"; }
skip_suite() { skip "$1" "$3"; }

# python_suites KIND REQUIREMENTS
python_suites() {
  local kind=$1
  if install_venv "$kind" "$2"; then suites_of "$kind" run_python; else suites_of "$kind" skip_suite; fi
}

if [ "$tier" = go ]; then
  if install_go; then suites_of go run_go; else suites_of go skip_suite; fi
elif [ "$tier" = long ]; then
  python_suites aider "$here/aider_requirements.txt"
  if install_agents; then suites_of agents run_agents; else suites_of agents skip_suite; fi
else
  if install_node; then suites_of node run_node; else suites_of node skip_suite; fi
  python_suites python "$here/requirements.txt"
  python_suites frameworks "$here/readme_requirements.txt"
  python_suites conversations "$here/conversations/requirements.txt"
  python_suites aws "$here/bedrock/requirements.txt"
  python_suites traces "$here/traces/requirements.txt"
fi

summary="clients: $passed passed, $failed failed, ${#skipped[@]} skipped"
if [ ${#skipped[@]} -gt 0 ]; then
  summary+=" ($(printf '%s; ' "${skipped[@]}" | sed 's/; $//'))"
fi
echo "$summary"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit $all_skipped
