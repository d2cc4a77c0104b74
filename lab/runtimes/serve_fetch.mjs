// A program that embeds the relay as a web-standard handler, in the runtime's own server.
import { createServer } from 'node:http';
import { createRelay } from 'form-relay';

const { Bun, Deno } = globalThis;
const hostname = '127.0.0.1';
const relay = createRelay();
const tell = (port) => console.log(`http://${hostname}:${port}`);

if (Bun) {
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch: (request, server) => relay.fetch(request, { peerAddress: server.requestIP(request)?.address }),
  });
  tell(server.port);
} else if (Deno) {
  Deno.serve({ hostname, port: 0, onListen: ({ port }) => tell(port) }, (request, { remoteAddr }) =>
    relay.fetch(request, { peerAddress: remoteAddr.hostname }),
  );
} else {
  const server = createServer(async (incoming, outgoing) => {
    const { method, url, headers, socket } = incoming;
    const body = /^(GET|HEAD)$/.test(method) ? {} : { body: incoming, duplex: 'half' };
    const request = new Request(new URL(url, `http://${headers.host}`), { method, headers, ...body });
    const answer = await relay.fetch(request, { peerAddress: socket.remoteAddress });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, hostname, () => tell(server.address().port));
}
