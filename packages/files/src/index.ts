/** Files and other bodies: `type: file`, `multipart/form-data`, JSON, and attachments of mails. */
import { check } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/index';
import { attachments } from './attachments.ts';
import { bodies } from './bodies.ts';
import { file } from './file.ts';
import messages from './messages.json' with { type: 'json' };

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['form keys_env'];

export const plugin: Plugin = {
  name: 'files',
  fields: [file],
  features: [bodies],
  outputExtensions: [attachments],
  checks: [check('Files', () => import('./check.ts'))],
  messages: { en: messages },
};
