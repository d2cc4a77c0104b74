/** Examples under a command's help: what can be typed as it stands, each below a line that says what it is for. */
export const examples = (...all: readonly (readonly [command: string, purpose: string])[]): string =>
  `\n${all.length === 1 ? 'Example' : 'Examples'}:${all.map(([command, purpose]) => `\n  # ${purpose}\n  ${command}`).join('')}`;
