"""A model hub on 127.0.0.1 with the catalog's configs, for tools whose hub can be set by HF_ENDPOINT."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

REVISION = "0" * 40


def reply(path: str, repositories: Mapping[str, Mapping[str, Any]]) -> Any:
    """The document at a path: a repository's description or its config. None where there is neither."""
    parts = unquote(urlsplit(path).path).strip("/").split("/")
    if parts[:2] == ["api", "models"]:
        name = "/".join(parts[2:4])
        return described(name, repositories[name]) if name in repositories else None
    name = "/".join(parts[:2])
    return repositories[name]["config"] if name in repositories and parts[2:3] == ["resolve"] and parts[4:] == ["config.json"] else None


def described(name: str, repository: Mapping[str, Any]) -> dict[str, Any]:
    """What a hub says of a repository; of the config it repeats the architecture alone."""
    config = {key: value for key, value in repository["config"].items() if key in ("architectures", "model_type")}
    weights = {"total": repository["parameters"], "parameters": {"BF16": repository["parameters"]}} if repository["parameters"] else None
    files = [{"rfilename": "config.json"}]
    return {"_id": name, "id": name, "modelId": name, "sha": REVISION, "tags": [], "siblings": files, "config": config, "safetensors": weights}


@contextmanager
def serving(repositories: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Serves repositories, each with its `config` and `parameters`, and gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = reply(self.path, repositories)
            body = json.dumps({"error": "Repository not found"} if document is None else document).encode()
            self.send_response(404 if document is None else 200)
            for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("X-Repo-Commit", REVISION)):
                self.send_header(name, value)
            self.send_header("ETag", f'"{abs(hash(body)):x}"')
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *arguments: Any) -> None:
            """Keeps quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
