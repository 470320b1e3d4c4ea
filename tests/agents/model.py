#!/usr/bin/env python3
"""A model that asks for one shell command and says done: the four ways of talking that coding
agents know. usage: model.py PORT-FILE LOG COMMAND; LOG gets what the command gave, as JSON lines."""
import http.server
import json
import sys

port_file, log, command = sys.argv[1:4]
SHELLS = ("Bash", "bash", "run_shell_command", "shell", "exec_command", "shell_command", "local_shell")


def note(what):
    with open(log, "a") as file:
        file.write(json.dumps(what) + "\n")


def shell_of(names):
    return next((name for name in SHELLS if name in names), None)


def repeated(result):
    """The command to give instead, when the result asks for one."""
    text = result if isinstance(result, str) else "".join(part.get("text", "") for part in result)
    asks = "give exactly this command instead: "
    return text.split(asks, 1)[1].strip() if asks in text else None


def arguments(name, command=command):
    given = {"command": command, "description": "probe", "is_background": False}
    if name == "exec_command":
        return {"cmd": command}
    if name == "shell":
        return {"command": ["bash", "-lc", command]}
    return given


class Anthropic:
    @staticmethod
    def answer(body):
        results = [part for message in body["messages"] if isinstance(message["content"], list)
                   for part in message["content"] if part.get("type") == "tool_result"]
        name = shell_of([tool["name"] for tool in body.get("tools", [])])
        if results:
            note({"result": results[-1].get("content")})
        use = name and not results
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}} if use else {"type": "text", "text": ""}
        delta = ({"type": "input_json_delta", "partial_json": json.dumps({"command": command, "description": "probe"})}
                 if use else {"type": "text_delta", "text": "done"})
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        stop = "tool_use" if use else "end_turn"
        if not body.get("stream"):
            content = [{**block, "input": {"command": command}}] if use else [{"type": "text", "text": "done"}]
            return json.dumps({**message, "content": content, "stop_reason": stop}), "application/json"
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": block},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                   "usage": {"output_tokens": 1}},
                  {"type": "message_stop"}]
        return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events), "text/event-stream"


class Chat:
    @staticmethod
    def answer(body):
        results = [message for message in body["messages"] if message["role"] == "tool"]
        name = shell_of([tool["function"]["name"] for tool in body.get("tools", [])])
        if results:
            note({"result": results[-1]["content"]})
        again = repeated(results[-1]["content"]) if len(results) == 1 else None
        use = name and (not results or again)
        call = {"index": 0, "id": "call_1", "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments(name, again or command))}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]} if use else {"role": "assistant", "content": "done"}
        base = {"id": "c1", "created": 1, "model": body.get("model", "m")}
        stop = "tool_calls" if use else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            return json.dumps({**base, "object": "chat.completion", "usage": usage,
                               "choices": [{"index": 0, "message": said, "finish_reason": stop}]}), "application/json"
        chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
                  {**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": stop}],
                   "usage": usage}]
        return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n", "text/event-stream"


class Responses:
    @staticmethod
    def answer(body):
        results = [item for item in body.get("input", []) if item.get("type", "").endswith("_call_output")]
        name = shell_of([tool.get("name", tool.get("type")) for tool in body.get("tools", [])])
        if results:
            note({"result": results[-1].get("output")})
        if name and not results:
            item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "status": "completed",
                    "arguments": json.dumps(arguments(name))}
        else:
            item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "done", "annotations": []}]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0},
                 "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        events = [{"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}},
                  {"type": "response.output_item.done", "output_index": 0, "item": item},
                  {"type": "response.completed", "response": response}]
        return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events), "text/event-stream"


class Gemini:
    @staticmethod
    def answer(body, stream):
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        names = [f["name"] for tool in body.get("tools", []) for f in tool.get("functionDeclarations", [])]
        name = shell_of(names)
        if results:
            note({"result": results[-1].get("response")})
        part = {"functionCall": {"name": name, "args": arguments(name)}} if name and not results else {"text": "done"}
        answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        if not stream:
            if "json" in json.dumps(body.get("generationConfig", {})).lower():
                answer["candidates"][0]["content"]["parts"] = [{"text": "{}"}]
            return json.dumps(answer), "application/json"
        return f"data: {json.dumps(answer)}\n\n", "text/event-stream"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, text, kind="application/json", status=200):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        note({"get": self.path})
        self.reply('{"data": [{"id": "probe", "object": "model"}], "object": "list"}')

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        note({"post": path})
        if path.endswith("/count_tokens") or ":countTokens" in path:
            self.reply('{"input_tokens": 1, "totalTokens": 1}')
        elif path.endswith("/messages"):
            self.reply(*Anthropic.answer(body))
        elif path.endswith("/chat/completions"):
            self.reply(*Chat.answer(body))
        elif path.endswith("/responses"):
            self.reply(*Responses.answer(body))
        elif "enerateContent" in path:
            self.reply(*Gemini.answer(body, "stream" in path))
        else:
            self.reply("{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file, "w") as file:
    file.write(str(server.server_address[1]))
server.serve_forever()
