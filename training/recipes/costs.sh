#!/usr/bin/env bash
# What verdicts cost: rules, the embedded judge and small LLM judges (arXiv 2604.09497, Figure 3 and Table 2, on our scale).
#   VLLM_PYTHON=VENV/bin/python bash training/recipes/costs.sh DEV_DIR WORK_DIR [MODEL_DIR PARAMETERS]...
# DEV_DIR has SOURCE.jsonl.gz, MODEL_DIR is a chat model that vLLM loads. Each model is served in turn and asked with the
# short and with the long prompt; FIRST_SHORT and FIRST_LONG (200 and 60) rows per category, LONG_TOKENS (512) per reply.
# Killed, it goes on where it was. On a CPU set VLLM_CPU_KVCACHE_SPACE=1, VLLM_CPU_OMP_THREADS_BIND=nobind, and where
# other work runs VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=6000.
set -euo pipefail
triplets=$(realpath "$1") work=$(realpath -m "$2")
shift 2
cd "$(dirname "$0")/../.."
port=${PORT:-8199}
url=http://localhost:$port/v1
sources=mmlu_pro_outputs,zeroeval_gsm8k,zeroeval_math_l5,gsm8k_openai_solutions,tatqa_cot,halueval_qa,evouna

measured() {
    python -m training.costs --triplets "$triplets" --sources "$sources" --output "$work" --n 200 --final_answer "$@"
}

measured --parameters 22715138
while [ $# -ge 2 ]; do
    name=$(basename "$(realpath "$1")")
    "${VLLM_PYTHON:-python}" -m vllm.entrypoints.openai.api_server --model "$1" --served-model-name "$name" \
        --port "$port" --max-model-len 4096 --enforce-eager >"$work/$name.log" 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null' EXIT
    until curl --silent --fail --output /dev/null "$url/models"; do
        kill -0 "$server" || { tail -5 "$work/$name.log"; exit 1; }
        sleep 2
    done
    llm=model=$name,base_url=$url,timeout_s=3600,retries=1,concurrency=8
    measured --parameters "$2" --llm "$llm,prompt=short" --first "${FIRST_SHORT:-200}"
    measured --parameters "$2" --llm "$llm,prompt=long,max_tokens=${LONG_TOKENS:-512}" --first "${FIRST_LONG:-60}"
    kill "$server"
    wait "$server" || true
    shift 2
done
