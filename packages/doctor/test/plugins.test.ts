import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { suiteFolder } from '../../../test/support/temp_folder.ts';
import { examineOthers, examineServers } from '../src/servers.ts';
import { diagnose, formWith } from './stage.ts';

const folder = suiteFolder();

/** Outputs of a plug-in: one tests its connection itself, the other says how it speaks. */
const path = join(folder, 'couch.mjs');
writeFileSync(
  path,
  `export default (kit) => ({
    name: 'couch',
    outputs: [
      {
        type: 'couch',
        summary: 'Stores documents.',
        keys: { at: kit.key.required('The database.', kit.key.text()) },
        open: ({ at }) => ({
          target: 'couch ' + at,
          send: async () => undefined,
          probe: async () => {
            if (at === 'gone') throw kit.fail('there is no such database');
            return 'is there';
          },
        }),
      },
      {
        type: 'desk',
        summary: 'Posts tickets.',
        keys: { server: kit.key.required('The server.', kit.key.httpUrl()) },
        open: ({ server }) => ({ target: server, send: async () => undefined }),
      },
    ],
  })`,
);
const env = { RELAY_PLUGINS: path };
const config = (outputs: string) => `plugins: ["${path}"]\n${formWith(outputs)}`;

test('an output of a plug-in tests its connection itself, once for each destination', async () => {
  const at = (name: string) => `{type: couch, at: ${name}, mapping: "*"}`;
  expect(await diagnose(examineOthers, config(`[${at('a')}, ${at('a')}, ${at('gone')}]`), { env })).toEqual([
    'ok couch a: is there',
    'failure couch gone: there is no such database (forms.contact.outputs[2]) -> See the documentation of the output type couch.',
  ]);
});

test('a plug-in that speaks HTTP is checked like those of the relay', async () => {
  const desk = config('[{type: desk, server: "https://desk.example/api", mapping: "*"}]');
  const tryConnect = async () => ({ certificateUntil: Date.UTC(2126, 0, 1) });
  expect(await diagnose(examineServers('http'), desk, { env, tryConnect })).toEqual([
    'ok https://desk.example: speaks TLS, with a certificate until 2126-01-01; no request was made',
  ]);
  expect(await diagnose(examineOthers, desk, { env })).toEqual([]);
});
