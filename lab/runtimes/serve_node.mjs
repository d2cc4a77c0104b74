// A program that embeds the relay with node:http, as in the README, and shuts down properly.
import { closeServer, createNodeServer, createRelay } from 'form-relay';

const relay = createRelay();
const server = createNodeServer(relay.handle, { limits: relay.settings });
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', async () => {
  await closeServer(server, 10_000);
  await relay.close();
  // Deno does not exit while it listens for a signal.
  process.exit();
});
