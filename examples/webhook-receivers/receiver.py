import base64, hashlib, hmac, os, re, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
if len(key) < 24:
    raise SystemExit("WEBHOOK_SECRET is not set")

def is_genuine(headers, body):
    id, sent_at, signatures = (headers.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch("[0-9]{1,12}", sent_at) or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{id}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    return any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" "))

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204 if is_genuine(self.headers, body) else 401)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
