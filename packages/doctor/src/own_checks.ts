import {
  type Finding,
  failure,
  firstOf,
  groupBy,
  makeSecret,
  ok,
  places,
  secretSet,
  warning,
} from '@form-relay/base/finding';
import { weaknessOf } from '@form-relay/base/weak_secret';
import { outputsOf } from '@form-relay/core/config';
import type { Environment } from '@form-relay/core/settings';
import { Diagnostics, type PlacedTemplate, Report } from '@form-relay/schema/diagnostics';
import { neededIn, type SettingProblem } from '@form-relay/schema/variables';
import { readConfigText } from '@form-relay/yaml/config_text';
import { formatPath, type Problem } from '@form-relay/yaml/problem';
import type { Setup } from './setup.ts';

/** The config that `relay serve` would take here: whether it can be read, loads, and has warnings. */
export async function probeConfig({ config: { source, parsed } }: Setup): Promise<readonly Finding[]> {
  if (!parsed.ok) {
    return [
      failure(
        source,
        parsed.error,
        source.startsWith('s3://')
          ? 'Check CONFIG_BUCKET, CONFIG_KEY, the region and the credentials.'
          : 'Set the location of the config (--config, CONFIG_FILE, CONFIG_INLINE or CONFIG_BUCKET), or create one with relay init.',
      ),
    ];
  }
  const config = parsed.value;
  if (!config.ok) return config.error.map(findingOf);
  const { forms, namedPlugins } = config.value;
  const outputs = [...forms.values()].reduce((sum, form) => sum + form.outputs.length, 0);
  const warnings = await config.value.warnings();
  const ofPlugins = namedPlugins.length > 0 ? `; plug-ins: ${namedPlugins.join(', ')}` : '';
  return [
    ok(source, `loads: ${count(forms.size, 'form')}, ${count(outputs, 'output')}${ofPlugins}`),
    // The check of the store says it.
    ...warnings.filter((one) => one.code !== 'store_of_cloudflare').map(findingOf),
  ];
}

/** As `relay config validate` shows it; the message says what would do. */
function findingOf({ code, severity, file, line, column, path, message, excerpt }: Problem): Finding {
  // An output of an unknown type loads, and every submission is answered 500.
  const level = severity === 'error' || code === 'output_type_unknown' ? 'failure' : 'warning';
  return {
    level,
    subject: `${file}:${line}:${column}`,
    says: `${path && `${path}: `}${message}\n${excerpt}`,
  };
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;

/** Malformed settings, the secret of tokens, and variables that templates name. Features report on their own variables. */
export async function probeEnvironment(setup: Setup, env: Environment): Promise<readonly Finding[]> {
  return [
    ...setup.settingProblems.map(malformed),
    ...tokenSecret(setup),
    ...groupBy(await usesIn(setup), ({ name }) => name).map((used) => variable(used, env)),
  ];
}

const malformed = ({ name, expected }: SettingProblem): Finding =>
  failure(name, expected, 'Correct or unset it: the relay cannot start with this value.');

function tokenSecret({ loaded, settings: { formTokenSecret: secret } }: Setup): readonly Finding[] {
  const name = 'FORM_TOKEN_SECRET';
  if (!loaded) return [];
  const paths = neededIn(loaded)
    .filter((one) => one.name === name)
    .map(({ path }) => path);
  if (paths.length === 0) return [];
  const ids = paths.flatMap(([top, id]) => (top === 'forms' ? [String(id)] : [...loaded.forms.keys()]));
  const users = [...new Set(ids)].map((id) => ({ id }));
  if (secret === '') {
    const keys = paths.map((path) => formatPath(path[0] === 'forms' ? path.slice(2) : path));
    const use = users.length > 1 ? 'use' : 'uses';
    const says = `not set; ${firstOf(users)} ${use} ${[...new Set(keys)].join(' or ')}, so every submission is answered 500`;
    return [failure(name, says, makeSecret)];
  }
  const signsTokens = [...loaded.forms.values()].some(({ provided }) => provided.get('form_token'));
  const use = `${signsTokens ? 'signs the tokens' : 'seals the links'} of ${firstOf(users)}`;
  return [secretSet(name, weaknessOf(secret), use)];
}

/** Variables that the config needs, that are not set, and that no check reports. */
export const unsetVariables = ({ loaded, env }: Setup, reported: readonly (string | undefined)[]) =>
  groupBy(loaded ? neededIn(loaded) : [], ({ name }) => name)
    .filter(([{ name }]) => !reported.includes(name) && !(Object.hasOwn(env, name) && env[name]))
    .map((uses) => {
      const placed = uses.map(({ path }) => ({ place: formatPath(path) }));
      const says = `not set; ${places(placed)} ${placed.length > 1 ? 'need' : 'needs'} it`;
      return failure(uses[0].name, says, 'Set it where the relay runs: without it, /readyz answers 503.');
    });

interface Use {
  readonly name: string;
  readonly place: string;
  /** Whether a `default` replaces an empty value. */
  readonly hasDefault: boolean;
}

async function usesIn(setup: Setup): Promise<readonly Use[]> {
  const templates = await templatesOf(setup);
  const isOfOutput = ({ path }: PlacedTemplate) => path.includes('outputs') || path.includes('through');
  const inOrder = [...templates.filter((one) => !isOfOutput(one)), ...templates.filter(isOfOutput)];
  const uses = inOrder.flatMap(({ path, template }) =>
    [...template.envNames].map((name) => ({
      name,
      place: formatPath(path),
      hasDefault: !template.neededEnvNames.has(name),
    })),
  );
  const ofPlugins = (setup.loaded?.env ?? [])
    .filter(({ path: [top] }) => top === 'plugins')
    .map(({ name, path, isNeeded }) => ({ name, place: formatPath(path), hasDefault: !isNeeded }));
  return groupBy([...uses, ...ofPlugins], (use) => JSON.stringify(use)).map(([first]) => first);
}

/** Every template of a config that loads. Further forms, such as alerts, compile their own. */
async function templatesOf({ config, loaded }: Setup): Promise<readonly PlacedTemplate[]> {
  if (!loaded || !config.text.ok) return [];
  const read = await readConfigText(config.text.value);
  if (!read.ok) return [];
  const texts = { templates: [] as PlacedTemplate[], forVisitors: [] };
  loaded.registry.config(read.value.value, new Diagnostics([], new Report(read.value.value, texts)));
  const inFurther = outputsOf(loaded)
    .filter(({ path: [top] }) => top !== 'forms')
    .flatMap(({ output, path }) => output.templates.map((one) => ({ ...one, path: [...path, ...one.path] })));
  return [...texts.templates, ...inFurther];
}

function variable(used: readonly [Use, ...Use[]], env: Environment): Finding {
  const [{ name }] = used;
  const value = (Object.hasOwn(env, name) && env[name]) || '';
  if (value === '') {
    const bare = used.filter((use) => !use.hasDefault);
    return bare.length > 0
      ? failure(
          name,
          `not set; ${places(bare)} ${bare.length > 1 ? 'are' : 'is'} empty without it`,
          'Set it where the relay runs.',
        )
      : warning(
          name,
          `not set; ${places(used)} ${used.length > 1 ? 'fall back to their defaults' : 'falls back to its default'}`,
          'Set it, or leave it unset to use the default.',
        );
  }
  if (value !== value.trim()) {
    const remedy =
      'Remove the white space unless it is intended: values read from a file often end with a line break.';
    return warning(name, 'set; its value starts or ends with white space', remedy);
  }
  return ok(name, `set, for ${places(used)}`);
}
