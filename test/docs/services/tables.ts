/** Services that store a row for each submission. */
import * as v from 'valibot';
import { filled, mailbox, type Service, service } from './service.ts';

/** A table with these columns. */
export const airtable = service({
  host: /^api\.airtable\.com$/,
  path: /^\/v0\/app\w{14}\/[^/?]+$/,
  headers: { authorization: /^Bearer pat[\w.]+$/ },
  body: v.strictObject({
    records: v.pipe(
      v.array(
        v.strictObject({
          fields: v.strictObject({
            Name: filled(),
            Email: mailbox(),
            Topics: v.optional(v.pipe(v.array(filled()), v.minLength(1))),
            Message: v.optional(filled(100_000)),
            Received: v.pipe(v.string(), v.isoTimestamp()),
          }),
        }),
      ),
      v.minLength(1),
      v.maxLength(10),
    ),
    typecast: v.optional(v.boolean()),
  }),
  taken: {
    status: 200,
    body: { records: [{ id: 'rec560UJdUtocSouk', createdTime: '2030-12-31T23:59:59Z' }] },
  },
  error: (_, type) =>
    type === 'NOT_FOUND' ? { error: type } : { error: { type, message: 'Unknown field: "Ada"' } },
  unauthorized: [401, 'AUTHENTICATION_REQUIRED'],
  malformed: [422, 'INVALID_REQUEST_UNKNOWN'],
  elsewhere: [404, 'NOT_FOUND'],
});

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

/** A script that fails returns a page with 200; a script that is not public redirects to the sign-in page. */
export const appsScript: Service = {
  ...script,
  refuse: (status, code) => ({
    ...script.refuse(status, code),
    ...(status === 302 && { headers: { location: 'https://accounts.google.com/ServiceLogin?continue=x' } }),
  }),
};

const cell = v.union([v.string(), v.number(), v.boolean()]);

export const googleSheets = service({
  host: /^sheets\.googleapis\.com$/,
  path: /^\/v4\/spreadsheets\/[\w-]+\/values\/[^/]+:append\?valueInputOption=RAW&insertDataOption=INSERT_ROWS$/,
  headers: { authorization: /^Bearer \S+$/ },
  body: v.strictObject({ values: v.strictTuple([v.pipe(v.array(cell), v.minLength(1))]) }),
  taken: {
    status: 200,
    body: {
      spreadsheetId: '1x2y3z',
      tableRange: 'Sheet1!A1:E2',
      updates: { updatedRange: 'Sheet1!A3:E3', updatedRows: 1 },
    },
  },
  error: (code, status) => ({ error: { code, message: 'Unable to parse range: Ada', status } }),
  unauthorized: [401, 'UNAUTHENTICATED'],
  malformed: [400, 'INVALID_ARGUMENT'],
  elsewhere: [404, 'NOT_FOUND'],
});

const text = v.pipe(
  v.array(v.strictObject({ text: v.strictObject({ content: v.pipe(v.string(), v.maxLength(2000)) }) })),
  v.minLength(1),
);

/** A database with these columns. */
export const notion = service({
  host: /^api\.notion\.com$/,
  path: /^\/v1\/pages$/,
  headers: { authorization: /^Bearer ntn_\w+$/, 'notion-version': /^2025-09-03$/ },
  body: v.strictObject({
    parent: v.strictObject({
      type: v.literal('data_source_id'),
      data_source_id: v.pipe(v.string(), v.uuid()),
    }),
    properties: v.strictObject({
      Name: v.strictObject({ title: text }),
      Email: v.strictObject({ email: mailbox() }),
      Topic: v.optional(v.strictObject({ select: v.strictObject({ name: filled(100) }) })),
      Message: v.strictObject({ rich_text: text }),
    }),
  }),
  taken: { status: 200, body: { object: 'page', id: '59833787-2cf9-4fdf-8782-e53db20768a5' } },
  error: (status, code) => ({ object: 'error', status, code, message: 'Ada is not a property that exists.' }),
  unauthorized: [401, 'unauthorized'],
  malformed: [400, 'validation_error'],
  elsewhere: [404, 'object_not_found'],
});
