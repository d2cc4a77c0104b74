import { whyUnwritten } from '@form-relay/base/text_file';
import { isLoopback, parseUrl } from '@form-relay/base/url';
import { CommandFailed, command, flag, option } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { type Owner, ToolError } from '@form-relay/mcp/owner';
import { makeServer } from '@form-relay/mcp/server';
import { Session } from '@form-relay/mcp/session';
import { readConfig, siblingsOf } from '@form-relay/runtimes/config_file';
import { textSchema } from '@form-relay/schema/scalars';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { readBeside } from '../beside.ts';
import { servedFile } from '../environment.ts';
import { endProcess } from '../listening.ts';
import { readOwnSetup } from '../own_setup.ts';
import { saveConfig } from '../save_config.ts';
import { portNumber } from '../shared_options.ts';
import { diagnose } from './doctor.ts';
import { keyProblem } from './explain.ts';

const teamAddress = textSchema((text, at) => {
  const url = parseUrl(text);
  const isSafe = url && (url.protocol === 'https:' || isLoopback(url.hostname));
  return isSafe && url.pathname === '/mcp' && url.search === ''
    ? url
    : at.error('Expected an address such as https://mcp.example.org/mcp.');
});

const mcp = command({
  name: 'mcp',
  summary: 'serve an assistant over the Model Context Protocol',
  description:
    'serve an assistant over the Model Context Protocol on stdin and stdout: it searches the manual, and writes, checks and tries the config; sends nothing',
  options: {
    values: flag('also show submissions; the assistant then cannot write the config', {
      conflicts: ['ask'],
    }),
    ask: flag(
      'let the assistant ask people and read their answers; the assistant then cannot write the config',
    ),
    http: option(
      'port',
      'serve HTTP on 127.0.0.1, at /mcp, for clients that send the key in MCP_KEY',
      portNumber,
    ),
    team: option(
      'url',
      'with --http: serve people who sign in to the inbox, at this address of a proxy',
      teamAddress,
    ),
  },
  notes: 'Assistants start it themselves: docs/assistants.md shows the settings.',
  examples: [
    ['relay --config site/webform.yaml mcp', 'for the config of a site'],
    ['relay mcp --values', 'for an assistant that may read submissions'],
    ['relay mcp --ask', 'for an assistant that may ask people'],
    ['relay mcp --http 8092', 'for assistants that connect by HTTP, with the key in MCP_KEY'],
  ],
  run: async ({ values = false, ask = false, http: port, team }, { configOption: config }) => {
    const session = new Session(ownerOf(config), values, ask);
    if (port !== undefined) {
      const { serveHttp } = await import('./mcp_http.ts');
      return serveHttp({ session, config, port, team, onerror: tell });
    }
    if (team) throw new CommandFailed('--team needs --http; add --http 8092');
    return serveMcp(session);
  },
});

export const plugin: Plugin = { name: 'mcp', commands: [mcp] };

/** The SDK's limit. */
const mostMessageBytes = 10 * 1_048_576;

/**
 * Answers an assistant on stdin and stdout until stdin ends. Supports clients of revision 2026-07-28, and older ones,
 * which start with `initialize`. The log is on stderr. The exit code is 1 after a message of more than 10 MB.
 */
async function serveMcp(session: Session): Promise<void> {
  if (process.stdin.isTTY)
    process.stderr.write(
      'relay mcp: waiting for an assistant. Assistants start this command themselves; see docs/assistants.md\n',
    );
  // The SDK adds a listener per answer while it waits for a full pipe.
  process.stdout.setMaxListeners(0);
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: mostMessageBytes,
  });
  await new Promise<void>((end) => {
    process.stdin.once('end', end);
    const onerror = (error: Error) => {
      if (!error.message.startsWith('ReadBuffer exceeded')) return tell(error);
      process.exitCode = 1;
      process.stderr.write('relay mcp: stopped, because a message is larger than 10 MB\n');
      end();
    };
    serveStdio(() => makeServer(session), { transport, onerror });
  });
  // Waits for config writes, so that a config is written completely or not at all.
  await session.inTurn(async () => {});
  await endProcess();
}

/** Logs lines that are not messages, and connection errors. Never quotes a message. */
function tell(error: Error): void {
  const isSyntax = error instanceof SyntaxError || error.name === 'ZodError';
  process.stderr.write(
    `relay mcp: ${isSyntax ? 'a line on stdin is not an MCP message' : firstLine(error)}\n`,
  );
}

const firstLine = ({ message }: Error) => message.split('\n', 1)[0]?.slice(0, 300);

/** The commands' functions, for the assistant's tools. @param config The value of --config. */
export function ownerOf(config: string | undefined): Owner {
  const file = servedFile(config);
  return {
    file,
    readText: () => readConfig(file),
    save: (text, expected, beforeTakingItsPlace) =>
      forAssistant(() => saveConfig(file, text, expected, { beforeTakingItsPlace })),
    readSibling: siblingsOf(file),
    whyUnwritten,
    setUp: (source) => forAssistant(() => readOwnSetup(source)),
    diagnose: (source) => forAssistant(() => diagnose(source, false)),
    keyProblem,
    readBeside,
  };
}

async function forAssistant<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CommandFailed ? new ToolError(error.message) : error;
  }
}
