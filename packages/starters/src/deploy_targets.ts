/** Targets for deployment: their files in deploy/, and where these files and the manual's commands contain secrets. */

export interface Target {
  readonly title: string;
  /** The path below docs/. */
  readonly page: string;
  /** Paths below deploy/. */
  readonly files: readonly string[];
  /** Matches the headings of the steps. */
  readonly steps: RegExp;
  /** The label of `place`, with the example that it replaces. */
  readonly place?: readonly [label: string, example: string];
  /** The path of the config. Default: the commands copy the config. */
  readonly configAt?: string;
  /** An instruction to follow before the commands. Default: run them beside the config. */
  readonly before?: string;
  /** Matches the stores that `keep` may name on this target. */
  readonly keeps: RegExp;
  readonly keepsIn: string;
  /** The value of the domain's DNS record. */
  readonly record: readonly [type: string, value: string];
  /** Replaces the example secrets in commands and files. */
  readonly secrets: readonly Rule[];
}

type Rule = readonly [example: RegExp, write: (secrets: SecretNames, domain: string) => string];

export interface SecretNames {
  /** Random secrets that only the relay needs, except FORM_TOKEN_SECRET. */
  readonly random: readonly string[];
  /** Secrets that the owner already has. */
  readonly own: readonly string[];
}

/** Secrets that only the relay has to know. */
export const randomSecrets = ['FORM_TOKEN_SECRET', 'KEEP_SECRET', 'RECEIPT_SECRET'];
/** Variables that have their own place in the files. */
export const settings = new Set(
  'PUBLIC_URL TRUSTED_PROXIES MAIL_FROM_ADDRESS AWS_REGION ALLOWED_ORIGINS'.split(' '),
);

const lines = (names: readonly string[], write: (name: string) => string) => names.map(write).join('');
const checkout = 'copy these files and the config to a checkout of the relay, and run there';
const all = ({ random, own }: SecretNames) => [...random, ...own];
const pascal = (name: string) =>
  name.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
const kebab = (name: string) => `form-relay-${name.toLowerCase().replaceAll('_', '-')}`;

