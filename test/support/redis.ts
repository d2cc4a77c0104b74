import { isInstalled, type KeptServer, startKeptServer } from './kept_server.ts';

/** Whether Debian's `redis-server` is installed, or required. */
export const hasRedis = Boolean(process.env.REQUIRE_REDIS) || isInstalled('redis-server');

export type RedisServer = KeptServer;

/** A real Redis that writes each change to disk. */
export const startRedis = () =>
  startKeptServer({
    name: 'redis',
    command: (port, folder) => [
      ...['redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always'],
    ],
    hello: 'PING\r\n',
    isReady: (answer) => answer.toString().startsWith('+PONG'),
  });
