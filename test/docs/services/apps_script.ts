import * as v from 'valibot';
import { mailbox, type Service, service } from './service.ts';

const script = service({
  host: /^script\.google\.com$/,
  path: /^\/macros\/s\/AKfycb[\w-]+\/exec$/,
  body: v.strictObject({
    name: v.string(),
    email: mailbox(),
    message: v.optional(v.string()),
    received: v.pipe(v.string(), v.isoTimestamp()),
  }),
  taken: {
    status: 302,
    headers: { location: 'https://script.googleusercontent.com/macros/echo?user_content_key=x' },
  },
  error: () =>
    '<html><title>Error</title><div>TypeError: Cannot read properties of Ada (line 3)</div></html>',
  malformed: [200, ''],
});

/** A script that fails is a page with 200, and one that is not for anyone leads to where people sign in. */
export const appsScript: Service = {
  ...script,
  refuse: (status, code) => ({
    ...script.refuse(status, code),
    ...(status === 302 && { headers: { location: 'https://accounts.google.com/ServiceLogin?continue=x' } }),
  }),
};
