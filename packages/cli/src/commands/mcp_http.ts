/** `relay mcp --http`. */
import type { AddressInfo } from 'node:net';
import { CommandFailed, configPath } from '@form-relay/core/command';
import { createTokenCheck } from '@form-relay/inbox/provider';
import { connectionLimits } from '@form-relay/inbox/server';
import { type Access, createMcpEndpoint, mcpPath } from '@form-relay/mcp/http';
import type { Session } from '@form-relay/mcp/session';
import { closeServer } from '@form-relay/runtimes/node/closing';
import { createNodeServer } from '@form-relay/runtimes/node/server';
import { keyProblems, senderOf } from '@form-relay/senders/keys/sender';
import type {} from '@form-relay/stored/inbox_key';
import { cannotListen, endProcess, printStarted, stopSignal } from '../listening.ts';
import { makeRelay, settingsOf } from '../own_setup.ts';

interface HttpPlan {
  readonly session: Session;
  /** The value of --config. */
  readonly config: string | undefined;
  readonly port: number;
  /** The URL at which a team's assistants reach this server. */
  readonly team: URL | undefined;
  readonly onerror: (error: Error) => void;
}

/** Answers assistants on 127.0.0.1 until SIGTERM or SIGINT. */
export async function serveHttp({ session, config, port, team, onerror }: HttpPlan): Promise<void> {
  const access = team ? await teamAccess(config, team) : keyAccess();
  const endpoint = createMcpEndpoint(session, access, onerror);
  const limits = { ...settingsOf(process.env), ...connectionLimits };
  const server = createNodeServer(endpoint.handle, { limits });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
  }).catch((error: unknown) => {
    throw cannotListen(error, '127.0.0.1', port, '--http');
  });
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mcpPath}`;
  printStarted(
    team
      ? `Assistants connect to ${team.href}, which a proxy forwards to ${own}\n`
      : `Assistants connect to ${own} with the key in MCP_KEY\n`,
  );
  await stopSignal();
  // Waits for config writes, so that a config is written completely or not at all.
  await session.inTurn(async () => {});
  await endpoint.close();
  await closeServer(server, stopMs, 0);
  await endProcess();
}

/** How long calls in progress may take. */
const stopMs = 5_000;

/** Access for clients that send the key from the environment. */
function keyAccess(): Access {
  const env = (name: string) => process.env[name];
  const [problem] = keyProblems(['MCP_KEY'], env);
  if (problem || !env('MCP_KEY'))
    throw new CommandFailed(
      `MCP_KEY ${problem?.reason ?? 'is not set'}; set it to a key from relay keys new, and give the assistant the same key (docs/assistants-access.md)`,
    );
  return {
    resource: new URL(mcpPath, 'http://127.0.0.1'),
    check: async (token) => (senderOf(['MCP_KEY'], token, env) ? 'good' : 'unknown'),
  };
}

/** Access for people who sign in at the provider of the config's inbox, and may manage the inbox. */
async function teamAccess(configFile: string | undefined, team: URL): Promise<Access> {
  const relay = makeRelay({
    configFile,
    fallbackConfigFile: configPath(undefined, process.env),
    freezes: true,
    services: { binding: () => undefined },
  });
  await relay.config.get();
  const settings = () => relay.config.current?.shared.get('inbox');
  const { sign_in } = settings() ?? {};
  if (!sign_in)
    throw new CommandFailed(
      '--team needs a sign-in provider: set inbox.sign_in in the config (docs/inbox-team.md)',
    );
  const { now, env } = relay.services;
  // The next request of a person who may no longer manage the inbox is refused.
  const latest = createTokenCheck(settings, team.href, { now, env });
  return {
    resource: team,
    issuer: sign_in.issuer,
    check: async (token) => {
      await relay.config.get();
      return latest(token);
    },
  };
}
