#!/usr/bin/env python3
"""A second referee for scripts, written from the articles of the regulations: it shares nothing with the platform.

    python3 referee.py REGULATION.json STAKE_CENTS < script.json
    python3 referee.py --jobs REGULATION.json [REGULATION.json ...] < jobs

By hand it prints what the script shows and ends 0, or prints why the script is invalid and ends 1. With --jobs each
line of the input is {"regulation": id, "stakeCents": n, "script": "JSON text"}, and each line of the output is
{"prizeCents": n} or {"invalid": "why"}. Wrong usage ends 2. Python 3.9 or newer, its standard library alone.
"""

import json
import re
import sys

SAFE = 2**53 - 1
DEEPEST = 64
SYMBOLS = ("bird", "scarab", "cross", "head", "eye", "snake")
STONES = ("pink-stone", "green-stone", "blue-stone")


class Invalid(Exception):
    """Why a script is none of this game at this stake."""


# Strict JSON: nothing that two readers could understand differently.


def _members(pairs):
    members = {}
    for name, value in pairs:
        if name in members:
            raise Invalid("the member %r stands twice" % name)
        if re.fullmatch(r"[ -~]*", name) is None:
            raise Invalid("a member whose name is not printable ASCII")
        members[name] = value
    return members


def _integer(text):
    if text == "-0":
        raise Invalid("minus zero")
    # Long digits cost time out of proportion, and are not safe whatever they are.
    if len(text) > 17 or abs(int(text)) > SAFE:
        raise Invalid("not a safe integer")
    return int(text)


def _refuse_number(text):
    raise Invalid("not a plain integer: %s" % text[:40])


def _check_strings(value):
    if isinstance(value, str):
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
            raise Invalid("a lone surrogate")
    elif isinstance(value, list):
        for item in value:
            _check_strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            _check_strings(item)


