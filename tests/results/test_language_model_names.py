"""A language model names subtopics: only on this machine, only what it can prove, never over the user."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from planted import plant_parts
from qdtm import QueryDrivenTopicModel
from qdtm.errors import ParameterError
from qdtm.results.language_model_names import ServerError, ask, proven_name


@pytest.fixture(scope="module")
def fitted():
    return QueryDrivenTopicModel("planet", embeddings=None).fit(plant_parts(3, n_parts=3))


@pytest.fixture
def server():
    """A server with the chat interface, whose model says what the test wants."""
    seen: list[dict] = []

    class Answers(BaseHTTPRequestHandler):
        says = staticmethod(lambda _question: "{}")
        status = 200

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, **asked})
            content = type(self).says(asked["messages"][0]["content"])
            body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
            self.send_response(type(self).status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    running.answers, running.seen = Answers, seen
    running.address = f"http://127.0.0.1:{running.server_port}/v1"
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def quoting(question):
    """Name a group by its first passage, which is quoted."""
    passage = question.split("Passage 1: ")[1][:30]
    return f'Sure! {{"name": "About {passage.split()[1]} {len(question)}", "quote": "{passage}"}}'


def test_proven_names_are_taken_and_marked(fitted, server):
    server.answers.says = staticmethod(quoting)
    model = QueryDrivenTopicModel.of(fitted.result_).name_subtopics(server.address, "tiny")
    names = [topic.name for topic in model.topics_[0].subtopics]
    assert len(set(names)) == 3
    assert all(name.startswith("About ") and name.endswith(" (named by tiny)") for name in names)
    assert {each["path"] for each in server.seen} == {"/v1/chat/completions"}
    assert all(each["model"] == "tiny" for each in server.seen)


def test_the_users_names_stay(fitted, server):
    server.answers.says = staticmethod(quoting)
    model = QueryDrivenTopicModel.of(fitted.result_).set_topic_labels({"0.2": "Mine"})
    model.name_subtopics(server.address, "tiny")
    assert model.topics_[0].subtopics[1].name == "Mine"
    assert len(server.seen) == 2


def test_what_is_not_proven_is_not_taken(fitted, server):
    server.answers.says = staticmethod(lambda _: '{"name": "Anything", "quote": "nobody ever wrote this"}')
    model = QueryDrivenTopicModel.of(fitted.result_).name_subtopics(server.address, "tiny")
    assert [t.name for t in model.topics_[0].subtopics] == [t.name for t in fitted.topics_[0].subtopics]


@pytest.mark.parametrize(
    "answer",
    ["", "no json", '{"name": 3}', '{"name": "", "quote": "the river rose"}', "[1]", "{" * 5000,
     '{"name": "' + "x" * 61 + '", "quote": "the river rose"}', '{"name": "Short", "quote": "the"}'],
)  # fmt: skip
def test_odd_answers_name_nothing(answer):
    assert proven_name(answer, ["Then the river rose again."]) is None


def test_a_quotation_may_differ_in_blanks_and_capitals():
    assert proven_name('{"name": "Floods", "quote": "The  River rose"}', ["Then the river rose."]) == "Floods"


@pytest.mark.parametrize("address", ["https://api.example.com/v1", "http://10.0.0.1/v1", "file:///etc", "x"])
def test_passages_are_sent_to_no_other_machine(address):
    with pytest.raises(ParameterError, match="give one of this machine"):
        ask(address, "tiny", "?")


def test_a_server_that_fails_is_one_line(server):
    server.answers.status = 500
    with pytest.raises(ServerError, match="answers 500"):
        ask(server.address, "tiny", "?")
    server.answers.status = 200
    with pytest.raises(ServerError, match="does not answer"):
        ask("http://127.0.0.1:9/v1", "tiny", "?")


def test_on_the_command_line(fitted, server, tmp_path):
    from click.testing import CliRunner

    from qdtm.cli.main import cli

    server.answers.says = staticmethod(quoting)
    fitted.save(tmp_path / "result")
    done = CliRunner().invoke(
        cli, ["name", str(tmp_path / "result"), "--server", server.address, "--model", "tiny", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert all("(named by tiny)" in name for name in json.loads(done.stdout)["names"].values())
    again = QueryDrivenTopicModel.load(tmp_path / "result")
    assert "(named by tiny)" in again.topics_[0].subtopics[0].name
    failed = CliRunner().invoke(
        cli, ["name", str(tmp_path / "result"), "--server", "http://8.8.8.8/v1", "--model", "tiny"]
    )
    assert failed.exit_code == 2
