"""Stage: make a small LLM a better judge, by supervised fine-tuning and then GRPO (arXiv 2603.04033, section 3.6).

    python -m training.align_llm sft     --model BASE    --train train.jsonl --dev dev.jsonl --output OUT/sft
    python -m training.align_llm grpo    --model OUT/sft --train train.jsonl --output OUT/grpo
    python -m training.align_llm measure --model OUT/grpo --dev dev.jsonl

The files are those of training.mixture; the question is the binary one of backends/llm_prompts.py, the answer 1 or 0.
`sft` stops when the loss on --dev has not fallen for --patience evaluations, and keeps the best weights. In `grpo` an
answer is worth +1 where it is the label and -1 else, and +0.5 more where it is nothing but the digit (appendix A.1).
With --lora_rank only adapters are trained, and merged at the end, so that the output is always a whole model: serve it
with vLLM and judge with `--judge llm`, or `measure` it here. The paper's hyperparameters (its Table 4) are not in the
copy that was at hand; the defaults are ours. Killed, sft and grpo go on from their last checkpoint.
"""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    EarlyStoppingCallback,
    PreTrainedTokenizerBase,
    Trainer,
)

from lm_eval_bertjudge.analysis import agreement
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.llm.prompts import PROMPTS, Reply, messages, parse
from lm_eval_bertjudge.types import JudgeItem
from training import stage
from training.data.rows import Row, read_rows
from training.model.train import last_checkpoint, wants_bf16

logger = logging.getLogger(__name__)
PROMPT = PROMPTS["binary"]


# ---------------------------------------------------------------------------------------------------------- the reward
def _said(completion: list[dict[str, str]]) -> str:
    return completion[0]["content"]


def correctness(completions: list[list[dict[str, str]]], label: list[int], **_: Any) -> list[float]:
    """+1 where the verdict is the label, -1 where it is not or there is none."""
    verdicts = [parse(PROMPT, Reply(_said(completion))) for completion in completions]
    return [
        1.0 if said == bool(right) else -1.0 for said, right in zip(verdicts, label, strict=True)
    ]


def exact_format(completions: list[list[dict[str, str]]], **_: Any) -> list[float]:
    """+0.5 where the output is nothing but 0 or 1."""
    return [
        0.5 if _said(completion).strip() in PROMPT.answers else 0.0 for completion in completions
    ]


# ------------------------------------------------------------------------------------------------------------ the data
def conversation(row: Row) -> list[dict[str, str]]:
    """What the judge is asked about a row."""
    return messages(PROMPT, JudgeItem(row["question"], (row["reference"],), row["candidate"]))


def load(path: Path, tokenizer: PreTrainedTokenizerBase, max_length: int) -> Dataset:
    """Rows with prompt, completion and label; none whose prompt is longer than `max_length` tokens."""
    rows = [row for row in read_rows(path) if row["label"] is not None]
    prompts = [conversation(row) for row in rows]
    asked = [
        tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        for prompt in prompts
    ]
    fits = [
        len(ids) <= max_length for ids in tokenizer(asked, add_special_tokens=False)["input_ids"]
    ]
    logger.info("%s: %d rows, %d too long and left out", path, sum(fits), len(fits) - sum(fits))
    if not any(fits):
        raise InputError(
            f"no row of {path} fits into {max_length} tokens: give a greater --max_length"
        )
    kept = [(row, prompt) for row, prompt, fit in zip(rows, prompts, fits, strict=True) if fit]
    return Dataset.from_list(
        [
            {
                "prompt": prompt,
                "label": int(row["label"]),
                "completion": [{"role": "assistant", "content": str(int(row["label"]))}],
            }
            for row, prompt in kept
        ]
    )


