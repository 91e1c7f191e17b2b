"""A model that is none: it answers agents on loopback, so that they run with no key and no network.

It speaks OpenAI chat, OpenAI Responses, Anthropic Messages and Gemini. It calls the tools of its plan one after the
other, each when a request offers it, and else says the same sentence. What it was sent is kept, to be looked at.
"""

import contextlib
import gzip
import html
import itertools
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAYS = "Done, as you asked."
MODEL = "stand-in"
ANSWERS = itertools.count(1)


class StandIn:
    """Use it with `with`; `address` is where it listens."""

    def __enter__(self):
        self.plan, self.requests, self.lock, self.numbers = [], [], threading.Lock(), itertools.count(1)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Desk,), {"model": self}))
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def follow(self, plan):
        """From now on these calls: pairs of a part of the tool's name, or several, and its arguments."""
        with self.lock:
            self.plan, self.requests = list(plan), []

    def take(self, body):
        """Keeps a request, and gives the call that is due: where the tool is, its name, its arguments, a number."""
        offered = list(tools(body))
        with self.lock:
            self.requests.append(body)
            if not self.plan or not offered:
                return None
            names, arguments = self.plan[0]
            found = next((it for part in names.split("|") for it in offered if part in it[1].replace("-", "_")), None)
            if not found:
                return None
            self.plan.pop(0)
            return (*found, arguments, next(self.numbers))


def tools(body):
    """Each tool that a request offers, as the space it is in and its name."""
    for it in body.get("tools") or []:
        if it.get("type") == "namespace":
            yield from ((it["name"], tool["name"]) for tool in it["tools"])
        elif "functionDeclarations" in it:
            yield from ((None, tool["name"]) for tool in it["functionDeclarations"])
        else:
            yield None, it.get("name") or it.get("function", {}).get("name") or ""


def words(body):
    """All that a request shows a model, but for the tools: one text, whatever the protocol wraps it in."""
    return html.unescape("\n".join(texts({key: it for key, it in body.items() if key != "tools"})))


def texts(value):
    if isinstance(value, str):
        # What a tool answered may be JSON within JSON.
        with contextlib.suppress(ValueError):
            inner = json.loads(value)
            if isinstance(inner, (dict, list)):
                yield from texts(inner)
                return
        yield value
    elif isinstance(value, (dict, list)):
        for it in value.values() if isinstance(value, dict) else value:
            yield from texts(it)


def chat(body, call):
    base = {"id": "chat", "object": "chat.completion.chunk", "created": 1, "model": body.get("model")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    delta, end = {"role": "assistant", "content": SAYS}, "stop"
    if call:
        _, name, arguments, number = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        made = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        delta, end = {"role": "assistant", "content": None, "tool_calls": [made]}, "tool_calls"
    if not body.get("stream"):
        choices = [{"index": 0, "message": delta, "finish_reason": end}]
        return base | {"object": "chat.completion", "choices": choices, "usage": usage}
    choice = lambda delta, end: {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
    return [choice(delta, None), choice({}, end), {**base, "choices": [], "usage": usage}, "[DONE]"]


def responses(body, call):
    text = {"type": "output_text", "text": SAYS, "annotations": []}
    item = {"type": "message", "id": "msg_0", "status": "completed", "role": "assistant", "content": [text]}
    if call:
        space, name, arguments, number = call
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        item |= {"name": name, "arguments": json.dumps(arguments)} | ({"namespace": space} if space else {})
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "resp_0", "object": "response", "created_at": 1, "status": "completed", "model": body.get("model")}
    whole |= {"output": [item], "usage": usage}
    if not body.get("stream"):
        return whole
    return [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]


def messages(body, call):
    block, delta, end = {"type": "text", "text": ""}, {"type": "text_delta", "text": SAYS}, "end_turn"
    whole = {"type": "text", "text": SAYS}
    if call:
        _, name, arguments, number = call
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        delta, end = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use"
        whole = block | {"input": arguments}
    usage = {"input_tokens": 10, "output_tokens": 5}
    # Claude Code takes answers of one name for one answer when it takes a session up again.
    message = {"id": f"msg_{next(ANSWERS)}", "type": "message", "role": "assistant", "model": body.get("model"), "usage": usage, "stop_sequence": None}
    if not body.get("stream"):
        return message | {"content": [whole], "stop_reason": end}
    return [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": end, "stop_sequence": None}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def gemini(_, call):
    part = {"functionCall": {"name": call[1], "args": call[2], "id": f"call_{call[3]}"}} if call else {"text": SAYS}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL}


# What a path means: where it says so, an answer that needs no model.
PROTOCOLS = [
    (r"/count_tokens$", lambda *_: {"input_tokens": 10}),
    (r":countTokens$", lambda *_: {"totalTokens": 10}),
    (r"/chat/completions$", chat),
    (r"/responses$", responses),
    (r"/messages$", messages),
    (r":streamGenerateContent$", lambda *it: [gemini(*it)]),
    (r":generateContent$", gemini),
]


class Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(b"", "text/plain")

    def do_GET(self):
        model = {"id": MODEL, "object": "model", "created": 1, "owned_by": "nobody"}
        self.answer(json.dumps({"object": "list", "data": [model]}).encode())

    def do_POST(self):
        raw, path = self.body(), self.path.split("?")[0]
        protocol = next((it for pattern, it in PROTOCOLS if re.search(pattern, path)), None)
        if not protocol:
            return self.answer(b'{"error":{"message":"there is nothing here"}}', status=404)
        body = json.loads(raw)
        said = protocol(body, self.model.take(body))
        if isinstance(said, list):
            return self.answer("".join(map(line, said)).encode(), "text/event-stream")
        self.answer(json.dumps(said).encode())

    def body(self):
        raw = b""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline(), 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw

    def answer(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def line(event):
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"
