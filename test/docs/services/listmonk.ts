import * as v from 'valibot';
import { mailbox, service } from './service.ts';

export const listmonk = service({
  host: /^lists\.example\.com$/,
  path: /^\/api\/public\/subscription$/,
  body: v.strictObject({
    email: mailbox(),
    name: v.optional(v.string()),
    list_uuids: v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.minLength(1)),
  }),
  taken: { status: 200, body: { data: { has_optin: true } } },
  error: () => ({ message: 'Invalid email: ada' }),
  malformed: [400, ''],
});
