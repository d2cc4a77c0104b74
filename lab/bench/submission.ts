/** The submission that every benchmark sends, and the settings for a relay to accept it without limits. */
const sent = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  company: 'Analytical Engines & Co.',
  message: 'The engine weaves algebraic patterns just as the loom weaves flowers and leaves. '.repeat(2),
  website: '',
};
const body = new URLSearchParams(sent).toString();

export const request = Buffer.from(
  'POST /api/v1/submit/contact HTTP/1.1\r\nhost: localhost\r\n' +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
);

/** The form's keys in the config: four fields, a honeypot, these outputs. */
export const formWith = (...outputs: readonly object[]): string =>
  ` ${JSON.stringify({
    fields: [
      { name: 'name', required: true },
      { name: 'email', type: 'email', required: true },
      { name: 'company' },
      { name: 'message', type: 'textarea', required: true },
    ],
    spam: { honeypot: 'website' },
    outputs,
  })}\n`;

export const environment = {
  HOST: '127.0.0.1',
  PORT: '0',
  THROTTLE_RATE_LIMIT: '1000000000',
  THROTTLE_BURST_LIMIT: '1000000000',
};
