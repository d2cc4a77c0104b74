import type { FormDeclared } from '../adapter.ts';
import { type Area, promise } from '../promise.ts';

const form: FormDeclared = {
  fields: [{ name: 'full_name' }],
  outputs: [{ type: 'http_post', url: 'http://127.0.0.1:1/', mapping: { name: 'full_name' } }],
};

export const cli: Area = {
  from: 'SPEC: Command-line tool',
  needs: ['cli'],
  promises: {
    list: promise`\`form list\` prints all form names, one per line, sorted.`(async (t) => {
      const { code, stdout } = await t.run({ zebra: form, apple: form, mango: form }, 'form', 'list');
      t.is([code, stdout], [0, 'apple\nmango\nzebra\n']);
    }),
    html: promise`\`form html <name>\` prints the form element.`(async (t) => {
      const { code, stdout } = await t.run({ contact: form }, 'form', 'html', 'contact');
      const isForm = code === 0 && /<form\b/.test(stdout) && stdout.includes('name="full_name"');
      t.must(isForm, '<form …> with full_name', `${code} ${stdout.slice(0, 200)}`);
    }),
    ok: promise`\`config validate\` prints ok for a config that is right.`(async (t) => {
      const { code, stdout } = await t.run({ contact: form }, 'config', 'validate');
      t.must(code === 0 && /^ok$/m.test(stdout), 'ok', `${code} ${stdout}`);
    }),
    error: promise`\`config validate\` names the form and the output of a wrong \`on_error\`, and fails.
      (SPEC: Config-parse-time rejections)`(async (t) => {
      const wrong = { ...form, outputs: form.outputs.map((one) => ({ ...one, on_error: 'ignore' })) };
      const { code, stdout, stderr } = await t.run({ wrong_one: wrong }, 'config', 'validate');
      const isReported =
        code !== 0 && /wrong_one/.test(stdout + stderr) && /outputs?\b.*0/.test(stdout + stderr);
      t.must(isReported, 'a failure that names wrong_one and its output', `${code} ${stdout}${stderr}`);
    }),
  },
};
