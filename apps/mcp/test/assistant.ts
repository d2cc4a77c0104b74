import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ownerOf } from '../../../packages/cli/src/commands/mcp.ts';
import { makeServer } from '../src/server.ts';
import { Session } from '../src/session.ts';

export const program = fileURLToPath(new URL('../../../dist/relay.cjs', import.meta.url));

/** A temporary folder with a config. */
export async function folderWith(config: string): Promise<{ folder: string; file: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'relay-mcp-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'webform.yaml');
  await writeFile(file, config);
  return { folder, file };
}

export interface Given {
  readonly file: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `2026-07-28` has no `initialize`; `legacy` begins with it. Default in a process: the former. */
  readonly revision?: '2026-07-28' | 'legacy';
}

export interface Called {
  readonly isError: boolean;
  /** All text content of the answer. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own.
  readonly found: any;
  /** The whole answer as JSON. */
  readonly whole: string;
}

/** The SDK's client with a server: in a separate process if the test sets a revision or an environment. */
export async function assistant({ file, options = [], env, revision }: Given) {
  const isProcess = env !== undefined || revision !== undefined;
  const mode = isProcess && revision !== 'legacy' ? { pin: revision ?? '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  if (isProcess) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, '--config', file, 'mcp', ...options],
      env: { PATH: process.env.PATH ?? '', ...env },
      stderr: 'pipe',
    });
    await client.connect(transport);
  } else {
    const [ofClient, ofServer] = InMemoryTransport.createLinkedPair();
    await makeServer(new Session(ownerOf(file), options.includes('--values'))).connect(ofServer);
    await client.connect(ofClient);
  }
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Called> => {
    const answer = await client.callTool({ name, arguments: args });
    const texts = answer.content.map((one) => (one.type === 'text' ? one.text : ''));
    return {
      isError: answer.isError === true,
      text: texts.join('\n'),
      found: answer.structuredContent,
      whole: JSON.stringify(answer),
    };
  };
  return { client, call };
}

/** A server to which a test writes lines, and everything it printed when it has ended. */
export function serverFor(file: string): {
  child: ChildProcess;
  write(text: string): void;
  ended: Promise<{ code: number | null; out: string; log: string }>;
} {
  const child = spawn(process.execPath, [program, '--config', file, 'mcp'], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let log = '';
  child.stdout.on('data', (some) => {
    out += some;
  });
  child.stderr.on('data', (some) => {
    log += some;
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ code: number | null; out: string; log: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, log }));
  });
  return { child, write: (text) => void child.stdin.write(text), ended };
}

export const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

export const initialize = line({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