# ---------------------------------------------------------------------------------------------------------- the stages
def shared_settings(args: argparse.Namespace) -> dict[str, Any]:
    """What both trainers are told."""
    on_gpu = torch.cuda.is_available()
    return {
        "output_dir": str(args.output),
        "learning_rate": args.learning_rate,
        "num_train_epochs": args.epochs,
        "max_steps": args.max_steps,
        "per_device_train_batch_size": args.batch_size,
        "gradient_accumulation_steps": args.gradient_accumulation_steps,
        "lr_scheduler_type": args.scheduler,
        "logging_steps": args.logging_steps,
        "save_steps": args.save_steps,
        "save_total_limit": 2,
        "seed": args.seed,
        "report_to": args.report_to.split(","),
        "use_cpu": not on_gpu,
        "bf16": wants_bf16(args.bf16),
        "gradient_checkpointing": on_gpu,
        "disable_tqdm": True,
    }


def adapters(args: argparse.Namespace) -> Any:
    """LoRA on every linear layer, or None."""
    if not args.lora_rank:
        return None
    from peft import LoraConfig

    rank = args.lora_rank
    return LoraConfig(
        task_type="CAUSAL_LM", r=rank, lora_alpha=2 * rank, target_modules="all-linear"
    )


def sft(args: argparse.Namespace) -> None:
    """Fine-tunes on the labels as answers until the loss on --dev stalls."""
    from trl import SFTConfig, SFTTrainer

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    settings = {
        "eval_strategy": "steps",
        "eval_steps": args.save_steps,
        "load_best_model_at_end": True,
    }
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32),
        args=SFTConfig(
            **shared_settings(args),
            **settings,
            metric_for_best_model="eval_loss",
            completion_only_loss=True,
            max_length=args.max_length + 16,
            per_device_eval_batch_size=args.batch_size,
        ),
        train_dataset=load(args.train, tokenizer, args.max_length).remove_columns("label"),
        eval_dataset=load(args.dev, tokenizer, args.max_length).remove_columns("label"),
        processing_class=tokenizer,
        peft_config=adapters(args),
        callbacks=[EarlyStoppingCallback(args.patience)],
    )
    finish(trainer, tokenizer, args)


def grpo(args: argparse.Namespace) -> None:
    """Samples answers and reinforces those of the greater reward."""
    from trl import GRPOConfig, GRPOTrainer

    tokenizer = AutoTokenizer.from_pretrained(args.model, padding_side="left")
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32),
        reward_funcs=[correctness, exact_format],
        args=GRPOConfig(
            **shared_settings(args),
            num_generations=args.num_generations,
            temperature=args.temperature,
            max_completion_length=PROMPT.max_tokens,
            beta=args.beta,
            use_vllm=args.use_vllm,
        ),
        train_dataset=load(args.train, tokenizer, args.max_length).remove_columns("completion"),
        processing_class=tokenizer,
        peft_config=adapters(args),
    )
    finish(trainer, tokenizer, args)


def finish(trainer: Trainer, tokenizer: PreTrainedTokenizerBase, args: argparse.Namespace) -> None:
    """Trains, saves the whole model, and what was logged as align.json, last."""
    trainer.train(resume_from_checkpoint=last_checkpoint(args.output))
    if not trainer.is_world_process_zero():
        return
    model = trainer.accelerator.unwrap_model(trainer.model)
    (model.merge_and_unload() if args.lora_rank else model).save_pretrained(args.output)
    tokenizer.save_pretrained(args.output)
    said = {
        "prompt": PROMPT.version,
        "steps": trainer.state.global_step,
        "log": trainer.state.log_history,
    }
    settings = {
        name: str(value) if isinstance(value, Path) else value for name, value in vars(args).items()
    }
    (args.output / "align.json").write_text(
        json.dumps(settings | said, indent=1) + "\n", encoding="utf-8"
    )


