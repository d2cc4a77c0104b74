/** `relay mcp --http`. */
import type { AddressInfo } from 'node:net';
import { CommandFailed, configPath } from '@form-relay/core/command';
import { createTokenCheck } from '@form-relay/inbox/access_token';
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
  /** The address at which a team's assistants reach this one. */
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
      ? `Assistants connect to ${team.href}, which a proxy leads to ${own}\n`
      : `Assistants connect to ${own} with the key in MCP_KEY\n`,
  );
  await stopSignal();
  // A config is written whole or not at all.
  await session.inTurn(async () => {});
  await endpoint.close();
  await closeServer(server, stopMs, 0);
  await endProcess();
}

/** How long calls under way may take. */
const stopMs = 5_000;

/** For clients with the key that the environment has. */
function keyAccess(): Access {
  const env = (name: string) => process.env[name];
  const [problem] = keyProblems(['MCP_KEY'], env);
  if (problem || !env('MCP_KEY'))
    throw new CommandFailed(
      `MCP_KEY ${problem?.reason ?? 'is not set'}; create a key with relay keys new, and give it to the assistant (docs/assistants-access.md)`,
    );
  return {
    resource: new URL(mcpPath, 'http://127.0.0.1'),
    check: async (token) => (senderOf(['MCP_KEY'], token, env) ? 'good' : 'unknown'),
  };
}

/** For people who sign in at the provider of the config's inbox, and may manage that. */
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
  // Somebody who may not manage the inbox any more is refused by the next request.
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
