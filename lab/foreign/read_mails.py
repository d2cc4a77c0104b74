"""Prints each mail of a Maildir as a line of JSON, as Python's email package reads it."""
import email, email.policy, json, pathlib, sys

for path in sorted(pathlib.Path(sys.argv[1]).glob("new/*")):
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    defects = [type(one).__name__ for part in mail.walk() for one in part.defects]
    body = mail.get_body(("plain",))
    print(json.dumps({"id": mail["X-Number"], "subject": mail["Subject"], "text": body.get_content(), "defects": defects}))
