import type { SocketAddress } from '@form-relay/clients/clamd';
import { shown, textSchema } from '@form-relay/core/kit';

/** A server's address: `host:port`, `[::1]:port`, or the path of a socket. */
export const socketAddress = () =>
  textSchema<SocketAddress>(
    (found, at) => {
      // systemd and Docker write `unix:`.
      const path = /^(?:unix:)?(\/.+)$/.exec(found)?.[1];
      if (path !== undefined) return { path };
      const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(found) ?? [];
      const host = ipv6 ?? name;
      const port = Number(digits);
      if (host !== undefined && port >= 1 && port <= 65_535) return { host, port };
      return at.error(
        `found ${shown(found, at)}; expected where it listens: host:port such as clamav:3310, or the path of a socket such as /run/clamav/clamd.ctl`,
      );
    },
    {
      title: 'host:port or path',
      type: 'string',
      pattern: '^(unix:)?/.+$|:[0-9]{1,5}$',
      errorMessage: 'Expected host:port, or the path of a socket.',
    },
  );

/** The address as written in a config. */
export const addressInWords = (address: SocketAddress): string => {
  if ('path' in address) return address.path;
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};
