/** Receives the demo's deliveries: a mail server and a CRM on this machine, which pass nothing on. */
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** How the next deliveries end. */
export type Mood = 'fine' | 'down' | 'refuses';

export interface Sinks {
  readonly mailPort: number;
  readonly crmPort: number;
  mail: Mood;
  crm: Mood;
  close(): void;
}

/** @param folder For the mails. */
export async function openSinks(folder: string): Promise<Sinks> {
  mkdirSync(folder, { mode: 0o700 });
  const moods: Pick<Sinks, 'mail' | 'crm'> = { mail: 'fine', crm: 'fine' };
  let mails = 0;
  const mail = createServer((socket) => {
    let text = '';
    let isData = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const answer = (line: string) => {
      const [word = ''] = line.toUpperCase().split(/[ :]/, 1);
      if (word === 'RCPT' && moods.mail === 'down')
        return say('451 4.3.0 the mail server is down for the demo');
      if (word === 'RCPT' && moods.mail === 'refuses') return say('550 5.1.1 no such mailbox, for the demo');
      if (word === 'DATA') {
        isData = true;
        return say('354 go on');
      }
      if (word !== 'QUIT') return say('250 ok');
      say('221 bye');
      socket.end();
    };
    socket.setEncoding('latin1').on('error', () => {});
    say('220 demo');
    socket.on('data', (chunk) => {
      text += chunk;
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          isData = false;
          mails += 1;
          writeFileSync(join(folder, `${String(mails).padStart(4, '0')}.eml`), part, 'latin1');
          say('250 kept on this machine');
        } else answer(part);
      }
    });
  });
  const crm = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = { fine: 200, down: 503, refuses: 400 }[moods.crm];
      response.end();
    });
  });
  return Object.assign(moods, {
    mailPort: await portOf(mail),
    crmPort: await portOf(crm),
    close: () => {
      mail.close();
      crm.close();
      crm.closeAllConnections();
    },
  });
}

const portOf = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
