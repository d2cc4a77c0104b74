import { buffer as readAll } from 'node:stream/consumers';
import { parseJson } from '@form-relay/core/outputs/request';
import { isMap } from '@form-relay/schema/schema';
import { textsIn } from '@form-relay/schema/variables';
import {
  contentHash,
  fileHash,
  type PublicJwk,
  publicKeys,
  readReceipt,
} from '@form-relay/senders/receipt/code';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readBytes } from './load_config.ts';
import { colour } from './terminal.ts';
import type { Pairs } from './usage.ts';

export interface CheckReceiptOptions {
  /** `field=path`. */
  readonly file?: Pairs;
  /** A file with a JSON Web Key Set; `-` for stdin. Default: the keys of RECEIPT_SECRET. */
  readonly keys?: string;
}

/** Tells whether a relay gave this receipt, and whether for these values. Exit code 1 where it did not. */
export async function checkReceipt(
  code: string,
  pairs: Pairs,
  { file = [], keys: keyFile }: CheckReceiptOptions,
): Promise<void> {
  const keys = keyFile === undefined ? ownKeys() : await keysIn(keyFile);
  const receipt = readReceipt(code.trim(), keys);
  if (!receipt) {
    throw new CommandFailed(
      `no receipt of this relay: it is not whole, or signed with another key than ${keyFile ?? 'those of RECEIPT_SECRET'}`,
    );
  }
  const about = `${printable(receipt.form)}, taken ${new Date(receipt.at).toISOString().replace('.000', '')}`;
  const files = file.map(async ([name, path]) => [name, fileHash(await readBytes(path))] as const);
  const values = new Map<string, string[]>();
  for (const [name, value] of [...pairs, ...(await Promise.all(files))]) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  if (values.size > 0 && contentHash([...values]) !== receipt.hash) {
    throw new CommandFailed(
      `genuine (${about}), but for other values than these: give every field that was filled in, as it was`,
    );
  }
  const forWhat = values.size > 0 ? ', for these values' : '';
  process.stdout.write(`${colour('green', 'genuine', process.stdout)}: ${about}${forWhat}\n`);
}

function ownKeys(): readonly PublicJwk[] {
  const receiptSecrets = textsIn(process.env.RECEIPT_SECRET ?? '');
  if (receiptSecrets.length > 0) return publicKeys(receiptSecrets);
  throw new CommandFailed(
    "RECEIPT_SECRET is not set; set it to the relay's, or give its public keys with --keys: those of its /api/v1/receipts.json",
  );
}

async function keysIn(file: string): Promise<readonly Pick<PublicJwk, 'x'>[]> {
  const bytes = file === '-' ? await readAll(process.stdin) : await readBytes(file);
  const set = parseJson(bytes.toString());
  const keys: readonly unknown[] = isMap(set) && Array.isArray(set.keys) ? set.keys : [];
  const good = keys.filter(
    (key): key is PublicJwk => isMap(key) && key.crv === 'Ed25519' && typeof key.x === 'string',
  );
  if (good.length > 0) return good;
  const name = file === '-' ? 'stdin' : file;
  throw new CommandFailed(
    `${name}: no public keys of a relay; expected {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "…"}]}`,
  );
}
