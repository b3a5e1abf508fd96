"""`python -m qdtm` is `qdtm`."""

from qdtm.cli.main import main

main()
