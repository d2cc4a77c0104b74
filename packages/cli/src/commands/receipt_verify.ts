import { Command, InvalidArgumentError } from 'commander';
import type { CheckReceiptOptions } from '../check_receipt.ts';
import { examples, fileName } from '../usage.ts';

export const receiptVerify = new Command('verify')
  .argument('<code>', 'the receipt, as the visitor has it')
  .argument('[key=value...]', 'what was filled in, without hidden and empty fields', pair('key=value'))
  .summary('say whether a receipt is genuine, and of what')
  .description(
    'say whether a receipt is genuine, for which form and when, and whether it is for these values',
  )
  .option('--file <field=path>', 'a file that was sent; may be repeated', pair('field=path'))
  .option(
    '--keys <file>',
    "the relay's public keys, from its /api/v1/receipts.json; - for stdin. Default: those of RECEIPT_SECRET",
    fileName,
  )
  .addHelpText(
    'after',
    `\nExit code: 0 if it is genuine, and for these values if there are some; 1 if not.\n${examples(
      ['relay receipt verify "$CODE"', 'its form and its time'],
      ['relay receipt verify "$CODE" name=Ada message=Hello', 'is it for this?'],
      ['relay receipt verify --keys receipts.json "$CODE"', 'with public keys alone'],
    )}`,
  )
  .action(async (code: string, pairs: readonly string[], options: CheckReceiptOptions) =>
    (await import('../check_receipt.ts')).checkReceipt(code, pairs, options),
  );

/** Collects `name=…`. */
function pair(shape: string) {
  return (text: string, others: readonly string[] = []): readonly string[] => {
    if (text.indexOf('=') < 1) throw new InvalidArgumentError(`Expected ${shape}.`);
    return [...others, text];
  };
}
