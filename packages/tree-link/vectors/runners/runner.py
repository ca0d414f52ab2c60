"""Runs the vectors of valid and refused links against a minimal decoder in Python.

    python3 vectors/runners/runner.py            # prints the number of cases, or the first failure
    python3 vectors/runners/runner.py --lines    # decodes payloads from standard input, for `--against`

The decoder is a hundred lines and shares nothing with the package: it shows what a reader of the
files has to do. Needs Python 3.9 or newer and no package.
"""

import json
import pathlib
import sys

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
VALUES = {character: value for value, character in enumerate(ALPHABET)}


class Refused(Exception):
    def __init__(self, reason, unit, offset, field=None):
        super().__init__(reason)
        self.error = {"reason": reason, "unit": unit, "offset": offset}
        if field is not None:
            self.error["field"] = field


def utf16_units(text):
    """Offsets count UTF-16 code units, as JSON strings of most languages do."""
    raw = text.encode("utf-16-be", "surrogatepass")
    return [chr(raw[i] << 8 | raw[i + 1]) for i in range(0, len(raw), 2)]


def decode_text(text):
    units = utf16_units(text)
    end = next((i for i, unit in enumerate(units) if unit not in VALUES), len(units))
    tail = units[end:]
    if tail and tail[0] != "=":
        raise Refused("invalid-character", "character", end)
    spare = end * 6 % 8
    number = 0
    for unit in units[:end]:
        number = number << 6 | VALUES[unit]
    tail_bits = number & ((1 << spare) - 1)
    data = (number >> spare).to_bytes(end * 6 // 8, "big")
    if end % 4 == 1 or (tail_bits and not tail):
        # Cut off inside a byte, if the whole bytes before it are no link.
        if not tail:
            try:
                decode_bytes(data)
            except Refused as refused:
                if refused.error["reason"] == "truncated":
                    field = refused.error["field"]
                    raise Refused("truncated", "character", end, field) from None
        if end % 4 == 1:
            raise Refused("invalid-length", "character", end - 1)
    if tail and (tail not in (["="], ["=", "="]) or len(units) % 4 != 0):
        raise Refused("invalid-padding", "character", end)
    if tail_bits:
        raise Refused("non-zero-tail-bits", "character", end - 1)
    return data


def decode_bytes(data):
    size = len(data)

    def uint(at, width, field):
        if at + width > size:
            raise Refused("truncated", "byte", size, field)
        return int.from_bytes(data[at : at + width], "big")

    version = uint(0, 4, "version")
    if version not in (4, 5, 6):
        raise Refused("unknown-version", "byte", 0, "version")
    link = {"version": version, "class": uint(4, 1, "class")}
    ascendancy = uint(5, 1, "ascendancy")
    if version == 6:
        link["ascendancy"] = ascendancy & 3
        link["alternateAscendancy"] = ascendancy >> 2
    else:
        link["ascendancy"] = ascendancy
    if version == 4:
        link["fullscreen"] = uint(6, 1, "fullscreen")
        if link["fullscreen"] > 1:
            raise Refused("invalid-fullscreen", "byte", 6, "fullscreen")
        if size % 2 == 0:
            raise Refused("odd-tail", "byte", size - 1, "hashes")
        link["hashes"] = [uint(at, 2, "hashes") for at in range(7, size, 2)]
        return link
    at = 6
    for field, width in (("hashes", 2), ("extendedHashes", 2), ("masteries", 4)):
        if field == "masteries" and version == 5:
            break
        count = uint(at, 1, field)
        at += 1
        if at + count * width > size:
            raise Refused("truncated", "byte", size, field)
        numbers = [uint(at + i * width, width, field) for i in range(count)]
        if field == "masteries":
            numbers = [{"node": pair & 0xFFFF, "effect": pair >> 16} for pair in numbers]
        link[field] = numbers
        at += count * width
    if at < size:
        raise Refused("trailing-bytes", "byte", at)
    return link


def read(name):
    path = pathlib.Path(__file__).parent.parent / name
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["format"] != 1 or content["count"] != len(content["cases"]):
        sys.exit(f"{name}: unknown format or missing cases")
    return content["cases"]


def run():
    count = 0
    for case in read("valid.json"):
        data = bytes.fromhex(case["bytes"])
        for payload in (case["payload"], case["unpadded"]):
            if decode_text(payload) != data or decode_bytes(data) != case["link"]:
                sys.exit(f"{case['id']}: {case['why']}")
        count += 1
    for case in read("refused.json"):
        try:
            found = {"link": decode_bytes(decode_text(case["payload"]))}
        except Refused as refused:
            found = refused.error
        if found != case["error"]:
            sys.exit(f"{case['id']}: {case['why']} Found {found}, expected {case['error']}.")
        count += 1
    print(f"python: {count} cases pass")


def lines():
    for line in sys.stdin:
        try:
            answer = {"ok": True, "link": decode_bytes(decode_text(line.rstrip("\n")))}
        except Refused as refused:
            answer = {"ok": False, **refused.error}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    lines() if "--lines" in sys.argv else run()
