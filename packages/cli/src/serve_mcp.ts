import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { endProcess } from './end_process.ts';
import { makeServer } from './mcp/server.ts';
import { Session } from './mcp/session.ts';
import type { GlobalOptions } from './usage.ts';

export interface McpOptions extends GlobalOptions {
  /** Whether the assistant may see what visitors wrote. */
  readonly values?: boolean;
}

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
  // The SDK waits for a full pipe with a listener for each answer.
  process.stdout.setMaxListeners(0);
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: mostMessageBytes,
  });
  await new Promise<void>((end) => {
    process.stdin.once('end', end);
    const onerror = (error: Error) => {
      if (!error.message.startsWith('ReadBuffer exceeded')) return tell(error);
      process.exitCode = 1;
      process.stderr.write('relay mcp: a message has more than 10 MB; relay mcp ends\n');
      end();
    };
    serveStdio(() => makeServer(session), { transport, onerror });
  });
  // A config is written whole or not at all.
  await session.inTurn(async () => {});
  await endProcess();
}

/** Lines that are no messages, and failures of the connection. Never quotes a message. */
function tell(error: Error): void {
  const isSyntax = error instanceof SyntaxError || error.name === 'ZodError';
  process.stderr.write(
    `relay mcp: ${isSyntax ? 'a line on stdin is no message of MCP' : firstLine(error)}\n`,
  );
}

const firstLine = ({ message }: Error) => message.split('\n', 1)[0]?.slice(0, 300);
