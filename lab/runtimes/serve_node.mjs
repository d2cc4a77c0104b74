// A program that embeds the relay, on node:http, as the README shows it; and ends as it should.
import { closeServer, createNodeServer, createRelay } from 'form-relay';

const relay = createRelay();
const server = createNodeServer(relay.handle, { limits: relay.settings });
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', async () => {
  await closeServer(server, 10_000);
  await relay.close();
  // Deno goes on while it listens to a signal.
  process.exit();
});
