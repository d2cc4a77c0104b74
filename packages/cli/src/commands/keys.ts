import type { CheckReceiptOptions } from '../check_receipt.ts';
import { Command, fileName, type Pairs, pairs } from '../usage.ts';

const keysNew = new Command('new')
  .summary('print a new key for a server that sends')
  .description('print a new key for keys_env, of 256 random bits; it is kept nowhere')
  .examples([
    'export KEY_BILLING="$(relay keys new)"',
    'for keys_env: [KEY_BILLING]; the server needs the same',
  ])
  .runs(async () => (await import('../make_key.ts')).printSenderKey());

const webhookSecret = new Command('secret')
  .summary('print a new secret to sign with')
  .description('print a new secret for sign, of 32 random bytes; it is kept nowhere')
  .examples(['export HOOK_SECRET="$(relay webhook secret)"', 'for the relay; the receiver needs the same'])
  .runs(async () => (await import('../make_key.ts')).printSecret());

const receiptVerify = new Command('verify')
  .argument('<code>', 'the receipt, as the visitor has it')
  .argument('[key=value...]', 'what was filled in, without hidden and empty fields', pairs('key=value'))
  .summary('say whether a receipt is genuine, and of what')
  .description(
    'say whether a receipt is genuine, for which form and when, and whether it is for these values',
  )
  .option('--file <field=path>', 'a file that was sent; may be repeated', pairs('field=path'))
  .option(
    '--keys <file>',
    "the relay's public keys, from its /api/v1/receipts.json; - for stdin. Default: those of RECEIPT_SECRET",
    fileName,
  )
  .addHelpText('after', `\nExit code: 0 if it is genuine, and for these values if there are some; 1 if not.`)
  .examples(
    ['relay receipt verify "$CODE"', 'its form and its time'],
    ['relay receipt verify "$CODE" name=Ada message=Hello', 'is it for this?'],
    ['relay receipt verify --keys receipts.json "$CODE"', 'with public keys alone'],
  )
  .runs(async (options: CheckReceiptOptions, code: string, values: Pairs = []) =>
    (await import('../check_receipt.ts')).checkReceipt(code, values, options),
  );

export const keys = new Command('keys').description('keys of servers that send').addCommand(keysNew);

export const webhook = new Command('webhook').description('sign webhooks').addCommand(webhookSecret);

export const receipt = new Command('receipt')
  .description('check the receipts that visitors have')
  .addCommands(receiptVerify);
