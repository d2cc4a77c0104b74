/** A client that never ends a message. The SDK copies its buffer with each chunk, so this takes seconds. */
import { folderWith, initialize, serverFor } from '../../apps/mcp/test/assistant.ts';

test('a message beyond all limits ends the server, with a line on stderr', async () => {
  const { file } = await folderWith('forms: {}');
  const { write, ended } = serverFor(file);
  write(initialize);
  write(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(11_000_000)}`);
  const { code, log } = await ended;
  expect(code).toBe(1);
  expect(log).toBe('relay mcp: stopped, because a message is larger than 10 MB\n');
});
