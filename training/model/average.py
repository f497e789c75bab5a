"""The former name of training.merge."""

from training.model.merge import main

if __name__ == "__main__":
    main()
