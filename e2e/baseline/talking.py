"""Talks to the servers of the program: MCP on stdin and stdout, HTTP on a free port of this machine."""

import json
import re
import selectors
import signal
import socket
import subprocess
import time
import urllib.parse

import normalising

PATIENCE = 20
MODERN = "2026-07-28"
LEGACY = "2025-06-18"


class Talk:
    """A conversation with `apostille mcp`. What the server asks back is answered from `answers`, by method."""

    def __init__(self, world, flags="", answers=None, era=LEGACY, cwd=None, **who):
        self.world, self.answers, self.era, self.next, self.heard = world, answers or {}, era, 0, []
        world.wait(minutes=1)
        self.child = subprocess.Popen([world.program, "mcp", *flags.split()], cwd=cwd or world.repo, env=world.environment(**who),
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.child.stdout, selectors.EVENT_READ)
        self.rest = b""
        world.others.append(self)
        self.capabilities = {}
        for method, capability in (("roots/list", "roots"), ("elicitation/create", "elicitation")):
            if method in self.answers:
                self.capabilities[capability] = {}
        self.hello = None
        if era != MODERN:
            client = {"name": "probe", "version": "1"}
            self.hello = self.ask("initialize", {"protocolVersion": era, "capabilities": self.capabilities, "clientInfo": client})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.send_line(json.dumps(message))

    def send_line(self, line):
        try:
            self.child.stdin.write(line.encode() + b"\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass

    def hear(self, patience=PATIENCE):
        """The next message, or nothing when the server is silent or gone."""
        until = time.monotonic() + patience
        while b"\n" not in self.rest:
            if time.monotonic() > until or not self.selector.select(until - time.monotonic()):
                return None
            part = self.child.stdout.read1(65536)
            if not part:
                return None
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params=None):
        """Asks, answers what is asked back, and returns the answer."""
        self.next += 1
        number, params = self.next, dict(params or {})
        if self.era == MODERN:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN,
                               "io.modelcontextprotocol/clientCapabilities": self.capabilities} | params.get("_meta", {})
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self.hear()
            if message is None:
                return {"silence": True}
            if "method" in message and "id" in message:
                self.heard.append(message)
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.answers.get(message["method"], {})})
            elif "method" in message:
                # When the server tells of a change depends on who is faster.
                if not message["method"].endswith("/list_changed"):
                    self.heard.append(message)
            elif (message.get("result") or {}).get("resultType") == "input_required":
                return self.ask_again(method, params, message["result"])
            else:
                return message

    def ask_again(self, method, params, result):
        """In the current revision a client answers a question by asking again."""
        self.heard.append({"asked": result.get("inputRequests")})
        given = {key: self.answers.get(it["method"], {}) for key, it in result["inputRequests"].items()}
        params = params | {"inputResponses": given}
        if "requestState" in result:
            params["requestState"] = result["requestState"]
        return self.ask(method, params)

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def close(self):
        self.selector.close()
        self.child.stdin.close()
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()


def show_message(message):
    """A message of the protocol, laid out; texts that are JSON are laid out too, in the order they have."""
    message = json.loads(json.dumps(message))
    result = message.get("result") if isinstance(message, dict) else None
    for key in ("content", "contents"):
        for part in (result or {}).get(key) or []:
            try:
                part["text (JSON)"] = json.loads(part["text"])
                part["is the structured content"] = part["text (JSON)"] == result.get("structuredContent")
                del part["text"]
            except (KeyError, ValueError, TypeError):
                pass
    return normalising.show_json(message, sorts=True) + "\n"


def record_call(world, tool, arguments, flags="", name=None, **more):
    """Calls a tool with a server of its own, so that every call has its own time, and records the answer."""
    talk = Talk(world, flags, **more)
    answer = talk.call(tool, arguments)
    talk.close()
    world.others.remove(talk)
    asked = json.dumps(arguments, ensure_ascii=False)
    text = f"{tool} {asked}\n" + "".join(f"heard {show_message(it)}" for it in talk.heard) + show_message(answer)
    world.record(name or f"{tool} {asked}", text)
    return answer