def _check_depth(text):
    """Before parsing, so that no depth of brackets exhausts the stack."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth = 0
    inside = escaped = False
    for letter in text:
        if inside:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                inside = False
        elif letter == '"':
            inside = True
        elif letter in "[{":
            depth += 1
            if depth > DEEPEST:
                raise Invalid("more than %d levels" % DEEPEST)
        elif letter in "]}":
            depth -= 1


def read_strict(text):
    """The value of a JSON text, or Invalid."""
    _check_depth(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except ValueError as error:
        raise Invalid("not JSON: %s" % error) from None
    _check_strings(value)
    return value


# What scripts are made of.


def _is_int(value, least, most):
    return type(value) is int and least <= value <= most


def _list(value, length, what):
    if type(value) is not list or len(value) != length:
        raise Invalid("%s is not a list of %d" % (what, length))
    return value


def _script(value, mechanic, names):
    if type(value) is not dict:
        raise Invalid("a script is an object")
    if set(value) != {"mechanic"} | set(names):
        raise Invalid("a script of %s has exactly the members mechanic, %s" % (mechanic, ", ".join(names)))
    if value["mechanic"] != mechanic:
        raise Invalid("the mechanic is not %s" % mechanic)
    return value


def sudoku(value, stake):
    """Articles 4.1 to 4.4 of Sudoku: the prize in cents, 0 for a losing unit."""
    script = _script(value, "sudoku/1", ("gainCents", "blocks", "uncovered", "rolls"))
    gain = script["gainCents"]
    if not _is_int(gain, 1, SAFE):
        raise Invalid("the gain box holds no sum")
    blocks = _list(script["blocks"], 9, "blocks")
    uncovered = _list(script["uncovered"], 9, "uncovered")
    masked = []
    for n in range(9):
        digits = _list(blocks[n], 9, "block %d" % (n + 1))
        shown = _list(uncovered[n], 9, "uncovered %d" % (n + 1))
        if not all(_is_int(digit, 1, 9) for digit in digits) or len(set(digits)) != 9:
            raise Invalid("block %d does not hold each digit from 1 to 9 once" % (n + 1))
        if not all(_is_int(one, 0, 1) for one in shown):
            raise Invalid("uncovered %d holds something else than 0 and 1" % (n + 1))
        masked.append({digit for digit, one in zip(digits, shown) if one == 0})
        if not masked[n]:
            raise Invalid("no cell of block %d is masked" % (n + 1))
    came = _rolls(script["rolls"])
    winning = sum(1 for cells in masked if cells <= came)
    return gain * winning


def _rolls(rolls):
    """The digits that three rolls, and one more for each clover, give."""
    if type(rolls) is not list:
        raise Invalid("rolls is not a list")
    left = 3
    clovers = 0
    came = set()
    for n, roll in enumerate(rolls):
        if left == 0:
            raise Invalid("roll %d is one too many" % (n + 1))
        left -= 1
        faces = _list(roll, 2, "roll %d" % (n + 1))
        if not all(face == "clover" or _is_int(face, 1, 6) for face in faces):
            raise Invalid("roll %d has a face that no die has" % (n + 1))
        pips = [face for face in faces if face != "clover"]
        if not pips:
            raise Invalid("roll %d is of two clovers" % (n + 1))
        if len(pips) == 1:
            clovers += 1
            left += 1
            if clovers > 6:
                raise Invalid("more than six clovers")
        if sum(pips) > 9:
            raise Invalid("roll %d gives more than 9" % (n + 1))
        came.add(sum(pips))
    if left > 0:
        raise Invalid("a roll is missing")
    return came


def pharaon(value, stake):
    """Articles 4.1 to 4.7 of Pharaon: the prize in cents, 0 for a losing unit."""
    script = _script(value, "pharaon/1", ("bricks", "bonusCents"))
    bricks = _list(script["bricks"], stake["parameters"]["bricks"], "bricks")
    for brick in bricks:
        if brick is not None and (type(brick) is not str or brick not in SYMBOLS + STONES):
            raise Invalid("a brick hides something unknown")
    if sum(bricks.count(stone) for stone in STONES) > 3:
        raise Invalid("more than three stones")
    pays = {}
    for combination in stake["parameters"]["combinations"]:
        pays.setdefault(combination["symbol"], {})[combination["count"]] = combination["prizeCents"]
    found = []
    for symbol in SYMBOLS:
        times = bricks.count(symbol)
        if times > 3:
            raise Invalid("more than three of %s" % symbol)
        if symbol == "snake":
            if times == 3:
                found.append(None)
        elif symbol in pays and times >= min(pays[symbol]):
            if times not in pays[symbol]:
                raise Invalid("%d of %s are no combination" % (times, symbol))
            found.append(pays[symbol][times])
    if len(found) > 1:
        raise Invalid("more than one combination or bonus game")
    bonus = script["bonusCents"]
    if found == [None]:
        if not _is_int(bonus, 1, SAFE):
            raise Invalid("the bonus game wins no amount")
        return bonus
    if bonus is not None:
        raise Invalid("an amount of the bonus game without three snakes")
    return found[0] if found else 0


def match(value, stake):
    """Nine covered amounts; one that stands there exactly three times is won."""
    amounts = _list(_script(value, "match/1", ("amounts",))["amounts"], 9, "amounts")
    table = {row["prizeCents"] for row in stake["rows"]}
    if not all(type(amount) is int and amount in table for amount in amounts):
        raise Invalid("an amount that the table does not have")
    often = [amount for amount in set(amounts) if amounts.count(amount) >= 3]
    if not often:
        return 0
    if len(often) > 1 or amounts.count(often[0]) > 3:
        raise Invalid("more than one amount wins")
    return often[0]


MECHANICS = {"sudoku/1": sudoku, "pharaon/1": pharaon, "match/1": match}


def judge(value, regulation, stake_cents):
    """The prize in cents that a script shows at this stake of a regulation, 0 for none; Invalid when it is no script."""
    stakes = [stake for stake in regulation["stakes"] if stake["stakeCents"] == stake_cents]
    if not stakes:
        raise Invalid("the regulation has no stake of %s cents" % stake_cents)
    prize = MECHANICS[regulation["mechanic"]](value, stakes[0])
    if prize != 0 and prize not in {row["prizeCents"] for row in stakes[0]["rows"]}:
        raise Invalid("%d cents is no amount of the table" % prize)
    return prize


def verdict(text, regulation, stake_cents):
    try:
        return {"prizeCents": judge(read_strict(text), regulation, stake_cents)}
    except Invalid as error:
        return {"invalid": str(error)}


def _regulation(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _jobs(paths):
    regulations = {regulation["id"]: regulation for regulation in map(_regulation, paths)}
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps(verdict(job["script"], regulations[job["regulation"]], job["stakeCents"])))
    return 0


def main(words):
    if len(words) >= 2 and words[0] == "--jobs":
        return _jobs(words[1:])
    if len(words) != 2 or not words[1].isdigit():
        print("usage: referee.py REGULATION.json STAKE_CENTS < script.json", file=sys.stderr)
        return 2
    try:
        regulation = _regulation(words[0])
        text = sys.stdin.buffer.read().decode("utf-8")
    except (OSError, ValueError) as error:
        print("referee: %s" % error, file=sys.stderr)
        return 2
    if regulation.get("mechanic") not in MECHANICS:
        print("referee: %s is no regulation of a game that it knows" % words[0], file=sys.stderr)
        return 2
    said = verdict(text, regulation, int(words[1]))
    if "invalid" in said:
        print("invalid: %s" % said["invalid"])
        return 1
    print("shows a prize of %d cents" % said["prizeCents"] if said["prizeCents"] else "shows a losing unit")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
