"""Runs script.json with the Python client: run.py [--async] SCRIPT URL ADMIN_TOKEN RECEIVER"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import sys
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[2] / "plugins/docs/clients/python"))

from wamux import AsyncClient, Client, WamuxError, verify  # noqa: E402

LIMIT_SECONDS = 30


def snake(name):
    return re.sub(r"(?<!^)[A-Z]", lambda letter: f"_{letter[0]}", name).lower()


def at(value, path):
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def problem_of(value, wanted):
    if not isinstance(wanted, dict):
        return None if value == wanted else f"{value!r} instead of {wanted!r}"
    if "matches" in wanted:
        return None if re.search(wanted["matches"], str(value)) else f"{value!r} does not match {wanted['matches']}"
    if "atLeast" in wanted:
        return None if len(value) >= wanted["atLeast"] else f"{len(value)} items"
    return None if len(value) == wanted["length"] else f"{len(value)} items: {json.dumps(value)[:1000]}"


def problems(result, wanted):
    for path, expected in wanted.items():
        try:
            found = problem_of(at(result, path), expected)
        except (KeyError, IndexError, TypeError):
            found = f"missing in {json.dumps(result)[:1000]}"
        if found:
            return f"{path}: {found}"
    return None


async def wait_for(value):
    return await value if inspect.isawaitable(value) else value


async def take(items, most):
    found = []
    if hasattr(items, "__aiter__"):
        async for item in items:
            found.append(item)
            if len(found) == most:
                break
        await items.aclose()
    else:
        for item in items:
            found.append(item)
            if len(found) == most:
                break
        items.close()
    return {"items": found}


class Runner:
    def __init__(self, make, url, admin_token, receiver):
        self.make, self.url, self.receiver = make, url, receiver
        self.values = {"receiver": f"{receiver}/hook"}
        self.clients = {"admin": make(url, admin_token=admin_token), "stranger": make(url, token="nobody")}

    def fill(self, value):
        if isinstance(value, dict):
            return {key: self.fill(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        return self.values[value[1:]] if isinstance(value, str) and value.startswith("$") else value

    def client(self, who):
        if who not in self.clients:
            self.clients[who] = self.make(self.url, token=self.values["token"])
        return self.clients[who]

    async def result(self, step):
        given = step.get("with", {})
        if "delivery" in step:
            delivery = httpx.get(f"{self.receiver}/next", timeout=LIMIT_SECONDS).json()
            return verify(delivery["body"].encode(), delivery["headers"], step["delivery"])
        client = self.client(step.get("as", "session"))
        if "events" in step:
            return await take(client.events(**step["events"]), step["take"])
        if "iterate" in step:
            name = re.sub("^get_", "", snake(step["iterate"]))
            return await take(getattr(client, f"iterate_{name}")(**given), None)
        key = {"idempotency_key": step["key"]} if "key" in step else {}
        if "operation" in step:
            return await wait_for(getattr(client, snake(step["operation"]))(**given, **key))
        method, path = step["call"]
        place = "query" if method == "get" else "body"
        return await wait_for(client.call(method, path, params=step.get("params"), **{place: given}))

    async def problem(self, step):
        refusal = step.get("fails")
        try:
            result = await self.result(step)
        except WamuxError as error:
            if not refusal:
                return f"{type(error).__name__} {error.status} {error.code}: {error}"
            shown = {"status": error.status, "code": error.code, "message": str(error)}
            return problems(shown, refusal)
        if refusal:
            return f"no refusal: {json.dumps(result)[:1000]}"
        found = problems(result, step.get("expect", {}))
        if not found:
            for name, path in step.get("save", {}).items():
                self.values[name] = at(result, path)
        return found

    async def run(self, steps):
        for raw in steps:
            step = {**self.fill(raw), "save": raw.get("save", {})}
            end = time.monotonic() + LIMIT_SECONDS
            found = await self.problem(step)
            while found and step.get("until") and time.monotonic() < end:
                await asyncio.sleep(0.1)
                found = await self.problem(step)
            if found:
                sys.exit(f"{step['name']}: {found}")
            print(step["name"], flush=True)
        for client in self.clients.values():
            await wait_for(client.close())


def main(arguments):
    is_async = arguments[0] == "--async"
    script, *rest = arguments[1:] if is_async else arguments
    runner = Runner(AsyncClient if is_async else Client, *rest)
    asyncio.run(runner.run(json.loads(Path(script).read_text(encoding="utf-8"))["steps"]))


main(sys.argv[1:])
