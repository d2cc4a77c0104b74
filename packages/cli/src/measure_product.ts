import { formRelay } from '@form-relay/conformance/adapters/form_relay';
import { loadAdapter } from '@form-relay/conformance/load_adapter';
import { asJson, asText, reportOf } from '@form-relay/conformance/report';
import { measure, type Verdict, visit } from '@form-relay/conformance/run';
import type { Command } from 'commander';
import { isExecutable } from './beside.ts';
import { CommandFailed } from './command_failed.ts';
import { colour } from './terminal.ts';

export interface ConformanceOptions {
  readonly url?: string;
  readonly form?: string;
  readonly send?: boolean;
  readonly adapter?: string;
  readonly format: 'text' | 'json';
}

/** Tries the promises on a product and prints which it kept. Exit code 1 when one is broken. */
export async function measureProduct(options: ConformanceOptions, command: Command): Promise<void> {
  const { url, form, send = false, adapter, format } = options;
  if (form !== undefined && (url === undefined || adapter !== undefined))
    command.error('error: --form names a form of the relay at --url, and an adapter declares its own');
  if (send && form === undefined) command.error('error: --send needs --form: where may it be sent?');
  const { product, verdicts } = await tried(
    adapter,
    url === undefined ? undefined : new URL(url),
    form,
    send,
  );
  const report = reportOf(product, verdicts);
  const hues = { kept: 'green', broken: 'red', not_offered: 'dim' } as const;
  const text = () => asText(report, (verdict, word) => colour(hues[verdict], word, process.stdout));
  process.stdout.write(format === 'json' ? asJson(report) : text());
  if (adapter === undefined && url !== undefined && format === 'text') process.stderr.write(more(form, send));
  process.exitCode = report.broken > 0 ? 1 : 0;
}

async function tried(
  file: string | undefined,
  url: URL | undefined,
  form: string | undefined,
  sends: boolean,
): Promise<{ readonly product: string; readonly verdicts: readonly Verdict[] }> {
  try {
    if (file === undefined && url !== undefined)
      return { product: url.host, verdicts: await visit({ url, form, sends }) };
    const [, program = ''] = process.argv;
    const adapter =
      file === undefined ? formRelay(isExecutable ? process.execPath : program) : await loadAdapter(file);
    return { product: adapter.name, verdicts: await measure({ adapter, url }) };
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
}

/** A hint about the options that check more promises. */
function more(form: string | undefined, sends: boolean): string {
  if (form === undefined)
    return '\nMore can be seen with --form NAME, which fetches that form and sends it nothing.\n';
  if (!sends) return '\nMore can be seen with --send, which sends the form what a relay must refuse.\n';
  return '\nAll promises need an adapter, which declares forms that deliver to this suite.\n';
}
