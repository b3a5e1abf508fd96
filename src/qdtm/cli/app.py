"""`qdtm app`: the whole job by hand and eye, in a browser."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from qdtm.cli.failure import debug_option
from qdtm.errors import MissingExtraError


@click.command()
@click.option(
    "--workspace", type=click.Path(file_okay=False), metavar="DIR",
    help="Where corpora and results are kept.  [your data folder]",
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; else needs --token.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8650, show_default=True, help="0: any free.")
@click.option("--token", envvar="QDTM_TOKEN", help="What visitors must know; also from QDTM_TOKEN.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="A further name of this machine.")
@click.option(
    "--max-upload-mb", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Largest upload."
)
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@debug_option
def app(
    workspace: str | None, host: str, port: int, token: str | None, names: tuple[str, ...],
    max_upload_mb: int, no_browser: bool,
) -> None:  # fmt: skip
    """Open a page on which the whole job is done by hand and eye.

    Nothing leaves this machine: the page is served to this machine alone, unless --host says otherwise, and
    asks nobody for anything. Uploads are copied into the workspace.
    """
    try:
        import nicegui  # noqa: F401 - to say what is missing before anything else is loaded
    except ImportError:
        raise MissingExtraError("The app needs the extra 'app': pip install 'qdtm[app]'.") from None
    from qdtm.app.server import ServerOptions, serve
    from qdtm.app.workspace import default_workspace

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    place = Path(workspace) if workspace else default_workspace()
    serve(ServerOptions(place, host, port, token, names, max_upload_mb, not no_browser), click.echo)
