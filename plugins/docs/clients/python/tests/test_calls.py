"""Calls against a transport that answers as told."""

import asyncio
import json
import unittest
from unittest.mock import patch

import httpx

from wamux import AsyncClient, Client, ConnectionFailed, InvalidRequest, ServerError, TooManyRequests, WamuxError
from wamux.stream import MessageReader

DONE = (200, {"code": 200, "data": {"Id": "x"}, "success": True}, {})


def refusal(status, code, headers=None):
    body = {"code": status, "error": f"no {code}", "errorCode": code, "success": False}
    return (status, body, headers or {})


class Gateway:
    """Answers with what it is given, then with success; None is no answer."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        answer = self.answers.pop(0) if self.answers else DONE
        if answer is None:
            raise httpx.ConnectError("refused", request=request)
        status, body, headers = answer
        if isinstance(body, str):
            return httpx.Response(status, text=body, headers={"content-type": "text/html", **headers})
        return httpx.Response(status, json=body, headers=headers)

    def client(self, **options):
        return Client("http://gateway/", http=httpx.Client(transport=httpx.MockTransport(self)), **options)


class Calls(unittest.TestCase):
    def setUp(self):
        self.pauses = []
        sleep = patch("time.sleep", self.pauses.append)
        sleep.start()
        self.addCleanup(sleep.stop)

    def tried(self, call, *answers):
        gateway = Gateway(*answers)
        try:
            call(gateway.client(token="t"))
        except WamuxError as error:
            return error.code, gateway
        return "done", gateway

    def send(self, wamux):
        return wamux.send_text(Phone="1", Body="x")

    def test_repeats_a_send_under_one_key(self):
        code, gateway = self.tried(self.send, None, (502, "<html>", {}), refusal(504, "NETWORK_SILENT"))
        keys = {request.headers["idempotency-key"] for request in gateway.asked}
        self.assertEqual((code, len(gateway.asked), len(keys)), ("done", 4, 1))
        self.assertRegex(keys.pop(), "^[0-9a-f]{32}$")

    def test_needs_no_key_for_a_send_with_an_id(self):
        _, gateway = self.tried(lambda wamux: wamux.send_text(Phone="1", Body="x", Id="own"))
        self.assertNotIn("idempotency-key", gateway.asked[0].headers)

    def test_does_not_repeat_what_would_not_pass(self):
        for answer, code in [
            (refusal(400, "FIELD_INVALID"), "FIELD_INVALID"),
            (refusal(429, "QUEUE_FULL"), "QUEUE_FULL"),
            (refusal(500, "INTERNAL"), "INTERNAL"),
            (refusal(502, "SEND_FAILED"), "SEND_FAILED"),
        ]:
            with self.subTest(code):
                found, gateway = self.tried(self.send, answer)
                self.assertEqual((found, len(gateway.asked)), (code, 1))

    def test_repeats_other_calls_only_when_told(self):
        busy = refusal(503, "BUSY")
        code, gateway = self.tried(lambda wamux: wamux.chat_pin(Chat="1", Pin=True), busy)
        self.assertEqual((code, len(gateway.asked)), ("BUSY", 1))
        code, gateway = self.tried(lambda wamux: wamux.chat_pin(Chat="1", Pin=True, retry=True), busy)
        self.assertEqual((code, len(gateway.asked)), ("done", 2))

    def test_gives_up_after_the_retries(self):
        code, gateway = self.tried(lambda wamux: wamux.get_session_status(), None, None, None, None)
        self.assertEqual((code, len(gateway.asked)), ("NETWORK", 4))

    def test_waits_as_long_as_the_gateway_says(self):
        self.tried(self.send, refusal(503, "BUSY", {"retry-after": "7"}), refusal(503, "BUSY"))
        self.assertEqual(self.pauses[0], 7)
        self.assertTrue(0.5 <= self.pauses[1] <= 1, self.pauses)

    def test_raises_errors_by_status_with_their_fields(self):
        limited = refusal(429, "QUEUE_FULL", {"retry-after": "3", "x-request-id": "r1"})
        with self.assertRaises(TooManyRequests) as caught:
            Gateway(limited).client().send_text(Phone="1", Body="x")
        error = caught.exception
        fields = (error.code, error.status, error.retry_after, error.request_id, str(error))
        self.assertEqual(fields, ("QUEUE_FULL", 429, 3.0, "r1", "no QUEUE_FULL"))
        for answer, kind in [
            (refusal(422, "MEDIA_UNSUPPORTED"), InvalidRequest),
            (refusal(500, "INTERNAL"), ServerError),
            (None, ConnectionFailed),
        ]:
            with self.assertRaises(kind):
                Gateway(answer).client(retries=0).get_session_status()

    def test_puts_fields_where_they_belong(self):
        gateway = Gateway()
        wamux = gateway.client(token="secret")
        wamux.get_events(after=5, class_="Message")
        wamux.delete_schedule_by_id(id="a/b ?")
        wamux.send_text(Phone="1", Body="é")
        first, second, third = gateway.asked
        self.assertEqual(str(first.url), "http://gateway/events?after=5&class=Message")
        self.assertEqual(second.url.raw_path, b"/schedule/a%2Fb%20%3F")
        self.assertEqual(json.loads(third.content), {"Phone": "1", "Body": "é"})
        self.assertEqual(third.headers["token"], "secret")

    def test_iterates_until_the_last_page(self):
        page = lambda before, *names: (200, {"data": {"Chats": list(names), "Before": before}, "success": True}, {})
        gateway = Gateway(page(9, "a", "b"), page(4), page(0, "c"))
        self.assertEqual(list(gateway.client().iterate_chats(limit=2)), ["a", "b", "c"])
        self.assertEqual([request.url.params.get("before") for request in gateway.asked], [None, "9", "4"])

    def test_async_repeats_as_well(self):
        gateway = Gateway(refusal(503, "BUSY"))

        async def send():
            http = httpx.AsyncClient(transport=httpx.MockTransport(gateway))
            async with AsyncClient("http://gateway", http=http) as wamux:
                return await wamux.send_text(Phone="1", Body="x")

        self.assertEqual(asyncio.run(send()), {"Id": "x"})
        self.assertEqual(len({request.headers["idempotency-key"] for request in gateway.asked}), 1)


class Streams(unittest.TestCase):
    def setUp(self):
        sleep = patch("time.sleep")
        sleep.start()
        self.addCleanup(sleep.stop)

    def test_reads_messages_that_arrive_in_pieces(self):
        stream = 'id: 1\r\ndata: {"a":"é\u2028"}\r\n\r\n: heartbeat\n\ndata: x\ndata: y\n\n'.encode()
        reader = MessageReader()
        messages = [message for byte in stream for message in reader.read(bytes([byte]))]
        found = [(message.id, message.data) for message in messages]
        self.assertEqual(found, [("1", '{"a":"é\u2028"}'), ("", ""), ("", "x\ny")])

    def test_goes_on_after_the_last_event_and_ends_with_a_refusal(self):
        asked = []

        def answer(request):
            asked.append(request.headers.get("last-event-id"))
            if len(asked) == 3:
                return httpx.Response(410, json={"error": "dropped", "errorCode": "EVENTS_DROPPED", "success": False})
            return httpx.Response(200, text=f'id: {len(asked)}\ndata: {{"seq": {len(asked)}}}\n\nid: 9\ndata: cut o')

        http = httpx.Client(transport=httpx.MockTransport(answer))
        seen = []
        with self.assertRaises(WamuxError) as caught:
            for event in Client("http://gateway", http=http).events(after=0):
                seen.append(event["seq"])
        self.assertEqual((seen, asked, caught.exception.code), ([1, 2], ["0", "1", "2"], "EVENTS_DROPPED"))


if __name__ == "__main__":
    unittest.main()