export const deployTargets: Readonly<Record<string, Target>> = {
  vps: {
    title: 'A VPS with systemd and Caddy',
    page: 'deploy/vps.md',
    before: checkout,
    files: ['systemd/form-relay.service', 'systemd/form-relay.socket', 'caddy/Caddyfile'],
    steps: /^\d\. /,
    keeps: /^\/var\/lib\/form-relay\b/,
    keepsIn: '/var/lib/form-relay',
    record: ['A', 'the IPv4 address of the server'],
    secrets: [
      [
        /^openssl rand .*\/KEEP_SECRET .*\n/m,
        ({ random }) =>
          lines(
            random,
            (name) => `openssl rand -hex 32 | sudo tee /etc/form-relay/secrets/${name} > /dev/null\n`,
          ),
      ],
      [
        /^sudo install .*\/SMTP_PASSWORD .*\n/m,
        ({ own }) =>
          lines(
            own,
            (name) =>
              `sudo install --mode 0600 /dev/stdin /etc/form-relay/secrets/${name}    # paste it, then Ctrl-D\n`,
          ),
      ],
      [
        /^sudo mkdir -p [^\n]*\nprintf '\[Service\][^\n]*\n[^\n]*(?:\n|$)/m,
        (names) =>
          all(names).length === 0
            ? ''
            : `sudo mkdir -p /etc/systemd/system/form-relay.service.d\nprintf '[Service]\\n${lines(all(names), (name) => `LoadCredential=${name}:/etc/form-relay/secrets/${name}\\n`)}' |\n  sudo tee /etc/systemd/system/form-relay.service.d/secrets.conf\n`,
      ],
    ],
  },
  compose: {
    title: 'Docker Compose',
    page: 'deploy/compose.md',
    before: checkout,
    files: ['compose/compose.yaml', 'compose/.env.example', 'caddy/Caddyfile'],
    steps: /^Steps$/,
    configAt: 'deploy/compose/config/webform.yaml',
    keeps: /^\/var\/lib\/form-relay\b/,
    keepsIn: '/var/lib/form-relay',
    record: ['A', 'the IPv4 address of the machine'],
    secrets: [
      [
        /^( +)FORM_TOKEN_SECRET: .*\n/m,
        (names) =>
          lines(
            ['FORM_TOKEN_SECRET', ...all(names)],
            (name) => `      ${name}: \${${name}:?write it into .env}\n`,
          ),
      ],
      [
        /^echo "FORM_TOKEN_SECRET=.*\n/m,
        ({ random, own }) =>
          `echo "FORM_TOKEN_SECRET=$(openssl rand -hex 32)" > deploy/compose/.env\n${lines(random, (name) => `echo "${name}=$(openssl rand -hex 32)" >> deploy/compose/.env\n`)}${lines(own, (name) => `echo "${name}='secret'" >> deploy/compose/.env\n`)}`,
      ],
      [
        /^FORM_TOKEN_SECRET=$/m,
        (names) => ['FORM_TOKEN_SECRET', ...all(names)].map((name) => `${name}=`).join('\n'),
      ],
    ],
  },
  kubernetes: {
    title: 'Kubernetes',
    page: 'deploy/kubernetes.md',
    before: checkout,
    files:
      'deployment horizontal-pod-autoscaler kustomization namespace network-policy pod-disruption-budget service'
        .split(' ')
        .map((name) => `kubernetes/${name}.yaml`),
    steps: /^\d\. /,
    place: ['Your container registry', 'images.example.com'],
    configAt: 'deploy/kubernetes/webform.yaml',
    keeps: /^nats:/,
    keepsIn: 'nats://nats:4222/form-relay',
    record: ['A', 'the address of the ingress or gateway'],
    secrets: [
      [
        /(?<=- name: CONFIG_FILE\n +value: .*\n)/,
        (_, domain) => `            - name: PUBLIC_URL\n              value: https://${domain}\n`,
      ],
      [
        / --from-literal CRM_TOKEN=secret/,
        ({ random, own }) =>
          lines(random, (name) => ` --from-literal ${name}="$(openssl rand -hex 32)"`) +
          lines(own, (name) => ` --from-literal ${name}='secret'`),
      ],
    ],
  },
  lambda: {
    title: 'AWS Lambda',
    page: 'deploy/aws-lambda-sam.md',
    before: checkout,
    files: ['sam/template.yaml'],
    steps: /^\d\. /,
    place: ['A name for the bucket', 'forms-example-com'],
    keeps: /^(?:sqs|https:\/\/sqs)/,
    keepsIn: 'the queue that the template creates with KeepQueue=yes',
    record: ['CNAME', 'the custom domain of the API in API Gateway'],
    secrets: [
      [
        /^( +)PUBLIC_URL: !Ref PublicUrl\n/m,
        ({ own }) =>
          `        PUBLIC_URL: !Ref PublicUrl\n${lines(own, (name) => `        ${name}: '{{resolve:secretsmanager:form-relay/${name}}}'\n`)}`,
      ],
      [
        /(?= MailFromAddress=)/,
        ({ random }, domain) =>
          ` PublicUrl=https://${domain}${lines(random, (name) => ` "${pascal(name)}=$(openssl rand -hex 32)"`)}`,
      ],
      [
        /^sam deploy /m,
        ({ own }) =>
          `${lines(own, (name) => `aws secretsmanager create-secret --name form-relay/${name} --secret-string 'secret'\n`)}sam deploy `,
      ],
    ],
  },
  workers: {
    title: 'Cloudflare Workers',
    page: 'deploy/cloudflare.md',
    before: 'copy the package to deploy/cloudflare, and run there',
    files: ['worker.js', 'wrangler.jsonc', 'package.json', '.env.example'].map(
      (name) => `cloudflare/${name}`,
    ),
    steps: /^Deploy$/,
    configAt: 'deploy/cloudflare/webform.yaml',
    keeps: /^queue:/,
    keepsIn: 'queue://KEPT/ASIDE',
    record: ['CNAME', 'Cloudflare sets the record: add the name under Domains & Routes of the Worker'],
    secrets: [
      [
        /^openssl .* put KEEP_SECRET\n/m,
        ({ random }) => lines(random, (name) => `openssl rand -hex 32 | npx wrangler secret put ${name}\n`),
      ],
      [
        /^FORM_TOKEN_SECRET=\n(?:[A-Z_]+=\n?)+/m,
        (names) => lines(['FORM_TOKEN_SECRET', ...all(names)], (name) => `${name}=\n`),
      ],
      [
        /^ +"KEEP_SECRET": [\s\S]*"AWS_SECRET_ACCESS_KEY": [\s\S]*?\},\n/m,
        (names) =>
          lines(all(names), (name) => `      "${name}": { "description": "A secret of the config." },\n`),
      ],
      [
        /^npx wrangler secret put CRM_TOKEN\n(?:npx wrangler secret put AWS_\w+\n?)*/m,
        ({ own }) => lines(own, (name) => `npx wrangler secret put ${name}\n`),
      ],
    ],
  },
  fly: {
    title: 'Fly.io',
    page: 'deploy/fly.md',
    before: checkout,
    files: ['fly/fly.toml'],
    steps: /^Steps$/,
    place: ['A name for the app', 'form-relay'],
    configAt: 'webform.yaml',
    keeps: /^\/var\/lib\/form-relay\b/,
    keepsIn: '/var/lib/form-relay',
    record: ['CNAME', 'APP.fly.dev'],
    secrets: [
      [
        / KEEP_SECRET="\$\(openssl rand -hex 32\)" CRM_TOKEN=secret/,
        ({ random, own }) =>
          lines(random, (name) => ` ${name}="$(openssl rand -hex 32)"`) +
          lines(own, (name) => ` ${name}='secret'`),
      ],
    ],
  },
  render: {
    title: 'Render',
    page: 'deploy/render.md',
    files: ['render/render.yaml', 'package/Dockerfile'],
    steps: /^Steps$/,
    place: ['A name for the service', 'form-relay'],
    configAt: 'webform.yaml',
    keeps: /^\/var\/lib\/form-relay\b/,
    keepsIn: '/var/lib/form-relay',
    record: ['CNAME', 'APP.onrender.com'],
    secrets: [
      [
        /^ +- key: KEEP_SECRET\n.*\n.*\n +- key: CRM_TOKEN\n.*\n/m,
        ({ random, own }) =>
          lines(random, (name) => `      - key: ${name}\n        generateValue: true\n`) +
          lines(own, (name) => `      - key: ${name}\n        sync: false\n`),
      ],
    ],
  },
  railway: {
    title: 'Railway',
    page: 'deploy/railway.md',
    files: ['railway/railway.json', 'package/Dockerfile'],
    steps: /^Steps$/,
    place: ['A name for the service', 'form-relay'],
    configAt: 'webform.yaml',
    keeps: /^\/var\/lib\/form-relay\b/,
    keepsIn: '/var/lib/form-relay',
    record: ['CNAME', 'Railway shows the target: add the domain to the service'],
    secrets: [
      [
        / --set "KEEP_SECRET=\$\(openssl rand -hex 32\)" --set CRM_TOKEN=secret/,
        ({ random, own }) =>
          lines(random, (name) => ` --set "${name}=$(openssl rand -hex 32)"`) +
          lines(own, (name) => ` --set ${name}='secret'`),
      ],
    ],
  },
  cloud_run: {
    title: 'Google Cloud Run',
    page: 'deploy/cloud-run.md',
    before: checkout,
    files: ['cloud-run/service.yaml'],
    steps: /^Steps$/,
    place: ['The id of your project', 'your-project'],
    configAt: 'webform.yaml',
    keeps: /^(?:nats|sqs|https:\/\/sqs)/,
    keepsIn: 'NATS or Amazon SQS',
    record: ['CNAME', 'ghs.googlehosted.com, once the domain is mapped to the service'],
    secrets: [
      [
        /(?<=- name: CONFIG_FILE\n +value: .*\n)/,
        (_, domain) => `            - name: PUBLIC_URL\n              value: https://${domain}\n`,
      ],
      [
        /^ +- name: CRM_TOKEN\n.*\n.*\n/m,
        (names) =>
          lines(
            all(names),
            (name) =>
              `            - name: ${name}\n              valueFrom:\n                secretKeyRef: {name: ${kebab(name)}, key: latest}\n`,
          ),
      ],
      [
        /^printf 'secret' \| gcloud .*\n/m,
        ({ random, own }) =>
          lines(
            random,
            (name) =>
              `openssl rand -hex 32 | tr -d '\\n' | gcloud secrets create ${kebab(name)} --data-file -\n`,
          ) +
          lines(own, (name) => `printf %s 'secret' | gcloud secrets create ${kebab(name)} --data-file -\n`),
      ],
      [
        /(?<=for name in config token-secret) crm-token/,
        (names) => lines(all(names), (name) => ` ${kebab(name).slice('form-relay-'.length)}`),
      ],
    ],
  },
};

/** The files of deploy/ that the targets use, for the build. */
export const deployFiles: readonly string[] = [
  ...new Set(Object.values(deployTargets).flatMap(({ files }) => files.map((file) => `deploy/${file}`))),
];