class Server:
    """`apostille serve` on a free port of this machine."""

    def __init__(self, world, flags="--log off", person=True, env=None):
        self.world = world
        world.wait(minutes=1)
        self.child = subprocess.Popen([world.program, "serve", "--port", "0", "--json", *flags.split()], cwd=world.repo,
                                      env=world.environment(person=person, env=env), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        world.others.append(self)
        self.line = self.child.stdout.readline().decode()
        said = json.loads(self.line)
        self.port = int(re.search(r":(\d+)/mcp", said["url"]).group(1))
        self.token = said.get("token", (env or {}).get("APOSTILLE_TOKEN", ""))
        self.once = "/open/" + said["panel"].rsplit("/", 1)[1]
        world.hide(said.get("token"), "<token>")
        world.hide(self.once[6:], "<once>")
        world.hide(f"127.0.0.1:{self.port}", "127.0.0.1:<port>")

    def send(self, method, path, headers=None, body=b""):
        """Sends one request as it is, and returns status, headers and body."""
        body = body.encode() if isinstance(body, str) else body
        usual = {"Host": f"127.0.0.1:{self.port}", "Connection": "close"}
        if body:
            usual["Content-Length"] = str(len(body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in (usual | (headers or {})).items() if value is not None)
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as stream:
            stream.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
            return read_answer(stream)

    def ask(self, method, path, body=None, token=None, headers=None, name=None):
        """Sends a request with a token and records the answer."""
        token = self.token if token is None else token
        sent = dict(headers or {})
        if token:
            sent.setdefault("Authorization", f"Bearer {token}")
        if isinstance(body, (dict, list)):
            sent.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        answer = self.send(method, path, sent, body or b"")
        said = f" {body}" if body else ""
        shown = "".join(f"{key}: {value}\n" for key, value in sent.items())
        self.world.record(name or f"{method} {path}{said}", f"{method} {path}\n{shown}{said}\n\n{show_answer(answer)}")
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, {} if body is None else body, **more)

    def open_panel(self):
        return Panel(self)

    def say(self, method, params, name="", token=None, era=MODERN):
        """Sends a message of the agents' protocol and records the answer."""
        meta = {"io.modelcontextprotocol/protocolVersion": era, "io.modelcontextprotocol/clientCapabilities": {}}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": era, "Mcp-Method": method, "Mcp-Name": name or None}
        return self.ask("POST", "/mcp", body, token=token, headers={k: v for k, v in headers.items() if v})

    def close(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(8)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.log = self.child.stderr.read().decode() if not self.child.stderr.closed else ""
        self.child.stdout.close()
        self.child.stderr.close()


class Panel:
    """A browser in which somebody opened the printed link."""

    def __init__(self, server):
        self.server, self.world = server, server.world
        opened = server.send("GET", server.once)
        cookie = dict(opened[1]).get("set-cookie", "=").split(";")[0]
        self.opened, self.cookie = opened, cookie
        self.world.hide(cookie.split("=", 1)[1], "<session>")
        self.world.hide(cookie.split("=", 1)[0], "<cookie>")
        page = self.fetch("/review")[2].decode() + self.fetch("/remember")[2].decode()
        found = re.search(r'name="seal" value="([^"]+)"', page)
        self.seal = found.group(1) if found else ""
        self.world.hide(self.seal, "<seal>")

    def fetch(self, path):
        return self.server.send("GET", path, {"Cookie": self.cookie})

    def page(self, path):
        """Looks at a page and records it."""
        answer = self.fetch(path)
        self.world.record(f"GET {path}", f"GET {path}\n\n{show_answer(answer)}")
        return answer[2].decode("utf-8", "replace")

    def form(self, path, seal=None, follow=True, **fields):
        """Sends a form, records what is answered and the page that it leads to."""
        sent = urllib.parse.urlencode(fields | {"seal": self.seal if seal is None else seal})
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        answer = self.server.send("POST", path, headers, sent)
        text = f"POST {path} {fields}\n\n{show_answer(answer)}"
        page, place = answer[2].decode("utf-8", "replace"), dict(answer[1]).get("location")
        if place and follow:
            led = self.fetch(place)
            page = led[2].decode("utf-8", "replace")
            text += f"\n=== {place}\n{show_answer(led)}"
        self.world.record(f"POST {path} {fields}", text)
        return page

    def undo(self, page):
        """Sends the form by which the last deed is taken back, where the page has one."""
        for form in re.findall(r"<form[^>]*>.*?</form>", page, re.S):
            if 'action="/undo"' in form:
                return self.form("/undo", **{k: v for k, v in hidden_fields(form).items() if k != "seal"})
        self.world.record("POST /undo (no form)", "the page has no form to undo\n")
        return page


def hidden_fields(form):
    found = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and 'type="hidden"' in tag:
            found[name.group(1)] = value.group(1).replace("&amp;", "&").replace("&quot;", '"') if value else ""
    return found


def read_answer(stream):
    data = b""
    while True:
        try:
            part = stream.recv(65536)
        except (ConnectionResetError, TimeoutError):
            break
        if not part:
            break
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = [tuple(it.split(": ", 1)) for it in lines[1:] if ": " in it]
    if dict(headers).get("transfer-encoding") == "chunked":
        body = join_chunks(body)
    return lines[0], headers, body


def join_chunks(data):
    whole = b""
    while data:
        size, _, rest = data.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if length == 0:
            break
        whole, data = whole + rest[:length], rest[length + 2:]
    return whole


VARYING_HEADERS = {"date": "<date>", "x-request-id": "<request>", "content-length": "<n>", "mcp-session-id": "<session>"}


def show_answer(answer):
    status, headers, body = answer
    head = "".join(f"{name}: {VARYING_HEADERS.get(name, value)}\n" for name, value in headers)
    return f"{status}\n{head}\n{show_body(dict(headers).get('content-type', ''), body)}"


def show_body(kind, body):
    text = body.decode("utf-8", "replace")
    if kind.startswith("text/html"):
        return text.replace("><", ">\n<") + "\n"
    if kind.startswith("text/event-stream"):
        return "".join(show_event_line(it) for it in text.splitlines())
    if not kind.startswith("application/json"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return show_message(value) if isinstance(value, dict) and "jsonrpc" in value else normalising.show_text(text)[1]


def show_event_line(line):
    if line.startswith("data: {"):
        return "data: " + show_message(json.loads(line[6:]))
    return line + "\n"
