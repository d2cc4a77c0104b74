import { ok } from '@form-relay/relay/base';
import { type ConfigSource, inspectInLanguages } from '@form-relay/relay/config';
import { type Environment, readSettings, SettingError, type Settings } from '@form-relay/relay/schema';
import type { ReadConfig, Setup } from './examination.ts';

/** The settings that can be used, and what is wrong with the others. */
export function settle(env: Environment): Pick<Setup, 'settings' | 'settingProblems'> {
  try {
    return { settings: readSettings(env), settingProblems: [] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const { problems: settingProblems } = error;
    const rest = Object.entries(env).filter(([name]) => settingProblems.every((one) => one.name !== name));
    return { settings: readSettings(Object.fromEntries(rest)), settingProblems };
  }
}

/** The setup of a relay with this environment and this source of its config. */
export async function readSetup(
  env: Environment,
  chooseSource: (settings: Settings) => ConfigSource,
): Promise<Setup> {
  const { settings, settingProblems } = settle(env);
  const config = await readConfig(chooseSource(settings));
  const { parsed } = config;
  const loaded = parsed.ok && parsed.value.ok ? parsed.value.value : undefined;
  const forms = [...(loaded?.forms.values() ?? []), ...(loaded?.alerts ? [loaded.alerts.form] : [])];
  return { settings, settingProblems, config, loaded, forms };
}

async function readConfig(source: ConfigSource): Promise<ReadConfig> {
  const text = await source.read();
  if (!text.ok) return { source: source.name, parsed: text };
  return {
    source: source.name,
    parsed: ok(await inspectInLanguages(text.value, source.name, source.readBeside)),
  };
}
