import http from 'node:http';

/** Forwards a request to the relay, and its answer back. `answered` decides whether it gets through. */
export function passOn(
  relay: string,
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  headers: http.OutgoingHttpHeaders = incoming.headers,
  answered = () => true,
): void {
  const { url = '', method } = incoming;
  const onward = http.request(relay + url, { method, headers }, (answer) => {
    if (!answered()) return void answer.resume();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => outgoing.destroy()).pipe(outgoing);
  });
  // Leaving a page may abort its requests, and so may the end of a test.
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
