"""Deck, seeds and root of one block, from the published formats alone.

An implementation that shares no code with the platform: Python's standard library only. Reads JSON objects from
standard input, one a line,

    {"blockId": "…", "secret": "hex", "size": 350000, "rows": [{"count": 5, "prizeCents": 375000}]}

and prints one line of JSON for each.
"""

import hashlib
import hmac
import json
import sys


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u32(number):
    return number.to_bytes(4, "big")


def hkdf(secret, salt, info):
    """RFC 5869 with SHA-256, 32 bytes: one round of the expansion is all of it."""
    key = hmac.digest(salt, secret, "sha256")
    return hmac.digest(key, info + b"\x01", "sha256")


def words(shuffle_key):
    counter = 0
    while True:
        digest = sha256(shuffle_key, u32(counter))
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        counter += 1


def shuffled_deck(size, rows, shuffle_key):
    deck = [row["prizeCents"] for row in rows for _ in range(row["count"])]
    deck += [0] * (size - len(deck))
    source = words(shuffle_key)
    for i in range(size - 1, 0, -1):
        word = next(source)
        while word >= 2**32 - 2**32 % (i + 1):
            word = next(source)
        j = word % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def root_of(leaves):
    """RFC 9162 section 2.1.1, by recursion on the largest power of two below the number of leaves."""
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha256(b"\x01", root_of(leaves[:k]), root_of(leaves[k:]))


def block(order):
    secret = bytes.fromhex(order["secret"])
    salt = bytes.fromhex(order["blockId"].replace("-", ""))
    shuffle_key = hkdf(secret, salt, b"enjeu-shuffle/1")
    seed_key = hkdf(secret, salt, b"enjeu-seed/1")
    deck = shuffled_deck(order["size"], order["rows"], shuffle_key)
    seeds = [sha256(seed_key, u32(n))[:16] for n in range(len(deck))]
    leaves = [sha256(b"\x00", u32(n), u32(prize), seeds[n]) for n, prize in enumerate(deck)]
    return {
        "deckAsU32Sha256": sha256(*map(u32, deck)).hex(),
        "seedsSha256": sha256(*seeds).hex(),
        "firstPrizes": deck[:64],
        "lastSeed": seeds[-1].hex(),
        "root": root_of(leaves).hex(),
    }


for line in sys.stdin:
    print(json.dumps(block(json.loads(line))), flush=True)
