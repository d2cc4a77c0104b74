/** An SMTP server that accepts every mail immediately, with as little work as possible: it shares a core with the load. */
import { createServer } from 'node:net';
import { listen } from '../../test/support/listen.ts';

const replies: Readonly<Record<string, string>> = {
  DATA: '354 go\r\n',
  EHLO: '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 10485760\r\n',
  QUIT: '221 bye\r\n',
};

/** @param onPiece Called with each command's verb, and with each mail. */
export async function startSmtpSink(onPiece: (kind: string, text: string) => void = () => {}) {
  let received = 0;
  const server = createServer((socket) => {
    socket
      .setNoDelay(true)
      .setEncoding('latin1')
      .on('error', () => {});
    let text = '';
    let inMail = false;
    socket.write('220 sink ESMTP\r\n');
    socket.on('data', (chunk) => {
      text += chunk;
      let answer = '';
      for (;;) {
        const ending = inMail ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(ending);
        if (end < 0) break;
        const kind = inMail ? 'mail' : text.slice(0, 4).toUpperCase();
        onPiece(kind, text.slice(0, end));
        text = text.slice(end + ending.length);
        if (inMail) received += 1;
        inMail = kind === 'DATA';
        answer += replies[kind] ?? '250 2.0.0 ok\r\n';
      }
      if (answer.endsWith(replies.QUIT as string)) socket.end(answer);
      else if (answer !== '') socket.write(answer);
    });
  });
  return {
    port: await listen(server),
    /** Complete mails so far. */
    get received() {
      return received;
    },
    close: () => server.close(),
  };
}
