"""The command line, `qdtm`: one thin file a command. Nothing heavy is imported before a command runs."""
