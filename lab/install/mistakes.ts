/** Everything that can go wrong with install.sh: the first line says what, the second what to do. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readYaml } from '../../scripts/data.ts';
import { listen } from '../../test/support/listen.ts';
import { openRoot, type Ran, type Root } from './roots.ts';
import { type Given, succeeded } from './trials.ts';

const script = 'sh /artifacts/install.sh --service no';

/** Each mistake exits with 1 and exactly two lines, and leaves nothing behind. */
interface Mistake {
  readonly as: 'root' | 'user';
  readonly before?: string;
  readonly run: string;
  readonly problem: string;
  readonly remedy: string;
}

function refused(ran: Ran, problem: string, remedy: string): void {
  const [first = '', second = '', ...more] = ran.stderr
    .split('\n')
    .filter((line) => line !== '')
    .slice(-2);
  assert.deepEqual([ran.status, more], [1, []], `${ran.stdout}${ran.stderr}`);
  assert.match(first, new RegExp(`^install\\.sh: .*${problem}`));
  assert.match(second, new RegExp(`^ {12}(?=\\S).*${remedy}`));
}

type Holds = (root: Root) => unknown;

const mistake =
  ({ as, before = ':', run, problem, remedy }: Mistake): Holds =>
  (root) => {
    succeeded(root.run('root', before));
    const left = root.left();
    refused(root.run(as, run), problem, remedy);
    assert.deepEqual(root.left(), left);
  };

const more: Readonly<Record<string, Holds>> = {
  'a config that a new version rejects': (root) => {
    const config = '/home/ada/.config/form-relay/webform.yaml';
    succeeded(root.run('user', `${script} && sed -i s/outputs:/outputz:/ ${config}`));
    refused(root.run('user', script), `rejects ${config}`, 'Correct.*stays installed');
    assert.match(succeeded(root.run('user', 'relay --version')), /^\d/);
  },
  'another name, beside another program called relay': (root) => {
    const bin = '/usr/local/bin';
    const other = `printf '#!/bin/sh\\necho other\\n' > ${bin}/relay && chmod 755 ${bin}/relay`;
    succeeded(root.run('root', `mkdir -p ${bin} && ${other}`));
    assert.match(succeeded(root.run('root', `${script} --name form-relay`)), /form-relay --config \/etc/);
    assert.equal(succeeded(root.run('root', 'relay')), 'other\n');
    succeeded(root.run('root', `${script} --uninstall --purge`));
    assert.equal(succeeded(root.run('root', 'relay')), 'other\n');
    assert.deepEqual(root.left(), ['usr/local/bin/relay']);
  },
  'a download that broke off': (root) => {
    const text = readFileSync(join(root.path, 'artifacts/install.sh'));
    for (let length = 500; length < text.length; length += 1_500) {
      writeFileSync(join(root.path, 'tmp/part'), text.subarray(0, length));
      assert.equal(root.run('root', 'sh -s -- --from /artifacts < /tmp/part').stdout, '', `at ${length}`);
    }
    assert.deepEqual(root.left(), []);
  },
  'any umask, and an .env without a last line': (root) => {
    for (const umask of ['000', '077']) {
      succeeded(root.run('root', 'mkdir -p /etc/form-relay; printf A=1 > /etc/form-relay/.env'));
      succeeded(root.run('root', `umask ${umask}; ${script} --host ::1 --service yes`));
      const modes = `stat -c %a /usr/local/bin/relay /usr/local/lib/form-relay/installed /etc/form-relay/webform.yaml /etc/form-relay/.env`;
      assert.equal(succeeded(root.run('root', modes)), '755\n644\n644\n640\n');
      const written = succeeded(root.run('root', 'cat /etc/form-relay/.env /etc/systemd/system/*.socket'));
      assert.match(written, /^A=1\nHOST=::1\nPORT=8080\n[\s\S]*^ListenStream=\[::1\]:8080$/m);
      succeeded(root.run('root', `${script} --uninstall --purge`));
    }
    assert.deepEqual(root.left(), []);
  },
  'a home with odd characters, and hashes with CRLF': (root) => {
    const home = "/home/ada/zoë's own";
    succeeded(root.run('root', "cp -r /artifacts /tmp/own; sed -i 's/$/\\r/' /tmp/own/SHA256SUMS"));
    succeeded(root.run('user', `mkdir "${home}"`));
    const said = succeeded(root.run('user', `HOME="${home}"; sh /tmp/own/install.sh --service yes`));
    const [, serve = ''] = /^ {2}(.*) doctor$/m.exec(said) ?? [];
    assert.equal(succeeded(root.run('user', `${serve} config validate`)), 'ok\n');
    const unit = readFileSync(join(root.path, home, '.config/systemd/user/form-relay.service'), 'utf8');
    assert.match(unit, /^ExecStart="\/home\/ada\/zoë's own\/.local\/bin\/relay" serve$/m);
    succeeded(root.run('user', `HOME="${home}"; ${script} --uninstall --purge; rmdir "${home}"`));
    assert.deepEqual(root.left(), []);
  },
  'a name that changes, and stays': (root) => {
    succeeded(root.run('root', script));
    succeeded(root.run('root', `${script} --name form-relay`));
    succeeded(root.run('root', 'sh /artifacts/install.sh'));
    assert.match(
      succeeded(root.run('root', 'form-relay --version; ls /usr/local/bin')),
      /^\d\S+\nform-relay\n$/,
    );
    succeeded(root.run('root', `${script} --uninstall --purge`));
    assert.deepEqual(root.left(), []);
  },
};

/** Calls back for each mistake, with a fresh root. */
export async function eachMistake(
  { artifacts, files }: Given,
  attempt: (name: string, work: () => Promise<undefined>) => Promise<void>,
): Promise<void> {
  const server = createServer();
  const mistakes = readYaml<Readonly<Record<string, Mistake>>>(new URL('mistakes.yaml', import.meta.url), {
    SCRIPT: script,
    TAKEN: await listen(server),
    EXECUTABLE: files.executable,
  });
  const all = [
    ...Object.entries(mistakes).map(([name, one]) => [name, mistake(one)] as const),
    ...Object.entries(more),
  ];
  for (const [name, holds] of all)
    await attempt(name, async () => {
      const root = openRoot(artifacts, false);
      try {
        holds(root);
      } finally {
        root.close();
      }
    });
  server.close();
}
