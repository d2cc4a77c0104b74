/** `heartbeat` at the top of a config. */
import {
  duration,
  feature,
  object,
  optionalBlock,
  required,
  textSchema,
  withDefault,
} from '@form-relay/core/kit';

declare module '@form-relay/core/plugin' {
  interface Shared {
    heartbeat: HeartbeatConfig;
  }
}

export interface HeartbeatConfig {
  /** The environment variable with the address. */
  readonly urlEnv: string;
  readonly everyMs: number;
}

const variableName = textSchema(
  (name, at) =>
    /^[A-Za-z_]\w*$/.test(name)
      ? name
      : at.error(
          `found ${JSON.stringify(name)}; expected the name of an environment variable, such as HEARTBEAT_URL`,
        ),
  { title: 'name of a variable', type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
);

export const heartbeatFeature = feature({
  name: 'heartbeat',
  keys: {
    top: {
      heartbeat: optionalBlock(
        'Asks an address while all is well, so that a service outside notices when the relay is gone.',
        object(
          {
            url_env: required(
              'The environment variable with the address that is asked (`GET`) while all is well.',
              variableName,
            ),
            every: withDefault('5m', 'How often.', duration({ leastMs: 10_000 })),
          },
          '{url_env: HEARTBEAT_URL}',
        ),
        { aliases: ['heartbeats', 'healthcheck', 'ping', 'deadmansswitch'] },
      ),
    },
  },
  configureTop: ({ heartbeat }, at) => {
    if (!heartbeat?.url_env) return undefined;
    at.in('heartbeat', 'url_env').needsEnv(heartbeat.url_env);
    return { urlEnv: heartbeat.url_env, everyMs: heartbeat.every };
  },
  configure: () => undefined,
});
