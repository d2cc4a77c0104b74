/** Everything that can go wrong with install.sh: a line says what, and the next one what to do. */
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listen } from '../../test/support/listen.ts';
import { openRoot, type Ran, type Root } from './roots.ts';
import { type Given, succeeded } from './trials.ts';

type Holds = (given: Given) => Promise<string | undefined>;

const script = 'sh /artifacts/install.sh --service no';

/** Each mistake ends with 1 and exactly two lines, and leaves nothing. */
function refused(ran: Ran, problem: RegExp, remedy: RegExp): void {
  const [first = '', second = '', ...more] = ran.stderr
    .split('\n')
    .filter((line) => line !== '')
    .slice(-2);
  assert.deepEqual([ran.status, more], [1, []], `${ran.stdout}${ran.stderr}`);
  assert.match(first, /^install\.sh: /);
  assert.match(first, problem);
  assert.match(second, /^ {12}\S/);
  assert.match(second, remedy);
}

const mistake =
  (
    as: 'root' | 'user',
    line: string,
    problem: RegExp,
    remedy: RegExp,
    prepare: (root: Root, given: Given) => unknown = () => {},
  ): Holds =>
  async (given) => {
    const root = openRoot(given.artifacts, false);
    try {
      await prepare(root, given);
      const before = root.left();
      refused(root.run(as, line), problem, remedy);
      assert.deepEqual(root.left(), before);
    } finally {
      root.close();
    }
  };

/** A program that stands in for another. */
const pretend = (root: Root, path: string, text: string) => {
  mkdirSync(join(root.path, path, '..'), { recursive: true });
  writeFileSync(join(root.path, path), text);
  chmodSync(join(root.path, path), 0o755);
};

export const mistakes: Readonly<Record<string, Holds>> = {
  'a file that is not the listed one': mistake(
    'root',
    `${script.replace('artifacts', 'own')}`,
    /is not the file that SHA256SUMS lists/,
    /Download both again/,
    (root, { artifacts, files }) => {
      const own = join(root.path, 'own');
      mkdirSync(own);
      for (const name of ['install.sh', 'SHA256SUMS']) copyFileSync(join(artifacts, name), join(own, name));
      writeFileSync(join(own, files.executable), 'something else');
    },
  ),
  'no artifacts': mistake(
    'root',
    'cp /artifacts/install.sh /tmp; sh /tmp/install.sh',
    /no artifacts are beside this script/,
    /--from PLACE/,
  ),
  'a folder without them': mistake(
    'root',
    `${script} --from /usr`,
    /there is no \/usr\/SHA256SUMS/,
    /--from PLACE/,
  ),
  'a URL that does not answer': mistake(
    'user',
    `${script} --from http://127.0.0.1:1`,
    /cannot be downloaded/,
    /address after --from/,
  ),
  'neither curl nor wget': mistake(
    'user',
    `PATH=/only ${script} --from http://127.0.0.1:1`,
    /neither curl nor wget/,
    /Install curl.*--from FOLDER/,
    (root) => {
      mkdirSync(join(root.path, 'only'));
      for (const name of 'sh id sed dirname mktemp rm cat awk tail head grep sort rmdir cmp cp'.split(' '))
        symlinkSync(`/usr/bin/${name}`, join(root.path, 'only', name));
    },
  ),
  'another CPU': mistake(
    'root',
    script,
    /no executable is made for linux on riscv64/,
    /Install Node.*or use the image/,
    (root) =>
      pretend(root, 'usr/local/bin/uname', '#!/bin/sh\n[ "$1" = -m ] && echo riscv64 || echo Linux\n'),
  ),
  musl: mistake('root', script, /this system has musl/, /apk add nodejs npm/, (root) =>
    pretend(root, 'lib/ld-musl-x86_64.so.1', ''),
  ),
  'the package without Node': mistake(
    'root',
    `${script} --artifact package`,
    /needs Node 20.19/,
    /--artifact executable/,
  ),
  'a library that is missing': mistake(
    'root',
    script,
    /does not start here: .*libstdc/,
    /apt-get install libstdc/,
    async (root) => {
      succeeded(root.run('root', 'rm /usr/lib/*/libstdc++.so.6*'));
    },
  ),
  'a folder of others': mistake(
    'user',
    `${script} --prefix /usr/local`,
    /cannot be/,
    /--prefix FOLDER.*sudo/,
  ),
  'a disk that cannot be written': mistake(
    'root',
    `${script} --prefix /proc/none`,
    /cannot be made/,
    /read-only or full.*--prefix FOLDER/,
  ),
  'a port in use': async (given) => {
    const server = createServer();
    const port = await listen(server);
    await mistake(
      'user',
      `${script} --port ${port}`,
      new RegExp(`listens on port ${port}`),
      /--port \d+/,
    )(given);
    server.close();
  },
  'another program called relay': mistake(
    'root',
    script,
    /another program is at \/usr\/local\/bin\/relay/,
    /--name form-relay.*--force/,
    (root) => pretend(root, 'usr/local/bin/relay', '#!/bin/sh\n'),
  ),
  'a recipient without a server': mistake(
    'user',
    `${script} --to a@example.com`,
    /needs a mail server/,
    /--smtp HOST:PORT/,
  ),
  'a user name without a password': mistake(
    'user',
    `${script} --to a@example.com --smtp b.example.com --smtp-user a`,
    /password of a is missing/,
    /SMTP_PASSWORD=secret/,
  ),
  'an unknown option': mistake('user', `${script} --colour red`, /unknown option: --colour/, /--help/),
  'an address that no config can have': mistake(
    'user',
    `${script} --to 'a: b' --smtp c`,
    /character that a config cannot have/,
    /plain addresses/,
  ),
  'nothing to remove': mistake('user', `${script} --uninstall`, /nothing is installed/, /--prefix FOLDER/),
  'a config that a new version rejects': async (given) => {
    const root = openRoot(given.artifacts, false);
    try {
      succeeded(root.run('user', script));
      const config = join(root.path, 'home/ada/.config/form-relay/webform.yaml');
      writeFileSync(config, readFileSync(config, 'utf8').replace('outputs:', 'outputz:'));
      refused(
        root.run('user', script),
        /rejects \/home\/ada\/.config\/form-relay\/webform.yaml/,
        /Correct.*stays installed/,
      );
      assert.match(succeeded(root.run('user', 'relay --version')), /^\d/);
    } finally {
      root.close();
    }
  },
  'another name, beside another program called relay': async (given) => {
    const root = openRoot(given.artifacts, false);
    try {
      pretend(root, 'usr/local/bin/relay', '#!/bin/sh\necho other\n');
      assert.match(succeeded(root.run('root', `${script} --name form-relay`)), /form-relay --config \/etc/);
      assert.equal(succeeded(root.run('root', 'relay')), 'other\n');
      succeeded(root.run('root', `${script} --uninstall --purge`));
      assert.equal(succeeded(root.run('root', 'relay')), 'other\n');
      assert.deepEqual(root.left(), ['usr/local/bin/relay']);
    } finally {
      root.close();
    }
  },
};
