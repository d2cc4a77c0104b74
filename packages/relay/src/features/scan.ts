import type { SocketAddress } from '../base/effects.ts';
import { late, lateFunction } from '../base/late.ts';
import { finding } from '../schema/finding.ts';
import { required, withDefault } from '../schema/keys.ts';
import { choice } from '../schema/kinds.ts';
import { socketAddress } from '../schema/socket_address.ts';
import { feature } from './feature.ts';
import type { Scan } from './scan_files.ts';

export const scanKeys = {
  clamd: required(
    'Where ClamAV’s daemon listens: `host:port`, or the path of its socket, such as `/run/clamav/clamd.ctl`.',
    socketAddress(),
  ),
  too_large: withDefault(
    'refuse',
    'What becomes of a file that is larger than clamd takes (its `StreamMaxLength`): `refuse` it, or `deliver` it unseen.',
    choice(['refuse', 'deliver']),
  ),
};

export interface Keys {
  readonly scan?: { readonly clamd: SocketAddress; readonly too_large: Scan['tooLarge'] };
}

const scanFiles = lateFunction(late(async () => (await import('./scan_files.ts')).scanFiles));

/** Has a virus scanner look at each file (D94). */
export const scan = feature({
  name: 'scan',
  check: { key: 'scan', isToldIfOn: true },
  settings: ({ form: { scan } }: { readonly form: Keys }): Scan | undefined =>
    scan && { scanner: scan.clamd, tooLarge: scan.too_large },
  warnings: (_, { fields }) =>
    fields.some(({ takeFiles }) => takeFiles)
      ? []
      : [{ ...finding('scan_of_no_files', ['scan']), aboutKey: true }],
  stages: (asked) => ({ accept: (passage) => scanFiles(asked, passage) }),
});
