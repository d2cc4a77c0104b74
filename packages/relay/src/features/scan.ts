import { ClientError } from '../base/client_error.ts';
import type { SocketAddress } from '../base/effects.ts';
import type { ScanEvidence } from '../base/event.ts';
import { late, lateFunction } from '../base/late.ts';
import { finding } from '../schema/finding.ts';
import { optionalBlock, required, section, withDefault } from '../schema/keys.ts';
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

/** Has a virus scanner look at each file. */
export const scan = feature({
  name: 'scan',
  keys: {
    form: {
      scan: optionalBlock(
        'Has a virus scanner look at each file before anything is delivered (docs/files.md).',
        section(scanKeys, '{clamd: "127.0.0.1:3310"}'),
      ),
    },
  },
  check: { key: 'scan', isToldIfOn: true },
  settings: ({ form: { scan } }: { readonly form: Keys }): Scan | undefined =>
    scan && { scanner: scan.clamd, tooLarge: scan.too_large },
  warnings: (_, { fields }) =>
    fields.some(({ takeFiles }) => takeFiles)
      ? []
      : [{ ...finding('scan_of_no_files', ['scan']), aboutKey: true }],
  stages: (asked) => ({ accept: (passage) => scanFiles(asked, passage) }),
  explain: (evidence: ScanEvidence) => {
    const { scanner } = evidence;
    switch (evidence.code) {
      case 'scanned': {
        const { files, unseen } = evidence;
        if (files === 0) return 'no files to scan';
        const all = files === 1 ? '1 file' : `${files} files`;
        if (evidence.isPretended) return `${scanner} would look at ${all}`;
        const seen = `${scanner} saw ${all} and found nothing`;
        return unseen.length > 0
          ? `${seen}; too large for it, and delivered unseen: ${unseen.join(', ')}`
          : seen;
      }
      case 'refused':
        return evidence.found
          .map(({ field, signature }) =>
            signature === undefined
              ? `a file of "${field}" is too large for ${scanner}`
              : `${scanner} found ${signature} in a file of "${field}"`,
          )
          .join('; ');
      case 'unscanned':
        return `no verdict of ${scanner}: ${evidence.error instanceof ClientError ? evidence.error.message : 'internal error'}`;
    }
  },
});
