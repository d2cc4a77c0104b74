import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { type Check, Unavailable } from './check.ts';
import { beside, eventually, inFolder, root, run } from './run.ts';
import { freePort } from './systemd.ts';

interface Platform {
  /** The project, under deploy/. */
  readonly project: string;
  /** Where npm has the local runtime. */
  readonly runtime: string;
  /** Arguments of Node that serve the project. @param modules The folder with the runtime's packages. */
  readonly serve: (modules: string, site: string, port: number) => readonly string[];
}

/** `vercel dev`, which needs no account with `--local`. Newer versions did not install. */
export const vercel = inLocalRuntime({
  project: 'vercel',
  runtime: 'vercel@58.10.0',
  serve: (modules, site, port) => [
    join(modules, 'vercel/dist/vc.js'),
    ...['dev', '--local', '--yes', '--cwd', site, '--listen', `127.0.0.1:${port}`],
  ],
});

/** The package in which `netlify dev` runs functions. */
export const netlify = inLocalRuntime({
  project: 'netlify',
  runtime: '@netlify/dev@5.1.3',
  serve: (modules, site, port) => [join(root, 'scripts/deploy/netlify_dev.mjs'), modules, site, `${port}`],
});

/** Sends a form to the project in the platform's own local runtime. */
function inLocalRuntime({ project, runtime, serve }: Platform): Check {
  return {
    needs: ['npx'],
    run: () =>
      inFolder(async (folder) => {
        const node = pathOfNode(runtime);
        const [site, home] = [join(folder, 'site'), join(folder, 'home')];
        cpSync(join(root, 'deploy', project), site, { recursive: true });
        for (const made of [home, join(site, 'node_modules')]) mkdirSync(made);
        symlinkSync(root, join(site, 'node_modules/form-relay'));
        writeFileSync(join(site, 'package.json'), '{"type": "module"}');
        const sink = await startHttpSink({ answer: () => ({ body: '{"MessageId": "1"}' }) });
        const config = join(site, 'webform.yaml');
        const url = 'https://crm.example.com';
        writeFileSync(config, readFileSync(config, 'utf8').replace(url, sink.origin));
        const env = {
          HOME: home,
          VERCEL_TELEMETRY_DISABLED: '1',
          CRM_TOKEN: 'token',
          MAIL_FROM_ADDRESS: 'forms@example.com',
          AWS_REGION: 'eu-central-1',
          AWS_ACCESS_KEY_ID: 'id',
          AWS_SECRET_ACCESS_KEY: 'secret',
          AWS_ENDPOINT_URL_SESV2: sink.origin,
        };
        const port = await freePort();
        const args = serve(join(dirname(dirname(node))), site, port);
        try {
          await beside(node, args, env, () => sendForm(`http://127.0.0.1:${port}`));
        } finally {
          await sink.close();
        }
        const asked = sink.requests.map((request) => request.url).toSorted();
        if (asked.join() !== '/leads,/v2/email/outbound-emails') throw new Error(`delivered to: ${asked}`);
        return `deploy/${project} shows its form in ${runtime}, and delivers what is sent`;
      }),
  };
}

/** Installs the runtime beside a Node that it runs on. */
function pathOfNode(runtime: string): string {
  try {
    const words = ['--yes', '-p', 'node@24', '-p', runtime, '-c', 'command -v node'];
    return run('npx', words).stdout.trim();
  } catch {
    throw new Unavailable(`${runtime} cannot be had through npm here`);
  }
}

async function sendForm(origin: string): Promise<void> {
  const page = await eventually(() => fetch(`${origin}/api/v1/form/contact`));
  const form = await page.text();
  if (!form.includes('name="message"')) throw new Error(`the form is\n${form}`);
  const ask = async (values?: Record<string, string>) => {
    const sent = values && { method: 'POST', body: new URLSearchParams(values) };
    const path = values ? '/api/v1/submit/contact' : '/readyz';
    return (await fetch(origin + path, sent)).status;
  };
  const name = 'Ada';
  const statuses = [
    await ask(),
    await ask({ name }),
    await ask({ name, email: 'ada@example.org', message: 'Hello' }),
  ];
  if (statuses.join() !== '200,422,200') throw new Error(`the answers are ${statuses}`);
}
