import { type MailAccount, mailAccounts, secretOf } from '@form-relay/clients/smtp/mail_services';
import { scalarText } from '@form-relay/yaml/scalar';

/** An environment variable to set. */
export interface Variable {
  readonly name: string;
  readonly is: string;
  /** Where owners find its value. */
  readonly from?: string;
}

interface MailConfig {
  readonly text: string;
  /** The kind of login that the account expects. */
  readonly wants: string;
  readonly variables: readonly Variable[];
}

/** A config that sends its mails through an account. @param alternatives Whether comments show other kinds of login. */
export function mailConfig(name: string, alternatives = true): MailConfig {
  const account = mailAccounts[name];
  if (!account) throw new Error(`there is no account called ${name}`);
  const { lines, wants, variables } =
    name === 'ses'
      ? throughApi
      : throughSmtp(account, alternatives || account.wantsOAuth ? oauth[name] : undefined);
  const text = [...form, ...lines, ...mail].map((line) => `${line}\n`).join('');
  return { text, wants, variables };
}

const form = [
  'forms:',
  '  contact:',
  '    title: Write to us',
  '    fields:',
  '      - {name: name, label: Name, required: true, max_length: 100, autocomplete: name}',
  '      - {name: email, label: E-mail, type: email, required: true, autocomplete: email}',
  '      - {name: message, label: Message, type: textarea, required: true, max_length: 5000}',
  '    spam: {honeypot: website}',
  '    outputs:',
];

const mail = [
  '        # The recipient. Replies go to the visitor.',
  '        to: you@example.com',
  '        reply_to: "{{ .fields.email }}"',
  '        reply_to_name: "{{ .fields.name }}"',
  '        subject: "Message from {{ .fields.name }}"',
  '        html: true',
];

interface Carrier extends Omit<MailConfig, 'text'> {
  readonly lines: readonly string[];
}

/** Amazon SES needs no SMTP. */
const throughApi: Carrier = {
  lines: ['      - type: email'],
  wants: 'AWS credentials with ses:SendEmail and ses:SendRawEmail',
  variables: [
    {
      name: 'MAIL_FROM_ADDRESS',
      is: 'the sender, such as Your website <website@example.com>',
      from: 'the SES console, which must verify the address first',
    },
    { name: 'AWS_REGION', is: 'the region of SES, such as eu-west-1' },
    {
      name: 'AWS_ACCESS_KEY_ID',
      is: 'the key of an IAM user with ses:SendEmail and ses:SendRawEmail',
      from: 'the IAM console; on AWS itself, the role is enough',
    },
    { name: 'AWS_SECRET_ACCESS_KEY', is: 'the secret that AWS shows with this key' },
  ],
};

function throughSmtp(account: MailAccount, withOAuth: OAuth | undefined): Carrier {
  const {
    title,
    host,
    otherHosts = [],
    port,
    username,
    secret,
    wantsEhloName,
    sender = 'website@example.com',
  } = account;
  const written = username.written ?? sender;
  const elsewhere = otherHosts.map(([whose, other]) => `${whose}: ${other}`).join('; ');
  const login = account.wantsOAuth && withOAuth ? byToken(withOAuth) : byPassword(account, withOAuth);
  return {
    lines: [
      '      - type: smtp',
      `        host: ${host}${elsewhere && ` # ${elsewhere}`}`,
      `        port: ${port}`,
      '        tls: required',
      `        # ${sentence(username.is)}`,
      `        username: ${scalar(written)}`,
      ...login.lines,
      `        # The sender: an address that ${title} lets you use.`,
      `        from: Your website <${sender}>`,
    ],
    wants: secretOf(account),
    variables: [
      ...(written.includes('SMTP_USERNAME')
        ? [{ name: 'SMTP_USERNAME', is: username.is, from: secret.from }]
        : []),
      ...login.variables,
      ...(wantsEhloName ? [{ name: 'SMTP_EHLO_NAME', is: 'your host name, such as forms.example.com' }] : []),
    ],
  };
}

type Login = Pick<Carrier, 'lines' | 'variables'>;

const byPassword = ({ secret }: MailAccount, instead: OAuth | undefined): Login => ({
  lines: [
    `        # ${sentence(secret.is)}`,
    `        password: '{{ env "SMTP_PASSWORD" }}'`,
    ...(instead
      ? [
          '        # OAuth instead of the password:',
          ...byToken(instead).lines.map((line) => line.replace(/^ {8}/, '$&# ').replace('# # ', '#   # ')),
        ]
      : []),
  ],
  variables: [{ name: 'SMTP_PASSWORD', is: secret.is, from: secret.from }],
});

function byToken({ keys, comments = {}, variables }: OAuth): Login {
  return {
    lines: [
      '        auth: oauth2',
      '        oauth2:',
      ...Object.entries(keys).flatMap(([key, value]) => [
        ...(comments[key] === undefined ? [] : [`          # ${comments[key]}`]),
        `          ${key}: ${scalar(value)}`,
      ]),
    ],
    variables,
  };
}

interface OAuth {
  readonly keys: Readonly<Record<string, string>>;
  /** Comments by the key that they precede. */
  readonly comments?: Readonly<Record<string, string>>;
  readonly variables: readonly Variable[];
}

/** How accounts get access tokens. */
const oauth: Readonly<Record<string, OAuth>> = {
  gmail: {
    keys: {
      grant: 'refresh_token',
      token_url: 'https://oauth2.googleapis.com/token',
      client_id: '{{ env "GOOGLE_CLIENT_ID" }}',
      client_secret: '{{ env "GOOGLE_CLIENT_SECRET" }}',
      client_auth: 'post',
      refresh_token: '{{ env "GOOGLE_REFRESH_TOKEN" }}',
    },
    variables: [],
  },
  microsoft365: {
    keys: {
      grant: 'client_credentials',
      token_url: 'https://login.microsoftonline.com/TENANT_ID/oauth2/v2.0/token',
      client_id: '{{ env "MS_CLIENT_ID" }}',
      client_secret: '{{ env "MS_CLIENT_SECRET" }}',
      client_auth: 'post',
      scope: 'https://outlook.office365.com/.default',
    },
    comments: { token_url: 'Replace TENANT_ID with the directory (tenant) id of your organization.' },
    variables: [
      {
        name: 'MS_CLIENT_ID',
        is: 'the application (client) id of your app',
        from: 'https://entra.microsoft.com, under App registrations',
      },
      {
        name: 'MS_CLIENT_SECRET',
        is: 'the value of a client secret',
        from: 'the same page, under Certificates & secrets',
      },
    ],
  },
};

const scalar = (text: string) => scalarText(text, 'block', undefined, "'");

function sentence(words: string): string {
  const plain = words.replaceAll('`', '"');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
