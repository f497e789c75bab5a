#!/usr/bin/env bash
# The whole way with real models: vLLM serves each in turn, the harness asks it 40 questions of GSM8K's train split in two
# formats, the last model labels all answers, and toy.sh trains and measures an encoder on them.
#   bash training/recipes/vllm_toy.sh WORK_DIR MODEL_DIR...
# Settings by environment variable:
#   SERVE           what starts a server, before the model (default: vllm serve); it may be of another virtual environment
#   PORT            default 8017
#   SERVE_ARGS      more flags for it
#   TASKS, LM_EVAL_ARGS, MODEL_ARGS, DATASETS_DIR   as in candidates.sh
#   LABELLER_PROMPT, LABELLER_ARGS, BASE, EPOCHS, BALANCE, TRAIN_ARGS   as in toy.sh
# On a slow machine: MODEL_ARGS=timeout=3600 LABELLER_ARGS="--timeout_s 3600 --concurrency 8"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(realpath -m "$1")
shift
port=${PORT:-8017}
export BACKEND=local-chat-completions BASE_URL=http://127.0.0.1:$port/v1
export TASKS=${TASKS:-gsm8k_train_bertjudge gsm8k_train_bertjudge_free}
export LM_EVAL_ARGS=${LM_EVAL_ARGS:---limit 40 --gen_kwargs max_gen_toks=200}
mkdir -p "$work"
server=

stop() {
    [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
    server=
}
trap stop EXIT

serve() { # MODEL_DIR NAME
    stop
    # shellcheck disable=SC2086
    ${SERVE:-vllm serve} "$1" --served-model-name "$2" --host 127.0.0.1 --port "$port" --max-model-len 2048 \
        ${SERVE_ARGS:-} >>"$work/server.log" 2>&1 &
    server=$!
    until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/health"; do
        kill -0 "$server" 2>/dev/null || { tail -n 20 "$work/server.log" >&2 && exit 1; }
        sleep 2
    done
}

for model in "$@"; do
    name=$(basename "$model")
    serve "$model" "$name"
    bash "$here/candidates.sh" "$work/logs" "$name"
done
LABELLER_URL=$BASE_URL LABELLER_MODEL=$name bash "$here/toy.sh" "$work" "$work/logs"
