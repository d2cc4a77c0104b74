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

/** How long the next answer may take after the assistant's last question: the doctor needs half a minute. */
const nextAnswerMs = 40_000;
const lookMs = 20;

/** The SDK's limit. */
const mostMessageBytes = 10 * 1_048_576;

/**
 * Answers an assistant on stdin and stdout until stdin ends. It serves clients of the revision 2026-07-28, and older ones,
 * which begin with `initialize`. The log is on stderr. Exit code 1 after a message of more than 10 MB.
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
  const transport = new EndingTransport(input, process.stdout, { maxBufferSize: mostMessageBytes });
  serveStdio(() => makeServer(session, turns), { transport, onerror: tell });
  process.stdin.pipe(input, { end: false });
  process.stdin.once('end', () => void endWhenAnswered(input, transport));
  await transport.ended;
  await endProcess();
}

type Message = Parameters<StdioServerTransport['send']>[0];

/** A transport that knows which requests are not answered yet, and tells when it is over. */
class EndingTransport extends StdioServerTransport {
  readonly #unanswered = new Set<unknown>();
  #end: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });
  /** When a message last came or went, by `performance.now()`. */
  latest = 0;

  get isAnswered(): boolean {
    return this.#unanswered.size === 0;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message) => {
      this.#count(message);
      deliver?.(message);
    };
    await super.start();
  }

  override send(message: Message): Promise<void> {
    if (!('method' in message)) this.#unanswered.delete(message.id);
    this.latest = performance.now();
    return super.send(message);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#end();
  }

  #count(message: Message): void {
    this.latest = performance.now();
    if (!('method' in message)) return;
    // A subscription has no answer until it ends.
    if ('id' in message && message.method !== 'subscriptions/listen') this.#unanswered.add(message.id);
    if (message.method === 'notifications/cancelled') this.#unanswered.delete(message.params?.requestId);
  }
}

/** The SDK drops answers under way when its input ends, but a shell's pipe ends right after its last line. */
async function endWhenAnswered(input: PassThrough, transport: EndingTransport): Promise<void> {
  // The last message may have no line break.
  input.write('\n');
  transport.latest = performance.now();
  do await sleep(lookMs);
  while (
    input.readableLength + input.writableLength > 0 ||
    (!transport.isAnswered && performance.now() - transport.latest < nextAnswerMs)
  );
  input.end();
}

/** Lines that are no messages, and failures of the connection. Never quotes a message. */
function tell(error: Error): void {
  if (error.message.startsWith('ReadBuffer exceeded')) {
    process.exitCode = 1;
    process.stderr.write('relay mcp: a message has more than 10 MB; relay mcp ends\n');
    return;
  }
  const isSyntax = error instanceof SyntaxError || error.name === 'ZodError';
  process.stderr.write(
    `relay mcp: ${isSyntax ? 'a line on stdin is no message of MCP' : firstLine(error)}\n`,
  );
}

const firstLine = ({ message }: Error) => message.split('\n', 1)[0]?.slice(0, 300);
