"""`qdtm name`: let a language model on this machine name the subtopics of a saved result."""

from __future__ import annotations

import click

from qdtm.cli.options import force_option, index_option, output_options, quiet_option


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--server", metavar="URL", required=True,
              help="Its chat interface on this machine, such as http://127.0.0.1:11434/v1.")  # fmt: skip
@click.option("--model", metavar="NAME", required=True, help="What the server calls the model.")
@click.option("-o", "--output", type=click.Path(), metavar="DIR2", help="Where to save the result.  [DIR]")
@force_option
@index_option
@quiet_option
@output_options
def name(
    directory: str,
    server: str,
    model: str,
    output: str | None,
    force: bool,
    index: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Name the subtopics of the result in DIR by a language model on this machine.

    It gets words and passages of each subtopic, and must quote one of these for its name; what it cannot
    prove keeps its name. Names say which model gave them, and your own names stay.
    """
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.opening import claim_goal, open_model, save_again
    from qdtm.cli.sections import facts

    claim_goal(directory, output, force=force)
    fitted = open_model(directory, index)
    before = {topic.id: topic.name for parent in fitted.topics_ for topic in parent.below()}
    fitted.name_subtopics(server, model)
    save_again(fitted, directory, output, force=force, all_documents=False)
    named = {topic.id: topic.name for parent in fitted.topics_ for topic in parent.below()}
    if as_json:
        print_json({"path": output or directory, "names": named})
    elif not quiet:
        rows = [(id, each if each != before[id] else f"{each} (as before)") for id, each in named.items()]
        print_page([facts(rows)])
