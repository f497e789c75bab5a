#!/usr/bin/env bash
# From sample logs of the harness to an exported judge, in minutes on a CPU and without a network: a rehearsal of the
# stages, not a judge to use.
#   bash training/recipes/toy.sh WORK_DIR [LOGS_DIR]
# LOGS_DIR is what candidates.sh or any `lm_eval --predict_only --log_samples` on training/tasks wrote; without one, those
# in recipes/toy_logs. Settings by environment variable:
#   LABELLER_URL, LABELLER_MODEL, LABELLER_PROMPT   an OpenAI-compatible server that labels. Without one, rules label:
#                   they know only answers in the form "Final answer: X", and the others get no label
#   BASE            the encoder, a folder or hub id; without one, a tiny BERT with random weights (training.toy_base)
#   LABELLER_ARGS, TRAIN_ARGS   more flags of those stages; EPOCHS, BALANCE
# Each stage that has its output is skipped; labelling and training go on where they were.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$1 logs=${2:-training/recipes/toy_logs}
mkdir -p "$work"

[ -f "$work/candidates.jsonl.manifest.json" ] ||
    python -m training.candidates "$logs" --output "$work/candidates.jsonl"

labeller=(--labeller lexical)
[ -z "${LABELLER_URL:-}" ] ||
    labeller=(--base_url "$LABELLER_URL" --model "$LABELLER_MODEL" --prompt "${LABELLER_PROMPT:-long}")
# shellcheck disable=SC2086
[ -f "$work/labels.jsonl.manifest.json" ] ||
    python -m training.label --candidates "$work/candidates.jsonl" --output "$work/labels.jsonl" "${labeller[@]}" \
        ${LABELLER_ARGS:-}

[ -f "$work/triplets/manifest.json" ] ||
    python -m training.triplets --candidates "$work/candidates.jsonl" --labels "$work/labels.jsonl" \
        --output "$work/triplets" --dev_percent 20

[ -f "$work/train.jsonl.manifest.json" ] ||
    python -m training.mixture --triplets "$work/triplets/train" --balance "${BALANCE:-400}" --output "$work/train.jsonl" \
        --licences MIT,CC-BY-SA-4.0

if [ -z "${BASE:-}" ]; then
    BASE=$work/base
    [ -f "$BASE/tokenizer_config.json" ] || python -m training.toy_base --train "$work/train.jsonl" --output "$BASE"
fi
# shellcheck disable=SC2086
[ -f "$work/judge/judge_card.json" ] ||
    python -m training.train --train "$work/train.jsonl" --base "$BASE" --output_dir "$work/judge" --max_length 256 \
        --epochs "${EPOCHS:-8}" --learning_rate 5e-4 --batch_size 16 --save_steps 20 --logging_steps 20 ${TRAIN_ARGS:-}

# So few rows leave many p near 0.5, where int8 flips a verdict sooner than in a trained judge.
[ -f "$work/exported/judge_card.json" ] ||
    python -m training.export --model "$work/judge" --output "$work/exported" --check "$work/triplets/dev" \
        --max_flips 0.2
python -m training.evaluate --judge "$work/exported" --write_card --output "$work/evaluation.json" \
    --triplets "dev=$work/triplets/dev"
