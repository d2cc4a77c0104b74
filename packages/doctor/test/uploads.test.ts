import { expect, test } from 'vitest';
import { examineUploads } from '../src/uploads.ts';
import { diagnose } from './stage.ts';

const form = (keys: string) =>
  `forms: {jobs: {fields: [{name: cv, type: file, max_size: 1MB}], ${keys} outputs: [{type: smtp, host: mail.example.com, to: a@a.example, mapping: "*"}]}}`;

test.each([
  [
    'what AWS Lambda lets through is told where a form takes more',
    form(''),
    {},
    /^ok forms\.jobs: takes submissions of up to 10 MB; on AWS Lambda 4\.4 MB/,
  ],
  ['and not where it does not', form('max_body: 4MB,'), {}, /up to 4 MB$/],
  [
    'a form that takes more than all uploads together may hold',
    form('max_body: 100MB,'),
    {},
    /^warning forms\.jobs: takes 100 MB .*no submission over 64 MB is taken -> Set UPLOAD_BUDGET/,
  ],
])('%s', async (_what, config, env, said) => {
  expect(await diagnose(examineUploads, config, { env })).toEqual([expect.stringMatching(said)]);
});

test('forms without files are not mentioned', async () => {
  const config = 'forms: {news: {fields: [{name: email}], outputs: []}}';
  expect(await diagnose(examineUploads, config)).toEqual([]);
});
