"""The former name of training.format_robustness."""

from training.evaluation.format_robustness import main

if __name__ == "__main__":
    main()
