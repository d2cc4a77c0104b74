// The minimum work of a relay: one mail for each HTTP request, over a pool of persistent connections. Run by
// smtp.ts: node mail_floor.cjs <port>
const { randomUUID } = require('node:crypto');
const { createServer } = require('node:http');
const { connect } = require('node:net');

const [port] = process.argv.slice(2);

/** A pool of persistent connections, with two writes for each mail: the envelope, then the text (RFC 2920). */
function raw() {
  const resting = [];
  const waiting = [];

  function open() {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
    const connection = { socket, mail: undefined };
    let text = '';
    // Counts replies: greeting and EHLO, then for each mail those to MAIL, RCPT, DATA and the text.
    let replied = -2;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (line[3] === '-') continue;
        if (line[0] !== (replied === 2 ? '3' : '2')) throw new Error(line);
        replied += 1;
        if (replied === -1) socket.write('EHLO localhost\r\n');
        else if (replied === 0) rest(connection);
        else if (replied === 3) socket.write(connection.mail.text);
        else if (replied === 4) {
          replied = 0;
          connection.mail.resolve();
          rest(connection);
        }
      }
    });
  }

  function rest(connection) {
    const mail = waiting.shift();
    if (mail) give(connection, mail);
    else resting.push(connection);
  }

  function give(connection, mail) {
    connection.mail = mail;
    connection.socket.write(mail.envelope);
  }

  for (let count = 0; count < 20; count += 1) open();
  return ({ from, to, replyTo, subject, text }) =>
    new Promise((resolve) => {
      const mail = {
        envelope: `MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`,
        text:
          `From: ${from}\r\nTo: ${to}\r\nReply-To: ${replyTo}\r\nSubject: ${subject}\r\n` +
          `Date: ${new Date().toUTCString()}\r\nMessage-ID: <${randomUUID()}@forms.example>\r\n` +
          'Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n' +
          `Content-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll('\n', '\r\n')}.\r\n`,
        resolve,
      };
      const connection = resting.pop();
      if (connection) give(connection, mail);
      else waiting.push(mail);
    });
}

const send = raw();
const paragraph = 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. ';
const mail = {
  from: 'relay@forms.example',
  to: 'office@firm.example',
  replyTo: 'ada@example.org',
  subject: 'Form submission: contact',
  text: `company=Analytical Engines & Co.\nemail=ada@example.org\nmessage=${paragraph.repeat(2)}\nname=Ada Lovelace\n`,
};
/** Reads, sends and answers, without parsing, checks or logs. */
const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', async () => {
    await send(mail);
    const body = '{"message":"ok"}';
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    outgoing.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
