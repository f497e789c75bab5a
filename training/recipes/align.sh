#!/usr/bin/env bash
# A small LLM as judge: SFT until the loss stalls, then GRPO (arXiv 2603.04033, section 3.6), and that paper's ablation of
# the schedule (its Table 7): GRPO alone, and GRPO after a short SFT.
#   bash training/recipes/align.sh WORK_DIR MODEL TRIPLETS_DIR
# TRIPLETS_DIR has train/ and dev/, as training.triplets writes them. Settings by environment variable:
#   MIX             a mix file for sources that did not come from training.triplets; else --balance ROWS
#   ROWS, DEV_ROWS  default 2000 and 500
#   LICENCES        default MIT,CC-BY-SA-4.0
#   SHORT_STEPS     of the short SFT, default 60 (the paper's)
#   SFT_ARGS, GRPO_ARGS, MEASURE_ARGS   more flags, such as "--lora_rank 16" or "--use_vllm"
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$1 model=$2 triplets=$3
mkdir -p "$work"
mix() { # SPLIT ROWS
    local chosen=(--balance "$2")
    [ -z "${MIX:-}" ] || chosen=(--mix "$MIX" --max_rows "$2")
    [ -f "$work/$1.jsonl.manifest.json" ] ||
        python -m training.mixture --triplets "$triplets/$1" "${chosen[@]}" --output "$work/$1.jsonl" \
            --licences "${LICENCES:-MIT,CC-BY-SA-4.0}"
}
# shellcheck disable=SC2086
sft() { # OUTPUT FLAGS...
    [ -f "$work/$1/align.json" ] ||
        python -m training.align_llm sft --model "$model" --train "$work/train.jsonl" --dev "$work/dev.jsonl" \
            --output "$work/$1" "${@:2}" ${SFT_ARGS:-}
}
# shellcheck disable=SC2086
grpo() { # OUTPUT MODEL
    [ -f "$work/$1/align.json" ] ||
        python -m training.align_llm grpo --model "$2" --train "$work/train.jsonl" --output "$work/$1" ${GRPO_ARGS:-}
}
# shellcheck disable=SC2086
measure() { # NAME MODEL
    [ -f "$work/$1.json" ] ||
        python -m training.align_llm measure --model "$2" --dev "$work/dev.jsonl" --output "$work/$1.json" \
            ${MEASURE_ARGS:-}
    echo "$1: $(cat "$work/$1.json")"
}

mix train "${ROWS:-2000}"
mix dev "${DEV_ROWS:-500}"
sft sft
grpo sft_grpo "$work/sft"
grpo grpo_only "$model"
sft short_sft --max_steps "${SHORT_STEPS:-60}"
grpo short_sft_grpo "$work/short_sft"

measure base "$model"
for name in sft sft_grpo grpo_only short_sft short_sft_grpo; do
    measure $name "$work/$name"
done
