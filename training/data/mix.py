"""The former name of training.mixture."""

from training.data.mixture import main

if __name__ == "__main__":
    main()
