/**
 * The environment that the fixtures of all versions were written with, and are read with. `npm run fixtures -- VERSION`
 * writes them.
 */
import { fileURLToPath } from 'node:url';

/** The relay's time when it wrote the fixtures. Links that it sealed are opened a minute later. */
export const writtenAt = Date.UTC(2026, 10, 1, 10);
export const readAt = writtenAt + 60_000;

export const folderOf = (version: string): string => fileURLToPath(new URL(`./${version}/`, import.meta.url));

export const publicUrl = 'https://forms.acme.example';

/** Secrets only for these fixtures. */
export const secrets = {
  FORM_TOKEN_SECRET: '7bd5c2f9e8a14d60b3c7',
  KEEP_SECRET: '19af03d2c4be57688e01',
  RECEIPT_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  SPAM_MODEL_KEY: 'f2b8d1740c9e3a65b7d2',
  KEY_SHOP: 'frk_jZDGqgDNjxCXUYpQEisqcFJo6v9AhEahy6HpGMoxqTg',
};

export interface Tokens {
  /** Only 0.1.0 sealed an archive: the key that opens it. */
  readonly identity?: string;
  /** A submission of `news`, in the link of its mail. */
  readonly confirm: string;
  /** The owner's, to `course`. */
  readonly prefill: string;
  /** Only in 0.1.0: it was to work once. */
  readonly singleUse?: string;
  readonly formToken: string;
  /** Ada's receipt for her submission of `contact`. */
  readonly receipt: string;
  /** The receipt of the server that sent `orders`. */
  readonly answered: string;
}

/** A message of a queue, as another version reads it. */
export interface Messages {
  readonly sqs: readonly string[];
  readonly nats: readonly { readonly subject: string; readonly data: string }[];
}

/** The places of each kind of kept content: in clear, encrypted with KEEP_SECRET, and sealed, which only 0.1.0 did. */
export const keptFolders = ['kept_clear', 'kept_secret', 'kept_sealed'] as const;

/**
 * The config. In a fixture, `$HERE` is its folder, `$SINK` an HTTP server and `$SMTP` the port of an SMTP server.
 *
 * @param keep Where deliveries are kept.
 */
export const worldConfig = (keep: string): string => `keep: ${keep}
counted_in: $HERE/counted
forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: topics, type: checkboxes, options: [boots, hats]}
      - {name: cv, type: file}
    receipt: true
    outputs:
      - {type: folder, path: $HERE/archive}
  owed:
    keep: failed
    fields: [{name: name, required: true}, {name: cv, type: file}]
    outputs:
      - {type: http_post, url: "$SINK/owed", mapping: {name: name}, retries: 0}
  news:
    fields: [{name: email, type: email, required: true}]
    outputs:
      - {type: http_post, url: "$SINK/news", mapping: "*", retries: 0}
    double_opt_in:
      to: email
      subject: Please confirm
      text: Click here, please.
      from: Acme <news@acme.example>
      through: {type: smtp, host: 127.0.0.1, port: $SMTP}
  orders:
    keys_env: [KEY_SHOP]
    receipt: true
    fields: [{name: name, required: true}]
    outputs:
      - {type: http_post, url: "$SINK/orders", mapping: "*", retries: 0}
  course:
    links: optional
    places: 4
    once: {by: email, reveal: true}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
    outputs:
      - {type: http_post, url: "$SINK/course", mapping: "*", retries: 0}
`;
