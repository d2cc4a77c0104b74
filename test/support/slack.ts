/** Slack as its manual has it: what it takes, and what people read of it. */
import type { SinkAnswer, SunkRequest } from './http_sink.ts';

/** Anything. */
type Json = ReturnType<typeof JSON.parse>;

export interface Shown {
  readonly title: string;
  readonly entries: readonly (readonly [label: string, value: string])[];
  readonly footer: readonly string[];
  /** The parts of the message that notify somebody, lead somewhere, or are markup. Empty if all is well. */
  readonly alive: readonly string[];
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, /reference/block-kit/blocks */
export const slack = {
  url: (origin: string) => `${origin}/services/T000/B000/XXXX`,
  /** Slack's answers that refuse a message, with the reason in the log, and the shortest wait before another try. */
  refusals: [
    {
      name: 'no webhook any more',
      answer: { status: 404, body: 'no_service' },
      says: 'the server answered 404 (no_service)',
    },
    { name: 'a text', answer: { status: 400, body: 'Sorry, Ada' }, says: 'the server answered 400' },
    {
      name: 'a sign-in page',
      answer: { body: '<html>Sign in</html>' },
      says: 'the service answered that it did not accept it',
    },
    { name: 'another page', answer: { status: 302 }, says: 'the service answered that it did not accept it' },
    {
      name: 'a fault',
      answer: { status: 500, body: 'rollup_error' },
      says: 'the server answered 500 (rollup_error)',
      waitsMs: 1,
    },
    {
      name: 'too many',
      answer: { status: 429, headers: { 'retry-after': '3' } },
      says: 'the server answered 429',
      waitsMs: 3_000,
    },
  ],
  /** Answers as the service does: takes what its rules allow, and refuses all else. */
  answer: (request: SunkRequest): SinkAnswer => {
    const refuse = (error: string) => ({ status: 400, body: error });
    if (request.url !== '/services/T000/B000/XXXX') return { status: 404, body: 'no_service' };
    const message = jsonOf(request);
    if (!message) return refuse('invalid_payload');
    return brokenRules(message).length > 0 ? refuse('invalid_blocks') : { body: 'ok' };
  },
  /** The text that people read of a request that it took. */
  read: ({ bytes }: SunkRequest): Shown => {
    const { text, blocks, mrkdwn } = JSON.parse(bytes.toString('utf8'));
    const shown = (type: string) => blocks.filter((block: { type: string }) => block.type === type);
    const title = shown('header')[0].text.text;
    // `plain_text` is shown as it is. In the notification, escapes are read, and what is in angle brackets is alive.
    const notified = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return {
      title,
      entries: shown('section').map((block: Json) => entryOf(block.text.text)),
      footer: shown('context').map((block: Json) => block.elements[0].text),
      alive: [
        ...(text.match(/[<>]|&(?!amp;|lt;|gt;)/g) ?? []),
        ...(mrkdwn === false && notified === title ? [] : [text]),
        ...blocks.filter((block: Json) => (block.text ?? block.elements[0]).emoji !== false),
      ],
    };
  },
};

function brokenRules(message: Record<string, Json>): readonly string[] {
  const rules = new Rules();
  rules.keys(message, ['text', 'mrkdwn', 'blocks'], 'unknown key');
  rules.text(message.text, 40_000, 'text');
  const { blocks } = message;
  rules.hold(Array.isArray(blocks) && blocks.length <= 50, 'at most 50 blocks');
  for (const { type, text, elements = [] } of blocks) {
    const most = { header: 150, section: 3_000 }[type as string];
    rules.hold(most !== undefined || type === 'context', 'type of block');
    rules.hold(type !== 'context' || (elements.length > 0 && elements.length <= 10), 'elements');
    for (const one of text ? [text] : elements) {
      rules.keys(one, ['type', 'text', 'emoji'], 'key of a text');
      rules.hold(one.type === 'plain_text', 'plain_text');
      rules.text(one.text, most ?? 2_000, 'length of a text');
    }
  }
  rules.hold(
    JSON.stringify(blocks.map(({ text, elements }: Json) => text ?? elements)).length < 20_000,
    'all together',
  );
  return rules.broken;
}

/** The rules that a request breaks. */
class Rules {
  readonly broken: string[] = [];

  /** Holds `is` to a rule. */
  hold(is: boolean, rule: string): void {
    if (!is) this.broken.push(rule);
  }

  /** A text of at least one character, and at most so many. */
  text(value: unknown, most: number, rule: string): void {
    this.hold(typeof value === 'string' && value.trim() !== '' && value.length <= most, rule);
  }

  /** No keys but these. */
  keys(value: object, known: readonly string[], rule: string): void {
    for (const key of Object.keys(value)) this.hold(known.includes(key), `${rule}: ${key}`);
  }
}

/** A JSON object, sent as such. */
function jsonOf({ headers, bytes, method }: SunkRequest): Record<string, Json> | undefined {
  if (method !== 'POST' || !/^application\/json\b/.test(headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** `Label: value`, or the label with indented lines below it. */
function entryOf(line: string): readonly [string, string] {
  const block = /^([^\n]*?):\n((?: {4}[^\n]*(?:\n|$)|\n)+)$/.exec(line);
  if (block) return [block[1] ?? '', (block[2] ?? '').replaceAll(/^ {4}/gm, '')];
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
