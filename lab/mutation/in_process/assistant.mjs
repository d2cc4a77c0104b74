/** Stands in for test/assistants/assistant.ts: its server is in the process of the tests, where mutants are. */
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onTestFinished } from 'vitest';
import { makeServer } from '../../../packages/cli/src/mcp/server.ts';
import { Session } from '../../../packages/cli/src/mcp/session.ts';
import { Turns } from '../../../packages/cli/src/mcp/turns.ts';
import { caller, clientOf } from '../../../test/assistants/assistant.ts';

export { folderWith, initialize, line, program, serverFor } from '../../../test/assistants/assistant.ts';

export async function assistant({ file, options = [], env = {}, revision }) {
  const before = { ...process.env };
  Object.assign(process.env, env);
  const session = new Session(file, options.includes('--values'));
  const [own, others] = InMemoryTransport.createLinkedPair();
  const turns = new Turns();
  const server = serveStdio(() => makeServer(session, turns), { transport: others, onerror: () => {} });
  const client = clientOf(revision);
  onTestFinished(async () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    await client.close();
    await server.close();
  });
  await client.connect(own);
  return { client, call: caller(client) };
}
