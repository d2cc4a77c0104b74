/**
 * The files, commands and DNS records for bringing a config to a server. Built from deploy/ and docs/deploy/,
 * with the owner's values in place of the examples.
 */

import { deployTargets, randomSecrets, type SecretNames, settings, type Target } from './deploy_targets.ts';

/** Texts by their path in the repository: pages of docs/deploy/ and files of deploy/. */
export type DeploySources = Readonly<Record<string, string>>;

export interface DeployOptions {
  /** The public name, such as `forms.example.com`. */
  readonly domain: string;
  /** The owner's address. */
  readonly email: string;
  /** The name of an app, project, registry or bucket, depending on `placeOf` of the target. */
  readonly place: string;
  /** The text of the config. */
  readonly config: string;
  /** The config's file name. */
  readonly file: string;
  /** The form's id. */
  readonly form: string;
  /** The environment variables that the config needs. */
  readonly variables: readonly string[];
}

export interface Deployment {
  /** Files with their paths in a checkout. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly steps: readonly DeployStep[];
  readonly records: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  /** Changes that the config needs on this target. */
  readonly notes: readonly string[];
}

export interface DeployStep {
  readonly title: string;
  /** Text of the manual, and code to copy. */
  readonly parts: readonly { readonly text?: string; readonly code?: string }[];
}

/** Thrown for a value that must not be in any file or command. Names its key. */
export class DeployMistake extends Error {
  override name = 'DeployMistake';
}

/** Values are inserted into commands, so none may contain what a shell interprets, or look like an option. */
const shapes: Readonly<Partial<Record<keyof DeployOptions, RegExp>>> = {
  domain: /^(?=.{4,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/,
  email: /^[\w.+-]+@[\w.-]+$/,
  place: /^(?!-)[\w./-]*$/,
  file: /^(?!-)[\w.-]+$/,
  form: /^[\w-]+$/,
};

/** @param name A name in `deployTargets`. Throws for any other name. */
export function deployment(name: string, options: DeployOptions, sources: DeploySources): Deployment {
  const target = deployTargets[name];
  if (!target) throw new Error(`there is no target called ${name}`);
  const wrong = Object.entries(shapes).find(([key, shape]) => !shape.test(String(options[key as 'domain'])));
  if (wrong) throw new DeployMistake(wrong[0]);
  if (!options.variables.every((name) => /^[A-Za-z_]\w*$/.test(name))) throw new DeployMistake('a variable');
  const { page, files, configAt, record } = target;
  const { domain, place, config, variables } = options;
  // Kept submissions should be encrypted, but this is optional.
  const wanted = new Set([...(/^\s*keep:/m.test(config) ? ['KEEP_SECRET'] : []), ...variables]);
  const secrets = {
    random: randomSecrets.filter((one) => wanted.has(one) && one !== 'FORM_TOKEN_SECRET'),
    own: variables.filter((one) => !randomSecrets.includes(one) && !settings.has(one)),
  };
  const fit = (text: string) => withValues(withSecrets(text, target, secrets, domain), target, options);
  return {
    files: [
      ...files.map((file) => ({ path: `deploy/${file}`, text: fit(sourceOf(sources, `deploy/${file}`)) })),
      ...(configAt === undefined ? [] : [{ path: configAt, text: config }]),
    ],
    steps: stepsIn(sourceOf(sources, page), target.steps).map(({ title, parts }) => ({
      title,
      parts: parts
        .map(({ text = '', code }) =>
          code === undefined ? { text: withValues(text, target, options) } : { code: fit(code) },
        )
        .filter((part) => part.code?.trim() !== ''),
    })),
    records: [{ name: domain, type: record[0], value: record[1].replace('APP', place) }],
    notes: notesFor(target, config),
  };
}

function sourceOf(sources: DeploySources, path: string): string {
  const text = sources[path];
  if (text === undefined) throw new Error(`the build has no ${path}`);
  return text;
}

function withSecrets(text: string, { secrets }: Target, names: SecretNames, domain: string): string {
  return secrets.reduce((made, [example, write]) => made.replace(example, () => write(names, domain)), text);
}

/** Puts the owner's values in place of the examples in the manual and the files. */
function withValues(
  text: string,
  { place: asked }: Target,
  { domain, email, place, file, form }: DeployOptions,
): string {
  const values: readonly (readonly [example: string | RegExp, value: string])[] = [
    // The Caddyfile already contains the values that this command would insert.
    [
      /^sed 's\/\{\$DOMAIN:.*\n *sudo tee .* > \/dev\/null$/gm,
      'sudo cp deploy/caddy/Caddyfile /etc/caddy/Caddyfile',
    ],
    ['https://form-relay.fly.dev', `https://${domain}`],
    ...(asked?.[1] === 'form-relay'
      ? [
          [/(?<=^app = ")form-relay(?=")/gm, place] as const,
          [/(?<=--app |apps create |--name |^ +name: )form-relay\b/gm, place] as const,
        ]
      : asked
        ? [[asked[1], place] as const]
        : []),
    ['forms.example.com', domain],
    [/(?:you@acme\.example|you@example\.com|hostmaster@example\.com)/g, email],
    [/forms@example\.com/g, email],
    ['DOMAIN=localhost', `DOMAIN=${domain}`],
    // The studio does this check from outside.
    [/^curl "\$URL\/api\/v1\/submit\/.*\n/gm, ''],
    ['/f/contact', `/f/${form}`],
    ['https://localhost/f/', `https://${domain}/f/`],
    [/(?<=--mode 0644 |--config |--data-file |aws s3 cp )webform\.yaml(?= )/g, file],
  ];
  return values.reduce((made, [example, value]) => made.replaceAll(example, () => value), text);
}

/** The steps of a manual page: sections with text and commands, without the example of a config and the responses. */
function stepsIn(page: string, wanted: RegExp): readonly DeployStep[] {
  return page
    .split(/^#{2,3} /m)
    .map((section) => ({
      title: section.split('\n', 1)[0] ?? '',
      body: section.slice(section.indexOf('\n')),
    }))
    .filter(({ title }) => wanted.test(title))
    .map(({ title, body }) => ({
      title: title.replace(/^\d+\. /, ''),
      parts: partsIn(body),
    }))
    .filter(({ parts }) => parts.some(({ code }) => code !== undefined));
}

function partsIn(body: string): DeployStep['parts'] {
  const pieces = body.split(/^ *(```\w*\n[\s\S]*?^ *```)$/m);
  return pieces.flatMap((piece, index): DeployStep['parts'] => {
    const [, language, code = ''] = /^```(\w*)\n([\s\S]*)^ *```$/m.exec(piece) ?? [];
    if (language !== undefined) return language === 'sh' && code.trim() !== '' ? [{ code }] : [];
    // A sentence that introduces an example of a config.
    const isLeading = pieces[index + 1]?.startsWith('```yaml');
    const paragraphs = piece
      .trim()
      .split(/\n{2,}/)
      .filter((one, at, all) => !/^\||^Save a config as/.test(one) && !(isLeading && at === all.length - 1));
    // Links of the manual do not work here.
    const text = paragraphs.join('\n\n').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
    return text === '' ? [] : [{ text }];
  });
}

function notesFor({ keeps, keepsIn, title }: Target, config: string): readonly string[] {
  const kept = [...config.matchAll(/^keep:\s*\{?\s*(?:\n\s+)?in:\s*["']?([^"'\s}]+)/gm)].map(
    ([, where = '']) => where,
  );
  return kept
    .filter((where) => !keeps.test(where))
    .map((where) => `The config keeps deliveries in ${where}. On ${title}, write keep: {in: ${keepsIn}}.`);
}