def measure(args: argparse.Namespace) -> None:
    """Prints how the model's greedy verdicts on --dev agree with its labels; no verdict counts as "wrong"."""
    tokenizer = AutoTokenizer.from_pretrained(args.model, padding_side="left")
    rows = load(args.dev, tokenizer, args.max_length)
    verdicts = generated(args.model, tokenizer, rows["prompt"], args.batch_size)
    said = np.array([bool(verdict) for verdict in verdicts], dtype=np.int64)
    found = agreement.agreement(said, np.array(rows["label"], dtype=np.int64))
    found |= {"model": args.model, "n_without_verdict": verdicts.count(None)}
    print(json.dumps(found))
    if args.output:
        args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def generated(
    model_dir: str, tokenizer: PreTrainedTokenizerBase, prompts: list[Any], batch_size: int
) -> list[bool | None]:
    """The greedy verdict on every conversation, in order."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(model_dir, dtype=dtype).to(device).eval()
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    texts = [
        tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        for prompt in prompts
    ]
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    verdicts: list[bool | None] = [None] * len(texts)
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        batch = tokenizer(
            [texts[i] for i in chosen], padding=True, add_special_tokens=False, return_tensors="pt"
        )
        with torch.inference_mode():
            ids = model.generate(
                **batch.to(device), max_new_tokens=PROMPT.max_tokens, do_sample=False
            )
        new = tokenizer.batch_decode(
            ids[:, batch["input_ids"].shape[1] :], skip_special_tokens=True
        )
        for index, text in zip(chosen, new, strict=True):
            verdicts[index] = parse(PROMPT, Reply(text))
    return verdicts


def parsed(argv: list[str] | None) -> argparse.Namespace:
    parser = stage.parser(__doc__)
    parser.add_argument("stage", choices=("sft", "grpo", "measure"))
    parser.add_argument("--model", required=True, help="folder or hub id of a chat model")
    parser.add_argument("--train", type=Path, help="training file of training.mixture")
    parser.add_argument("--dev", type=Path, help="the same kind of file, of other questions")
    parser.add_argument("--output", type=Path, help="folder for the model; of measure, a JSON file")
    parser.add_argument(
        "--max_length",
        type=int,
        default=2048,
        help="rows with longer prompts (tokens) are left out",
    )
    parser.add_argument(
        "--learning_rate", type=float, help="default: 1e-5, of grpo 1e-6; ten times that with LoRA"
    )
    parser.add_argument("--scheduler", default="linear")
    parser.add_argument("--epochs", type=float, help="default: 5, of grpo 2 (the paper's)")
    parser.add_argument(
        "--max_steps", type=int, default=-1, help="stop there, whatever --epochs says"
    )
    parser.add_argument("--batch_size", type=int, default=8, help="per device; of grpo, answers")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument(
        "--patience", type=int, default=3, help="sft: evaluations without a lower loss"
    )
    parser.add_argument("--lora_rank", type=int, default=0, help="0 trains all weights")
    parser.add_argument(
        "--num_generations", type=int, default=8, help="grpo: answers to each prompt"
    )
    parser.add_argument("--temperature", type=float, default=1.0, help="grpo: of the sampling")
    parser.add_argument("--beta", type=float, default=0.0, help="grpo: weight of the KL term")
    parser.add_argument("--use_vllm", action="store_true", help="grpo: sample with vLLM")
    parser.add_argument(
        "--bf16", choices=("auto", "on", "off"), default="auto", help="auto: on GPUs that have it"
    )
    parser.add_argument(
        "--save_steps",
        type=int,
        default=50,
        help="checkpoint, and evaluation of sft, every so many",
    )
    parser.add_argument("--logging_steps", type=int, default=5)
    parser.add_argument(
        "--report_to", default="none", help="none, tensorboard, wandb; comma-separated"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    needed = {"sft": ("train", "dev", "output"), "grpo": ("train", "output"), "measure": ("dev",)}[
        args.stage
    ]
    if missing := [f"--{name}" for name in needed if getattr(args, name) is None]:
        parser.error(f"{args.stage} needs {', '.join(missing)}")
    args.epochs = args.epochs or (2.0 if args.stage == "grpo" else 5.0)
    args.learning_rate = args.learning_rate or (1e-6 if args.stage == "grpo" else 1e-5) * (
        10 if args.lora_rank else 1
    )
    return args


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    {"sft": sft, "grpo": grpo, "measure": measure}[args.stage](args)


if __name__ == "__main__":
    main()
