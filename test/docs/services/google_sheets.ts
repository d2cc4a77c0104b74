import * as v from 'valibot';
import { service } from './service.ts';

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
