#!/usr/bin/env bash
# The embedded judge, as it ships: about 95 minutes on 2 CPU cores with AVX512-BF16.
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
[ -f "$work/whole/judge_card.json" ] ||
    python -m training.train --train "$work/train.jsonl" --base "$work/short" --base_name $name --output_dir "$work/whole" \
        --max_length 256 --learning_rate 1e-4 --bf16 on

# 3. Distractors of the right kind. After 2 the judge still took "London." for the capital of France (p = .98).
[ -f "$work/neighbours.json" ] ||
    python -m training.neighbours --triplets "$triplets/train" --sources evouna,nq_open_reader_outputs \
        --encoder "$base" --output "$work/neighbours.json"
[ -f "$work/hard.jsonl.manifest.json" ] ||
    python -m training.mix --triplets "$triplets/train" --mix training/recipes/embedded_hard_mix.json \
        --neighbours "$work/neighbours.json" --output "$work/hard.jsonl" --seed 3
[ -f "$work/hard/judge_card.json" ] ||
    python -m training.train --train "$work/hard.jsonl" --base "$work/whole" --base_name $name --output_dir "$work/hard" \
        --max_length 256 --learning_rate 1e-4 --bf16 on

# 4. Plain facts and near numbers: after 3, "It is 1944." was still right where 1945 was asked for (p = .99).
[ -f "$work/facts/neighbours.json" ] || python -m training.facts --output "$work/facts"
[ -f "$work/facts.jsonl.manifest.json" ] ||
    python -m training.mix --triplets "$triplets/train" "$work/facts" --mix training/recipes/embedded_facts_mix.json \
        --neighbours "$work/neighbours.json" "$work/facts/neighbours.json" --output "$work/facts.jsonl" --seed 4
[ -f "$work/judge/judge_card.json" ] ||
    python -m training.train --train "$work/facts.jsonl" --base "$work/hard" --base_name $name --output_dir "$work/judge" \
        --name embedded-v0 --max_length 256 --learning_rate 1e-4 --bf16 on

# 5. Export, and measure what ships.
[ -f "$work/exported/judge_card.json" ] ||
    python -m training.export --model "$work/judge" --output "$work/exported" --check "$triplets/dev"
python -m training.evaluate --judge "$work/exported" --write_card --sweep --output "$work/evaluation.json" \
    --triplets "dev=$triplets/dev" "dev_unseen_generators=$triplets/dev_unseen_generators"
