import { parseConfig } from '../../config/parse.ts';
import type { ConfigSource } from '../../config/source.ts';
import { type Environment, readSettings, SettingError, type Settings } from '../../settings.ts';
import type { ReadConfig, Setup } from './diagnosis.ts';

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
  const forms = config.result.ok ? [...config.result.value.forms.values()] : [];
  return { settings, settingProblems, config, forms };
}

async function readConfig(source: ConfigSource): Promise<ReadConfig> {
  const text = await source.read();
  const result = text.ok ? parseConfig(text.value, source.name) : { ok: false as const, unread: text.error };
  return { source: source.name, result };
}
