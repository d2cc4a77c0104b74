/** Rights, logs and outputs that SAM and Terraform give the functions. */
import { TemplateFile, TemplateModel } from '@aws/cloudformation-validate';
import { pathOf, read } from './files.ts';

const resources = new TemplateModel(new TemplateFile(pathOf('deploy/sam/template.yaml'))).resources();
const roles = read('deploy/terraform/roles.tf');

const actions = (text: string): readonly string[] =>
  [
    ...new Set(
      [...text.matchAll(/"((?:dynamodb|logs|s3|ses|sqs|kms):(?!ViaService|FromAddress)\w+)"/g)].map(
        ([, name = '']) => name,
      ),
    ),
  ].sort();
const bySam = (name: string) => actions(JSON.stringify(resources[name]));
const byTerraform = (name: string) => {
  const from = roles.indexOf(`data "aws_iam_policy_document" "${name}" {`);
  return actions(roles.slice(from, roles.indexOf('\n}\n', from)));
};

const sends = ['sqs:GetQueueAttributes', 'sqs:SendMessage'];

describe.each([
  ['SAM', bySam, ['Common', 'Role', 'KeptRole']],
  ['Terraform', byTerraform, ['common', 'relay', 'kept']],
] as const)('with %s', (_, actionsOf, [common, relay, kept]) => {
  test('both functions log, read and decrypt the config, and send mail', () => {
    expect(actionsOf(common)).toEqual([
      ...['kms:Decrypt', 'kms:GenerateDataKey', 'logs:CreateLogStream', 'logs:PutLogEvents', 's3:GetObject'],
      ...['ses:SendEmail', 'ses:SendRawEmail'],
    ]);
  });

  test('the public function can neither read nor remove queued submissions, and only it counts', () => {
    expect(actionsOf(relay)).toEqual(
      ['dynamodb:GetItem', 'dynamodb:PutItem', 's3:PutObject', ...sends].sort(),
    );
  });

  test('the function that SQS calls can do both', () => {
    expect(actionsOf(kept)).toEqual(
      [
        ...sends,
        ...['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
        ...['s3:PutObject', 's3:GetObject', 's3:DeleteObject'],
      ].sort(),
    );
  });
});

test('no policy allows all resources of a service, or all actions', () => {
  for (const text of [read('deploy/sam/template.yaml'), roles]) {
    expect(text).not.toMatch(/(Resource|resources)[ :=]+\[?["']?\*["']?\]?$/m);
    expect(text).not.toMatch(/\b(dynamodb|s3|sqs|ses|kms|logs):\*/);
  }
});

/** The access log's fields, by their names in the log. */
const ofSam: Readonly<Record<string, string>> = JSON.parse(
  /^ +Format: '(.*)'$/m.exec(read('deploy/sam/template.yaml'))?.[1] ?? '{}',
);
const ofTerraform = Object.fromEntries(
  [...read('deploy/terraform/main.tf').matchAll(/^ +(\w+) += "(\$context\.[\w.]+)"$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

test('the access log shows requests and results, but nothing of a visitor', () => {
  expect(ofSam).toEqual({
    time: '$context.requestTime',
    requestId: '$context.requestId',
    method: '$context.httpMethod',
    path: '$context.path',
    status: '$context.status',
    bytes: '$context.responseLength',
    ms: '$context.responseLatency',
    error: '$context.integrationErrorMessage',
  });
  expect(ofTerraform).toEqual(ofSam);
});

test('both have the same outputs', () => {
  const alarms = Object.values(resources)
    .filter(({ resourceType }) => resourceType === 'AWS::CloudWatch::Alarm')
    .map(({ properties }) => {
      const text = JSON.stringify(properties);
      const [, metric] = /"MetricName":\{"Concrete":\{"value":"(\w+)"/.exec(text) ?? [];
      const [, says] = /"AlarmDescription":\{"Concrete":\{"value":"([^"]+)"/.exec(text) ?? [];
      return `${metric}: ${says}`;
    });
  const files = ['alarms.tf', 'keep.tf'].map((file) => read(`deploy/terraform/${file}`)).join('\n');
  const inTerraform = [...files.matchAll(/alarm_description += "(.*)"\n(?:.*\n)*?.*metric_name += "(\w+)"/g)];
  expect(alarms).toHaveLength(6);
  expect(inTerraform.map(([, says, metric]) => `${metric}: ${says}`).toSorted()).toEqual(alarms.toSorted());
});
