import { crmWeb2lead } from './crm_web2lead.ts';
import { email } from './email.ts';
import { httpPost } from './http_post.ts';
import { smtp } from './smtp.ts';

const atHand = [httpPost, email, crmWeb2lead, smtp];

type OutputType = (typeof atHand)[number];

const later: Readonly<Record<string, () => Promise<OutputType>>> = {
  webhook: async () => (await import('./webhook.ts')).webhook,
  slack: async () => (await import('./slack.ts')).slack,
  discord: async () => (await import('./discord.ts')).discord,
  teams: async () => (await import('./teams.ts')).teams,
  google_chat: async () => (await import('./google_chat.ts')).googleChat,
  telegram: async () => (await import('./telegram.ts')).telegram,
  mattermost: async () => (await import('./mattermost.ts')).mattermost,
  ntfy: async () => (await import('./ntfy.ts')).ntfy,
  folder: async () => (await import('./folder.ts')).folder,
  s3: async () => (await import('./s3.ts')).s3,
  matrix: async () => (await import('./matrix.ts')).matrix,
};

const loaded = new Map(atHand.map((one) => [one.type, one]));

/** All that a config may name, whether it was read or not. */
export const outputTypeNames: readonly string[] = [...loaded.keys(), ...Object.keys(later)];

/** Of this name, if it is known and was read. */
export const outputTypeOf = (name: string): OutputType | undefined => loaded.get(name);

export const outputTypes = (): readonly OutputType[] =>
  outputTypeNames.flatMap((name) => loaded.get(name) ?? []);

export async function loadOutputTypes(mayName: (name: string) => boolean): Promise<void> {
  for (const name of Object.keys(later)) if (mayName(name)) await load(name);
  for (const { lateKeys } of loaded.values()) {
    for (const { name, load } of lateKeys) if (mayName(name)) await load();
  }
}

async function load(name: string): Promise<void> {
  const type = loaded.has(name) ? undefined : await later[name]?.();
  if (type) loaded.set(name, type);
}
