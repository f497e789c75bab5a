#!/usr/bin/env bash
# Answers of many models to the train splits of the paper's benchmarks, by the harness itself.
#   bash training/recipes/candidates.sh OUT_DIR MODEL...
# Settings by environment variable:
#   BACKEND         vllm (default), hf, or local-chat-completions (a server that is already up, at BASE_URL)
#   TASKS           default: the soft format of all seven; add bertjudge_train_free and bertjudge_train_strict
#   MODEL_ARGS      more of --model_args, such as tensor_parallel_size=8 or enable_thinking=False
#   LM_EVAL_ARGS    more flags, such as "--limit 1000"
#   DATASETS_DIR    a folder with OWNER/NAME datasets to read instead of the hub
# Every model x task has a folder. One that is done is skipped; one that was cut short is made again.
set -euo pipefail
repo=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath -m "$1")
shift
backend=${BACKEND:-vllm}

for model in "$@"; do
    case $backend in
    vllm) args=pretrained=$model,dtype=bfloat16,max_model_len=4096 ;;
    hf) args=pretrained=$model,dtype=bfloat16 ;;
    local-chat-completions) args=model=$model,base_url=$BASE_URL/chat/completions,num_concurrent=16,max_retries=3 ;;
    *) echo "BACKEND is $backend; vllm, hf or local-chat-completions was expected" >&2 && exit 2 ;;
    esac
    for task in ${TASKS:-bertjudge_train}; do
        run=$out/${model//\//__}/$task
        [ -f "$run/done" ] && continue
        rm -rf "$run"
        (
            cd "${DATASETS_DIR:-$repo}"
            # shellcheck disable=SC2086
            lm_eval --model "$backend" --model_args "$args${MODEL_ARGS:+,$MODEL_ARGS}" --apply_chat_template \
                --include_path "$repo/training/tasks" --tasks "$task" --predict_only --log_samples \
                --output_path "$run" ${LM_EVAL_ARGS:-}
        )
        touch "$run/done"
    done
done
