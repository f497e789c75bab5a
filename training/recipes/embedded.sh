#!/usr/bin/env bash
# The embedded judge, as it ships: about 75 minutes on 2 CPU cores with AVX512-BF16.
#   bash training/recipes/embedded.sh TRIPLETS_DIR BASE_DIR WORK_DIR
# TRIPLETS_DIR has train/ and dev/ with SOURCE.jsonl.gz, BASE_DIR is sentence-transformers/all-MiniLM-L6-v2.
# Each stage that has its output is skipped; the training goes on from its last checkpoint.
set -euo pipefail
triplets=$1 base=$2 work=$3
cd "$(dirname "$0")/../.."
mix=training/recipes/embedded_mix.json
name=all-MiniLM-L6-v2
mkdir -p "$work"

# 1. Short rows first: on 60-token inputs the encoder learns to compare two answers within 5,000 rows. Started on whole
#    transcripts it was still at chance (loss .693) after 9,600.
[ -f "$work/short.jsonl.manifest.json" ] ||
    python -m training.mix --triplets "$triplets/train" --mix $mix --output "$work/short.jsonl" \
        --max_chars 260 --max_rows 16000 --seed 1
[ -f "$work/short/judge_card.json" ] ||
    python -m training.train --train "$work/short.jsonl" --base "$base" --base_name $name --output_dir "$work/short" \
        --max_length 256 --learning_rate 1e-4 --bf16 on

# 2. The whole mixture.
[ -f "$work/train.jsonl.manifest.json" ] ||
    python -m training.mix --triplets "$triplets/train" --mix $mix --output "$work/train.jsonl" --seed 0
[ -f "$work/judge/judge_card.json" ] ||
    python -m training.train --train "$work/train.jsonl" --base "$work/short" --base_name $name --output_dir "$work/judge" \
        --name embedded --max_length 256 --learning_rate 1e-4 --bf16 on
