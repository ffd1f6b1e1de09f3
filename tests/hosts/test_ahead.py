"""Requests to Spark's state server that nobody waits for, against a server of our own."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql.streaming.proto import StateMessage_pb2 as states
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
from pyspark.sql.streaming.stateful_processor_api_client import (
    StatefulProcessorApiClient,
    StatefulProcessorHandleState,
)
from pyspark.sql.types import LongType, StructField, StructType

from askos.spark import ahead
from askos.spark.ahead import Ahead, go_ahead

KEY = StructType([StructField("id", LongType())])
CLOSED = StatefulProcessorHandleState.CLOSED


class Server:
    """Answers requests when it is let to; those of some kind with an error."""

    def __init__(self, path: Path) -> None:
        self.kinds: list[str] = []
        self.wrong = ""
        self.free = threading.Event()
        self.free.set()
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(path))
        self.listening.listen()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        with suppress(OSError):  # who has asked is gone
            self._serve()

    def _serve(self) -> None:
        with self.listening.accept()[0] as client, client.makefile("rwb") as file:
            while head := file.read(8):
                kind = _kind(states.StateRequest.FromString(file.read(_length(head))))
                self.free.wait(60)
                self.kinds.append(kind)
                answer = states.StateResponse(
                    statusCode=int(kind == self.wrong), errorMessage="no room", value=b""
                ).SerializeToString()
                file.write(struct.pack(">i", len(answer)) + answer)
                file.flush()


def _length(head: bytes) -> int:
    version, length = struct.unpack(">ii", head)
    assert version == 0
    return int(length)


def _kind(request: Any) -> str:
    """The last name on the way to what is asked for."""
    name, found = "", request
    while found.DESCRIPTOR.oneofs_by_name.get("method") and found.WhichOneof("method"):
        name = found.WhichOneof("method")
        found = getattr(found, name)
    return name


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "s")
    with made.listening:
        yield made


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[Any]:
    made = StatefulProcessorApiClient(str(tmp_path / "s"), KEY)
    yield made
    made.sockfile.close()
    made._client_socket.close()


def prepared(client: Any) -> Any:
    """A variable of state, as a task gets it."""
    handle = StatefulProcessorHandle(client)
    go_ahead(handle)
    state = handle.getMapState("state", KEY, KEY)
    client.set_handle_state(StatefulProcessorHandleState.INITIALIZED)
    client.set_implicit_key((1,))
    return state


def in_time(work: Callable[[], object]) -> bool:
    """Whether it comes to its end without an answer."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    return not thread.is_alive()


def test_a_task_waits_only_for_what_it_asks_to_know(server: Server, client: Any) -> None:
    server.free.clear()
    found: list[Any] = []

    def work() -> None:
        state = prepared(client)
        state.updateValue((1,), (2,))
        state.removeKey((3,))
        found.append(state)

    assert in_time(work)
    assert server.kinds == []
    server.free.set()
    assert found[0].getValue((1,)) is None
    assert server.kinds == [
        "getMapState",
        "setHandleState",
        "setImplicitKey",
        "updateValue",
        "removeKey",
        "getValue",
    ]


def test_an_error_is_raised_before_the_task_is_done(server: Server, client: Any) -> None:
    server.wrong = "updateValue"
    prepared(client).updateValue((1,), (2,))
    with pytest.raises(PySparkRuntimeError, match="no room"):
        client.set_handle_state(CLOSED)


def test_an_error_is_raised_where_the_next_answer_is_needed(server: Server, client: Any) -> None:
    server.wrong = "getMapState"
    state = prepared(client)
    with pytest.raises(PySparkRuntimeError, match="no room"):
        state.getValue((1,))


def test_all_is_settled_when_the_task_is_done(server: Server, client: Any) -> None:
    state = prepared(client)
    for run in range(50):
        state.updateValue((run,), (run,))
    client.set_handle_state(CLOSED)
    assert client._owed == 0
    assert server.kinds.count("updateValue") == 50


def test_answers_on_their_way_are_bounded(
    server: Server, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "MOST", 10)
    state = prepared(client)
    for run in range(100):
        state.updateValue((run,), (run,))
        assert client._owed <= 10


def test_a_process_that_only_says_which_state_there_is_waits(client: Any) -> None:
    handle = StatefulProcessorHandle(client)
    client.set_handle_state(StatefulProcessorHandleState.PRE_INIT)
    go_ahead(handle)
    handle.getMapState("state", KEY, KEY)
    assert not isinstance(client, Ahead)
