"""Signatures, of which signatures.json has right, wrong and old ones."""

import json
import unittest
from pathlib import Path

from wamux import SignatureError, verify

CASES = json.loads((Path(__file__).parents[1] / "tests/signatures.json").read_text(encoding="utf-8"))


class Signatures(unittest.TestCase):
    def test_cases(self):
        for case in CASES:
            with self.subTest(case["name"]):
                given = (case["body"], case["headers"], case["secret"])
                if case["isRight"]:
                    self.assertEqual(verify(*given, now=case["now"]), json.loads(case["body"]))
                else:
                    with self.assertRaises(SignatureError):
                        verify(*given, now=case["now"])

    def test_uses_the_clock(self):
        case = CASES[0]
        with self.assertRaisesRegex(SignatureError, "too old"):
            verify(case["body"], case["headers"], case["secret"])

    def test_refuses_a_missing_secret(self):
        case = CASES[0]
        for secret in ("", "whsec_", "whsec_no base64!"):
            with self.subTest(secret), self.assertRaises(ValueError):
                verify(case["body"], case["headers"], secret, now=case["now"])


if __name__ == "__main__":
    unittest.main()
