import type { VariableName } from './variables.ts';

/** What each variable means, as docs/reference.md shows it. */
export const variableDocs: Readonly<Record<VariableName, string>> = {
  CONFIG_INLINE: 'The config itself, as YAML text. Wins over every other source.',
  CONFIG_FILE: 'Path of a config file. Wins over the bucket.',
  CONFIG_BUCKET:
    'S3 bucket that holds the config, or the ARN of an access point to it, read with the AWS credentials and region of the environment.',
  CONFIG_BUCKET_REGION:
    'The region of that bucket, where it is another one than that of SES and the rest, which `AWS_REGION` names.',
  CONFIG_KEY: "The config's key in the bucket.",
  RELAY_CONFIG:
    'Path of the config for the command line, and for `relay serve` and `relay doctor` when none of the above is set.',
  CACHE_TTL:
    'How long a loaded config is used before it is fetched again. Wins over `cache_ttl` in the config.',
  MAIL_FROM_ADDRESS: 'Verified sender of all `email` outputs, such as `forms@example.com`; they need it.',
  SMTP_EHLO_NAME:
    'What the relay calls itself to the servers of `smtp` outputs, such as `forms.example.com`. When unset, the ' +
    "machine's name, if it has one with a domain; otherwise its address, such as `[192.0.2.1]`.",
  FORM_TOKEN_SECRET:
    'Signs min-fill tokens and the puzzles of `proof_of_work` and `challenge`, and seals the links of `double_opt_in`. Forms that use one of them need it; it is never read from the config. With it, a reload of the relay’s own thank-you page sends nothing again.',
  KEEP_SECRET:
    'Encrypts what forms with `keep` keep. Relays that share a store share it, and whoever loses it loses what is kept.',
  RECEIPT_SECRET:
    'Signs the receipts of forms with `receipt`, which need it. Several with commas between them: the first signs, and receipts of the others stay good (docs/receipts.md).',
  ALLOWED_ORIGINS:
    "Comma-separated origins that may read answers in a browser, such as `https://example.com`; each in full, or `*` alone for all. Those that are listed may show the relay's pages in a frame, too.",
  PUBLIC_URL:
    'Where visitors reach the relay, such as `https://forms.example.com`, for the addresses in forms that pages of ' +
    'other origins show. Guessed from `X-Forwarded-Host` and `X-Forwarded-Proto`, or `Host`, when unset; but forms ' +
    'with `double_opt_in` need it, since nobody’s request may say where the link of a mail leads.',
  TRUSTED_PROXIES:
    'Comma-separated addresses and networks (CIDR) of the proxies in front of the relay, such as `127.0.0.1,10.0.0.0/8`: they ' +
    'say who sends a request. When unset, whoever connects from a private network is taken for one, and nobody knows who sends; ' +
    '`none`: no proxy is there. `rate_limit` needs it behind a proxy (docs/spam.md).',
  PROXY_HEADER:
    'The header in which they say it: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is not read.',
  LOG_FORMAT:
    'How the log is written: `pretty` for people, or `json`, one object a line. When unset, `pretty` in a terminal, and else `json` (docs/logs.md).',
  LOG_LEVEL: 'The least that the log has: `info`, `warn` or `error`.',
  THROTTLE_RATE_LIMIT: 'Requests per second that the whole HTTP API answers in the long run.',
  THROTTLE_BURST_LIMIT: 'Requests that may come at once before the rate applies.',
  CONNECTION_LIMIT:
    'Connections that clients may have open; never more than half of the files that may be open (`ulimit -n`). For one more, ' +
    'one that is idle is closed.',
  CLIENT_CONNECTION_LIMIT:
    'Of these, how many one public IP address may have (of IPv6, a /64). Addresses of private networks are taken for ' +
    'proxies, and may have all.',
  BODY_BYTES_LIMIT:
    'How large the bodies may be that are being read or relayed, together. Beyond it, the slowest to send gets a 503.',
  UPLOAD_BUDGET:
    'How large the bodies with files may be that are being read or relayed, together. Beyond it, the answer is a 503.',
  SUBMISSION_LIMIT: 'Submissions that are being relayed at the same time. Beyond it, the answer is a 503.',
  SECRETS_DIR:
    'A folder whose files are variables: `CRM_TOKEN` in it is the value of `CRM_TOKEN`, for `{{ env "CRM_TOKEN" }}` and for the relay itself. ' +
    'A line break at the end does not count. For secrets of Docker and Kubernetes, and credentials of systemd; the `relay` command reads it when it starts.',
  HOST: 'Address that `relay serve` listens on, unless systemd hands it a socket ([docs/deploy/systemd.md](deploy/systemd.md)).',
  PORT: 'Port that `relay serve` listens on; 0 picks a free one.',
  WORKERS:
    'Processes of `relay serve` that share the port (docs/workers.md): a number, or `auto` for as many as there are cores, ' +
    'within the limits of a container for CPU and memory.',
  METRICS_PORT:
    'Port on which `relay serve` answers `/metrics` for Prometheus (docs/metrics.md); another than `PORT`. When unset, nothing is measured.',
  METRICS_HOST: 'Address of that port. When unset, as `HOST`.',
};
