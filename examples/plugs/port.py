#!/usr/bin/env python3
"""Gives each session a TCP port of its own, as the variable PORT. A port is
taken by a file of its number, which holds the session's key:

  - use: exec
    id: port
    onStart: [python3, port.py, /var/tmp/ports]
    onTeardown: [python3, port.py, /var/tmp/ports]
"""
import json
import os
import sys

asked = json.load(sys.stdin)
ports = sys.argv[1]
os.makedirs(ports, exist_ok=True)


def mine():
    for name in os.listdir(ports):
        with open(os.path.join(ports, name)) as f:
            if f.read() == asked["key"]:
                return name


def take():
    for port in range(20000, 21000):
        mark = os.path.join(ports, f".{port}.{asked['key']}")
        with open(mark, "w") as f:
            f.write(asked["key"])
        try:
            os.link(mark, os.path.join(ports, str(port)))  # whole, or not at all
            return str(port)
        except FileExistsError:
            continue
        finally:
            os.remove(mark)
    sys.exit("every port from 20000 to 20999 is taken: look into " + ports)


if asked["hook"] == "onStart":
    port = mine() or take()
    print(json.dumps({"state": port, "env": {"PORT": port}}))
else:
    port = mine()
    if port:
        os.remove(os.path.join(ports, port))
