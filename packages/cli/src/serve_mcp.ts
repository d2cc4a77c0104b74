import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { endProcess } from './end_process.ts';
import { makeServer } from './mcp/server.ts';
import { Session } from './mcp/session.ts';
import { Turns } from './mcp/turns.ts';
import type { GlobalOptions } from './usage.ts';

export interface McpOptions extends GlobalOptions {
  /** Whether the assistant may see what visitors wrote. */
  readonly values?: boolean;
}

/** How long answers under way may take after the assistant's last question. */
const lastAnswersMs = 10_000;
const lookMs = 20;

/**
 * Answers an assistant on stdin and stdout until stdin ends (D207). It serves clients of the revision 2026-07-28, and older ones,
 * which begin with `initialize`. The log is on stderr.
 */
export async function serveMcp({ config, values = false }: McpOptions): Promise<void> {
  if (process.stdin.isTTY)
    process.stderr.write(
      'relay mcp: waiting for an assistant, which has to start this; see docs/assistants.md\n',
    );
  const session = new Session(config, values);
  const turns = new Turns();
  const input = new PassThrough();
  // The SDK waits for a full pipe with a listener for each answer.
  process.stdout.setMaxListeners(0);
  const transport = new EndingTransport(input, process.stdout);
  serveStdio(() => makeServer(session, turns), { transport, onerror: tell });
  process.stdin.pipe(input, { end: false });
  process.stdin.once('end', () => void endWhenIdle(input, turns));
  await transport.ended;
  await endProcess();
}

/** A transport that tells when it is over: at the end of stdin, or after a message of more than 10 MB. */
class EndingTransport extends StdioServerTransport {
  #end: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  override async close(): Promise<void> {
    await super.close();
    this.#end();
  }
}

/** The SDK drops answers under way when its input ends, but a shell's pipe ends right after its last line. */
async function endWhenIdle(input: PassThrough, turns: Turns): Promise<void> {
  const latest = Date.now() + lastAnswersMs;
  do await sleep(lookMs);
  while (!turns.areIdle && Date.now() < latest);
  await sleep(lookMs);
  input.end();
}

/** Lines that are no messages, and failures of the connection. Never quotes a message. */
function tell(error: Error): void {
  const isSyntax = error instanceof SyntaxError || error.name === 'ZodError';
  process.stderr.write(
    `relay mcp: ${isSyntax ? 'a line on stdin is no message of MCP' : firstLine(error)}\n`,
  );
}

const firstLine = ({ message }: Error) => message.split('\n', 1)[0]?.slice(0, 300);
