/** `relay receipt`. */

import { parseJson } from '@form-relay/base/json';
import { colour } from '@form-relay/base/terminal';
import {
  type Command,
  type CommandContext,
  CommandFailed,
  command,
  needed,
  option,
  repeated,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import type { Environment } from '@form-relay/core/settings';
import { anyText, fileName, type Pair, pair } from '@form-relay/schema/scalars';
import { isMap } from '@form-relay/schema/schema';
import { textsIn } from '@form-relay/schema/variables';
import { printable } from '@form-relay/yaml/problem';
import { contentHash, fileHash, type PublicJwk, publicKeys, readReceipt } from './code.ts';

const verify = command({
  name: 'verify',
  summary: 'verify a receipt',
  description: 'verify a receipt: is it genuine, for which form and time, and for these values?',
  arguments: {
    code: needed('code', "the visitor's receipt", anyText),
    values: repeated('key=value', 'a submitted value; leave out hidden and empty fields', pair('key=value')),
  },
  options: {
    file: repeated('field=path', 'a file that was sent; may be repeated', pair('field=path')),
    keys: option(
      'file',
      "the relay's public keys, from its /api/v1/receipts.json; - for stdin. Default: those of RECEIPT_SECRET",
      fileName,
    ),
  },
  notes: 'Exit code: 0 if the receipt is genuine and any given values match, otherwise 1.',
  examples: [
    ['relay receipt verify "$CODE"', 'show the form and the time'],
    ['relay receipt verify "$CODE" name=Ada message=Hello', 'also compare these values'],
    ['relay receipt verify --keys receipts.json "$CODE"', 'with only the public keys'],
  ],
  run: ({ code, values = [], file, keys }, context) => checkReceipt(code, values, { file, keys }, context),
});

const receipt: Command = {
  name: 'receipt',
  summary: 'verify receipts of visitors',
  commands: [verify],
};

export const plugin: Plugin = { name: 'receipt', commands: [receipt] };

interface Given {
  readonly file: readonly Pair[] | undefined;
  /** A file with a JSON Web Key Set, or `-` for stdin. Default: the keys of RECEIPT_SECRET. */
  readonly keys: string | undefined;
}

/** Tells whether a relay issued this receipt, and for these values. The exit code is 1 if not. */
async function checkReceipt(
  code: string,
  pairs: readonly Pair[],
  { file = [], keys: keyFile }: Given,
  context: CommandContext,
): Promise<void> {
  const keys = keyFile === undefined ? ownKeys(context.env) : await keysIn(keyFile, context);
  const receipt = readReceipt(code.trim(), keys);
  if (!receipt) {
    throw new CommandFailed(
      `not a receipt of this relay: the code is incomplete, or signed with a key that is not in ${keyFile ?? 'RECEIPT_SECRET'}`,
    );
  }
  const about = `${printable(receipt.form)}, accepted ${new Date(receipt.at).toISOString().replace('.000', '')}`;
  const files = file.map(async ([name, path]) => [name, fileHash(await context.read(path))] as const);
  const values = new Map<string, string[]>();
  for (const [name, value] of [...pairs, ...(await Promise.all(files))]) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  if (values.size > 0 && contentHash([...values]) !== receipt.hash) {
    throw new CommandFailed(
      `genuine (${about}), but for other values: enter every field exactly as it was filled in`,
    );
  }
  const forWhat = values.size > 0 ? ', for these values' : '';
  process.stdout.write(`${colour('green', 'genuine', process.stdout)}: ${about}${forWhat}\n`);
}

function ownKeys({ RECEIPT_SECRET = '' }: Environment): readonly PublicJwk[] {
  const receiptSecrets = textsIn(RECEIPT_SECRET);
  if (receiptSecrets.length > 0) return publicKeys(receiptSecrets);
  throw new CommandFailed(
    "RECEIPT_SECRET is not set; set it to the relay's value, or give the relay's public keys, from /api/v1/receipts.json, with --keys",
  );
}

async function keysIn(file: string, { read }: CommandContext): Promise<readonly Pick<PublicJwk, 'x'>[]> {
  const set = parseJson((await read(file)).toString());
  const keys: readonly unknown[] = isMap(set) && Array.isArray(set.keys) ? set.keys : [];
  const good = keys.filter(
    (key): key is PublicJwk => isMap(key) && key.crv === 'Ed25519' && typeof key.x === 'string',
  );
  if (good.length > 0) return good;
  const name = file === '-' ? 'stdin' : file;
  throw new CommandFailed(
    `${name}: this file has no public keys of a relay; expected {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "…"}]}`,
  );
}
