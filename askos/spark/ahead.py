"""Requests to Spark's state server that nobody waits for.

A task asks Spark's Java for its state through a socket, one request after the other, and most
answers only say that all is well: that a state variable is ready, say, or a run is stored.  While
Java sees to such a request, Python can go on.  It waits where it needs to know something, and
at the end, before the task is done; so an error is raised later, but never lost.
"""

from __future__ import annotations

from typing import Any, Final

from pyspark.errors import PySparkRuntimeError
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
from pyspark.sql.streaming.stateful_processor_api_client import (
    StatefulProcessorApiClient,
    StatefulProcessorHandleState,
)

MOST: Final = 1000
"""Answers that may be on their way: many more would fill the socket, and both sides would wait."""


class Ahead(StatefulProcessorApiClient):
    """A client that reads what it need not know when it next has to wait anyway."""

    _owed: int  # answers that have not been read
    _needless: bool  # whether nobody needs the answer to what was sent last

    def _send_proto_message(self, message: bytes) -> None:
        self._needless = tells_nothing(message)
        if not self._needless or self._owed >= MOST:
            self._settle()
        super()._send_proto_message(message)

    def _receive_proto_message(self) -> tuple[int, str, bytes]:
        if self._needless:
            self._owed += 1
            return 0, "", b""
        return super()._receive_proto_message()

    def _settle(self) -> None:
        """Read what is owed."""
        while self._owed:
            self._owed -= 1
            status, error, _ = super()._receive_proto_message()
            if status:
                raise PySparkRuntimeError(f"Spark's state server says: {error}")


def go_ahead(handle: StatefulProcessorHandle) -> None:
    """From now on a task waits only for what it needs to know.  Nothing changes where Spark just
    asks which state there is."""
    client: Any = handle._statefulProcessorApiClient
    if client.handle_state is StatefulProcessorHandleState.CREATED:
        client.__class__, client._owed = Ahead, 0


def tells_nothing(message: bytes) -> bool:
    """Whether the answer to a request only says that all is well; to the last one it is waited
    for, since that settles all."""
    from pyspark.sql.streaming.proto import StateMessage_pb2 as states

    request: Any = states.StateRequest.FromString(message)
    match request.WhichOneof("method"):
        case "implicitGroupingKeyRequest":
            return True
        case "stateVariableRequest":
            call = request.stateVariableRequest.mapStateCall
            return call.WhichOneof("method") in ("updateValue", "removeKey")
        case "statefulProcessorCall":
            call = request.statefulProcessorCall
            if call.WhichOneof("method") == "setHandleState":
                return bool(call.setHandleState.state != states.CLOSED)
            return bool(call.WhichOneof("method") == "getMapState")
    return False
