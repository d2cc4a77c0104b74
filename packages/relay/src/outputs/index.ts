import { Registry } from '../base/late.ts';
import { email } from './email.ts';
import { httpPost } from './http_post.ts';

type OutputType = typeof httpPost;

/** Adding one is one file and one line here. */
const types = new Registry<OutputType>({
  http_post: httpPost,
  email,
  crm_web2lead: async () => (await import('./crm_web2lead.ts')).crmWeb2lead,
  smtp: async () => (await import('./smtp.ts')).smtp,
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
});

/** Those that load when a config names them. */
export const lateOutputTypes = types.late;

/** Loaded or not. */
export const outputTypeNames = types.names;

export const outputTypeOf = (name: unknown): OutputType | undefined => types.get(name);

export const loadOutputType = (name: string) => types.load(name);

export const outputTypes = (): readonly OutputType[] => types.loaded;
