import * as v from 'valibot';
import type { SocketAddress } from '../base/effects.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Schema } from './any_schema.ts';
import { finding } from './finding.ts';
import { read, wrong } from './issue.ts';

/** A server's address: `host:port`, `[::1]:port`, or the path of a socket. */
export const socketAddress = (): Schema<SocketAddress> =>
  v.pipe(
    v.string(wrong('not_a_socket_address')),
    read((found): Result<SocketAddress, ReturnType<typeof finding>> => {
      // systemd and Docker write `unix:`.
      const path = /^(?:unix:)?(\/.+)$/.exec(found)?.[1];
      if (path !== undefined) return ok({ path });
      const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(found) ?? [];
      const host = ipv6 ?? name;
      const port = Number(digits);
      return host !== undefined && port >= 1 && port <= 65_535
        ? ok({ host, port })
        : err(finding('not_a_socket_address', [], { found }));
    }),
    v.metadata({
      jsonSchema: {
        title: 'host:port or path',
        type: 'string',
        pattern: '^(unix:)?/.+$|:[0-9]{1,5}$',
        errorMessage: 'Expected host:port, or the path of a socket.',
      },
    }),
  );

/** The address as written in a config. */
export const addressInWords = (address: SocketAddress): string => {
  if ('path' in address) return address.path;
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};
