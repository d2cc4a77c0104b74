import { printable } from '@form-relay/relay/config';
import type { Choice } from '@form-relay/stored/archive/archive';
import { findForm, loadConfig } from './load_config.ts';
import { makeRelay } from './make_relay.ts';
import { withArchive } from './open_archive.ts';
import { replay } from './rules/replay.ts';
import { createReport } from './rules/report.ts';
import { showReport } from './show_report.ts';
import { count } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';
import { loadVerdicts, type VerdictOptions } from './verdict_file.ts';

export interface ReplayOptions extends GlobalOptions, Choice, VerdictOptions {
  readonly rules?: string;
  readonly identity?: string;
  readonly askServices?: boolean;
  readonly json?: boolean;
}

/** Has the signals look at an archive, and tells what they found. Changes nothing. */
export async function replayRules({
  archive,
  rules,
  identity,
  verdicts,
  askServices = false,
  json = false,
  config: configOption,
  ...choice
}: ReplayOptions): Promise<void> {
  const config = await loadConfig(rules ?? configOption);
  if (choice.form !== undefined) findForm(config, choice.form);
  const report = createReport(await loadVerdicts({ archive, verdicts }), askServices);
  const unknown = new Map<string, number>();
  const relay = makeRelay({ effects: { log: () => {} } });
  try {
    await withArchive({ from: archive, identity }, async (reading, tell) => {
      const replaying = {
        formOf: (name: string) => config.forms.get(name),
        settings: relay.settings,
        effects: relay.effects,
        asksServices: askServices,
        onUnknown: (form: string) => unknown.set(form, (unknown.get(form) ?? 0) + 1),
      };
      for await (const replayed of replay(reading, choice, replaying, tell)) report.add(replayed);
    });
  } finally {
    await relay.close();
  }
  for (const [form, submissions] of unknown) {
    process.stderr.write(
      `${count(submissions, 'submission')} left out: the config has no form ${printable(form)}\n`,
    );
  }
  const forms = report.forms();
  process.stdout.write(
    json ? `${JSON.stringify({ archive, forms }, null, 2)}\n` : showReport(forms, process.stdout),
  );
}
