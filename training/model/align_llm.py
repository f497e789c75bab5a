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
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    EarlyStoppingCallback,
    PreTrainedTokenizerBase,
    Trainer,
)

from lm_eval_bertjudge.analysis import agreement
from lm_eval_bertjudge.judges.llm.prompts import Reply, parse
from training import stage
from training.model.conversations import PROMPT, load
from training.model.trainer import last_checkpoint, wants_bf16

NEEDED = {
    "sft": ("train", "dev", "output"),
    "grpo": ("train", "output"),
    "measure": ("dev",),
}


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
    model_dir: str,
    tokenizer: PreTrainedTokenizerBase,
    prompts: list[Any],
    batch_size: int,
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
            [texts[i] for i in chosen],
            padding=True,
            add_special_tokens=False,
            return_tensors="pt",
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


def _add_grpo_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--num_generations", type=int, default=8, help="grpo: answers to each prompt")
    add("--temperature", type=float, default=1.0, help="grpo: of the sampling")
    add("--beta", type=float, default=0.0, help="grpo: weight of the KL term")
    add("--use_vllm", action="store_true", help="grpo: sample with vLLM")


def parsed(argv: list[str] | None) -> argparse.Namespace:
    """The command line's arguments, with the defaults of the stage."""
    parser = stage.parser(__doc__)
    add = parser.add_argument
    add("stage", choices=NEEDED)
    add("--model", required=True, help="folder or hub id of a chat model")
    add("--train", type=Path, help="training file of training.mixture")
    add("--dev", type=Path, help="the same kind of file, of other questions")
    add("--output", type=Path, help="folder for the model; of measure, a JSON file")
    add("--max_length", type=int, default=2048, help="longer prompts are left out")
    add("--epochs", type=float, help="default: 5, of grpo 2 (the paper's)")
    add("--max_steps", type=int, default=-1, help="stop there, whatever --epochs says")
    add("--batch_size", type=int, default=8, help="per device; of grpo, answers")
    add("--gradient_accumulation_steps", type=int, default=1)
    add("--learning_rate", type=float, help="default: 1e-5, of grpo 1e-6; LoRA: x 10")
    add("--scheduler", default="linear")
    add("--patience", type=int, default=3, help="sft: evaluations without a lower loss")
    add("--lora_rank", type=int, default=0, help="0 trains all weights")
    _add_grpo_flags(parser)
    add(
        "--bf16",
        choices=("auto", "on", "off"),
        default="auto",
        help="auto: on GPUs that have it",
    )
    add("--save_steps", type=int, default=50, help="checkpoint, and evaluation of sft")
    add("--logging_steps", type=int, default=5)
    add("--report_to", default="none", help="none, tensorboard, wandb; comma-separated")
    add("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    missing = [name for name in NEEDED[args.stage] if getattr(args, name) is None]
    if missing:
        parser.error(f"{args.stage} needs --{', --'.join(missing)}")
    epochs, learning_rate = (2.0, 1e-6) if args.stage == "grpo" else (5.0, 1e-5)
    if args.lora_rank:
        learning_rate *= 10
    args.epochs = args.epochs or epochs
    args.learning_rate = args.learning_rate or learning_rate
    return args


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    stages = {"sft": sft, "grpo": grpo, "measure": measure}
    stages[args.stage](args)


if __name__ == "__main__":
    main()
