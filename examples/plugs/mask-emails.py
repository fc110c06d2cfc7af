#!/usr/bin/env python3
"""Takes e-mail addresses out of the record:

  - {use: exec, id: emails, onTranscript: [python3, mask-emails.py]}

An event a line comes in, the same event goes out, changed or not; null for one
that is not to be recorded.
"""
import re
import sys

address = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
for line in sys.stdin:
    print(address.sub("[e-mail]", line.rstrip("\n")), flush=True)
