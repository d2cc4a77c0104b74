/** An SMTP server that takes every mail at once, and costs as little as it can: it shares a core with the load. */
import { createServer, type Socket } from 'node:net';
import { listen } from '../../test/support/listen.ts';

export interface SmtpSink {
  readonly port: number;
  /** Complete mails since the start. */
  readonly received: number;
  close(): void;
}

export async function startSmtpSink(): Promise<SmtpSink> {
  let received = 0;
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    talk(socket, () => {
      received += 1;
    });
  });
  return {
    port: await listen(server),
    get received() {
      return received;
    },
    close: () => server.close(),
  };
}

const endOfMail = '\r\n.\r\n';

function talk(socket: Socket, onMail: () => void): void {
  let text = '';
  let inMail = false;
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    let replies = '';
    if (inMail) {
      // Clients send nothing after a mail before it is answered.
      if (!text.endsWith(endOfMail)) {
        text = text.slice(-endOfMail.length);
        return;
      }
      inMail = false;
      text = '';
      replies = '250 2.0.0 taken\r\n';
      onMail();
    }
    for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
      const verb = text.slice(0, 4);
      text = text.slice(end + 2);
      if (verb === 'DATA') {
        inMail = true;
        replies += '354 go\r\n';
      } else if (verb === 'EHLO') {
        replies += '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 10485760\r\n';
      } else if (verb === 'QUIT') {
        socket.end('221 bye\r\n');
        return;
      } else {
        replies += '250 2.1.0 ok\r\n';
      }
    }
    if (replies !== '') socket.write(replies);
  });
}
