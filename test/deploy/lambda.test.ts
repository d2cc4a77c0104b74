import { spawnSync } from 'node:child_process';
import { TemplateFile, TemplateModel } from '@aws/cloudformation-validate';
import type { Environment } from '../../packages/core/src/settings.ts';
import { type Node, pathOf, read } from './files.ts';
import { variables } from './variables.ts';

const template = new TemplateFile(pathOf('deploy/sam/template.yaml'));
const model = new TemplateModel(template);
const sam = (resource: string, property: string): Node => {
  const value: Node = model.resources()[resource]?.properties[property];
  return value?.Concrete?.value;
};
/** The environment of both functions, with each parameter's default. */
const samEnvironment: Environment = Object.fromEntries(
  [...read('deploy/sam/template.yaml').matchAll(/^ {8}([A-Z_]+): !Ref (\w+)$/gm)].map(
    ([, name = '', parameter = '']) => [name, model.parameters()[parameter]?.default],
  ),
);

const terraform = read('deploy/terraform/main.tf');
const inTerraform = (pattern: RegExp) => pattern.exec(terraform)?.[1];
const terraformVariables = [...read('deploy/terraform/variables.tf').matchAll(/^variable "(\w+)"/gm)].map(
  ([, name = '']) => name,
);

/** Variables that only servers need. API Gateway throttles. */
const ofServers = [
  'LOG_FORMAT',
  'CONFIG_FILE',
  'CONFIG_DIR',
  'RELAY_CONFIG',
  'SECRETS_DIR',
  'REUSE_PORT',
  'METRICS_PORT',
  'METRICS_HOST',
  'HOST',
  'PORT',
  'THROTTLE_RATE_LIMIT',
  'THROTTLE_BURST_LIMIT',
  'CONNECTION_LIMIT',
  'CLIENT_CONNECTION_LIMIT',
  'BODY_BYTES_LIMIT',
  'UPLOAD_BUDGET',
  'SUBMISSION_LIMIT',
  // A function has only the packages in its folder; to add more, name them along with the other variables.
  'RELAY_PLUGINS',
  // A function has no host name that a mail server could look up; to set one, add it to the other variables.
  'SMTP_EHLO_NAME',
  // API Gateway says who sends a request; behind a CDN, add its networks to the other variables.
  'TRUSTED_PROXIES',
  'PROXY_HEADER',
];
const ofFunctions = variables.map(({ name }) => name as string).filter((name) => !ofServers.includes(name));

test('the SAM template: gives the function every variable that it needs', () =>
  expect(Object.keys(samEnvironment).sort()).toEqual([...ofFunctions].sort()));

test('the SAM template: has the memory and time of the specification', () =>
  expect([sam('Function', 'MemorySize'), sam('Function', 'Timeout')]).toEqual([128, 25]));

test('queued submissions: are stored by SAM only if a parameter asks for it', () => {
  const kept = Object.keys(model.resources()).filter((name) => name.startsWith('Kept'));
  expect(kept.toSorted()).toEqual(
    [
      ...['Kept', 'KeptAgeAlarm', 'KeptAside', 'KeptAsideAlarm', 'KeptErrorsAlarm', 'KeptFunction'],
      'KeptRole',
    ].toSorted(),
  );
  const template = read('deploy/sam/template.yaml');
  for (const name of kept)
    expect(template).toMatch(
      new RegExp(`^  ${name}:\n    Type: .*\n    Condition: Keeps(WithAlarms)?$`, 'm'),
    );
  expect(template).toMatch(/^ {2}KeepQueue:\n {4}Type: String\n {4}Default: 'no'$/m);
});

test('queued submissions: are delivered by the same relay, with the same variables', () => {
  expect(sam('KeptFunction', 'Handler')).toBe('lambda.kept');
  expect(sam('KeptFunction', 'CodeUri')).toBe(sam('Function', 'CodeUri'));
  expect(sam('KeptFunction', 'Environment')).toEqual(sam('Function', 'Environment'));
  expect(sam('KeptFunction', 'Runtime')).toEqual(sam('Function', 'Runtime'));
  expect(read('deploy/terraform/keep.tf')).toMatch(/handler += "lambda.kept"/);
});

test('queued submissions: cannot be read by the functions when they wait for the owner', () => {
  expect(read('deploy/sam/template.yaml')).toMatch(
    /Action: \[sqs:SendMessage, sqs:GetQueueAttributes\]\n +Resource: !GetAtt KeptAside.Arn\n/,
  );
  expect(read('deploy/terraform/roles.tf')).toMatch(
    /sid += "KeepAside"\n +actions += \["sqs:SendMessage", "sqs:GetQueueAttributes"\]/,
  );
});

describe('Terraform', () => {
  test('gives the function every variable that it needs', () => {
    const names = [...terraform.matchAll(/^ +([A-Z_]+) += var\.\w+$/gm)].map(([, name = '']) => name);
    expect(names.sort()).toEqual([...ofFunctions].sort());
  });

  test('has a variable for every parameter of SAM', () => {
    const snake = (name: string) => name.replace(/(?<=.)(?=[A-Z])/g, '_').toLowerCase();
    expect(terraformVariables).toEqual(expect.arrayContaining(Object.keys(model.parameters()).map(snake)));
  });

  test('has the memory and time of the specification', () => {
    expect(inTerraform(/^ +memory_size += (.*)$/m)).toBe('128');
    expect(inTerraform(/^ +timeout += (.*)$/m)).toBe('25');
  });

  const isInstalled = spawnSync('terraform', ['version']).status === 0;
  if (!isInstalled)
    console.warn('SKIPPED: the format of deploy/terraform is not checked, because there is no terraform.');
  test.skipIf(!isInstalled)('is formatted like the output of `terraform fmt`', () => {
    const { stdout, status } = spawnSync('terraform', ['fmt', '-check', '-diff', '-recursive'], {
      cwd: pathOf('deploy/terraform'),
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });
});

test('every parameter of the template and every variable of Terraform has a description', () => {
  const parameters = Object.entries<Node>(model.parameters());
  expect(parameters.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
  const variables = read('deploy/terraform/variables.tf')
    .split(/^variable /m)
    .slice(1);
  expect(variables.filter((text) => !/^ {2}description = ".+"$/m.test(text))).toEqual([]);
});
