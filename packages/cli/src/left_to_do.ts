/** Tasks for the owner of a new config, for `writeConfig`. */
export const leftToDo = (tasks: readonly string[]): string =>
  `\nFor you to do:\n${tasks.map((task) => `  - ${task}\n`).join('')}`;

/** A task for each environment variable without which the config does not work. */
export function variablesToSet(text: string): readonly string[] {
  const named = [...text.matchAll(/env "(\w+)"|url_env: (\w+)/g)].map(([, used, address]) => used ?? address);
  const implied = impliedBy.filter(([key]) => key.test(text)).map(([, name]) => name);
  return [...new Set([...named, ...implied])].map((variable) => `set ${variable} in the environment`);
}

/** Variables that keys need without naming them. */
const impliedBy: readonly (readonly [key: RegExp, variable: string])[] = [
  [/^ +- type: email$/m, 'MAIL_FROM_ADDRESS'],
  [/^ +min_fill_seconds: /m, 'FORM_TOKEN_SECRET'],
  [/^ +double_opt_in:$/m, 'PUBLIC_URL'],
];
