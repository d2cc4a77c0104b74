/** Has a virus scanner look at each file. */

import type { SocketAddress } from '@form-relay/clients/clamd';
import type { Plugin } from '@form-relay/core/index';
import { feature, guard, object, oneOf, optionalBlock, required, withDefault } from '@form-relay/core/kit';
import { socketAddress } from './socket_address.ts';

/** The virus scanner, and the treatment of files that are too large for it. */
export interface Scan {
  readonly clamd: SocketAddress;
  readonly too_large: 'refuse' | 'deliver';
}

const keys = {
  clamd: required(
    'Where ClamAV’s daemon listens: `host:port`, or the path of its socket, such as `/run/clamav/clamd.ctl`.',
    socketAddress(),
  ),
  too_large: withDefault(
    'refuse',
    'What becomes of a file that is larger than clamd takes (its `StreamMaxLength`): `refuse` it, or `deliver` it unseen.',
    oneOf(['refuse', 'deliver']),
  ),
};

const scan = feature({
  name: 'scan',
  keys: {
    form: {
      scan: optionalBlock(
        'Has a virus scanner look at each file before anything is delivered (docs/files.md).',
        object(keys, '{clamd: "127.0.0.1:3310"}'),
      ),
    },
  },
  configure: ({ form: { scan: asked }, fields }, at) => {
    if (!asked) return undefined;
    if (!fields.some(({ takeFiles }) => takeFiles))
      at.in('scan').warning('the form has no field of type file, so there is nothing to scan', {
        aboutKey: true,
        fix: 'remove',
      });
    return {
      afterValidation: guard(async (submission) => {
        if (submission.files.size === 0) return undefined;
        return (await import('./scan_files.ts')).scanFiles(asked, submission);
      }),
      provides: asked,
    };
  },
});

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** For checks of the setup. */
    scan: Scan;
  }
}

export const plugin: Plugin = {
  name: 'scan',
  features: [scan],
  messages: {
    en: {
      file_infected: 'The virus scanner found something in the file {name}. Please do not send it.',
      file_too_large_to_scan: 'The file {name} is too large to be checked for viruses.',
    },
  },
};
